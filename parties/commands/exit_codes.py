"""The exit code that each kind of error has, in one table for all commands."""

from __future__ import annotations

from enum import IntEnum

from ppaurora.mpc.errors import AuroraError, BoundExceeded, PeerError
from ppaurora.parties.errors import (
    ConfigurationError,
    DataError,
    DiskFault,
    Interrupted,
    KeyFault,
    PolicyRefusal,
    UnsoundLists,
)
from ppaurora.protocols.errors import DataRefused, ListsRefused, OptionRefused


class ExitCode(IntEnum):
    """The exit codes of commands.

    `status` ends with 0 where the result is there or was fetched, with 10 where it is not there
    yet, and with 5 where a server does not answer or tells of trouble. `health` ends with 0 or 1.
    """

    DONE = 0
    UNWELL = 1
    USAGE = 2
    DATA = 3
    POLICY = 4
    PEER = 5
    ABORTED = 6
    NOT_YET = 10
    INTERRUPTED = 130


EXIT_CODES: dict[type[BaseException], ExitCode] = {
    ConfigurationError: ExitCode.USAGE,
    OptionRefused: ExitCode.USAGE,
    BoundExceeded: ExitCode.USAGE,
    DiskFault: ExitCode.USAGE,
    OSError: ExitCode.USAGE,
    DataError: ExitCode.DATA,
    DataRefused: ExitCode.DATA,
    ListsRefused: ExitCode.DATA,
    UnsoundLists: ExitCode.DATA,
    PolicyRefusal: ExitCode.POLICY,
    PeerError: ExitCode.PEER,
    KeyFault: ExitCode.PEER,
    AuroraError: ExitCode.ABORTED,
    Exception: ExitCode.ABORTED,
    Interrupted: ExitCode.INTERRUPTED,
    KeyboardInterrupt: ExitCode.INTERRUPTED,
}


def exit_code(kind: type[BaseException]) -> ExitCode:
    """The code of `kind`, or of its nearest ancestor that the table names."""
    return next(EXIT_CODES[one] for one in kind.__mro__ if one in EXIT_CODES)
