"""The wall clock, and whether it may be believed when it says that something is old.

A clock that jumps ahead must not delete what is young. So nothing expires unless this server has
run for an hour, P0 and the others that hold shares have lately told each other about the same time,
and this server's clock has since gone as fast as a steady one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.server.watching.logs import LogLevel, log, log_often
from ppaurora.parties.study.study import Study

DAY = 86400.0
SETTLE_SECONDS = 3600.0
EXCHANGE_SECONDS = 600.0
FRESH_SECONDS = 2 * 3600.0
SILENT_SECONDS = 600.0
"""After so long without an answer the log says once that a server's clock cannot be compared."""


@dataclass(frozen=True, slots=True)
class ClockComparison:
    """Times that two servers' clocks showed at the steady time `at`."""

    at: float
    mine: float
    theirs: float


@dataclass(slots=True)
class ClockSilence:
    """Steady time since which a server has not told its clock, and whether the log has said so."""

    since: float
    told: bool = False


class Clock:
    """One server's clock; `wall` and `steady` are functions of the system unless a test says so."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        self._wall = wall
        self._steady = steady
        self._settled = steady() + settle_seconds
        self._compared: dict[bytes, dict[Role, ClockComparison]] = {}
        self._silent: dict[PublicKey, ClockSilence] = {}
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since 1970, as this machine believes."""
        return self._wall()

    def seconds(self) -> int:
        """The time in whole seconds, as it is sent to other servers."""
        return max(0, int(self._wall()))

    def heard(self, study: bytes, theirs: int, server: Role = Role.P0) -> None:
        """Remember what another server of this study says that the time is."""
        comparison = ClockComparison(self._steady(), self._wall(), float(theirs))
        self._compared.setdefault(study, {})[server] = comparison

    def answers(self, server: PublicKey) -> None:
        """The server that a study names by this key has told its clock."""
        with self._lock:
            self._silent.pop(server, None)

    def silent_for_long(self, server: PublicKey) -> bool:
        """True if the server, which has just not told its clock, is to be named in the log.

        That is so once in each long silence, however many studies it serves.
        """
        with self._lock:
            silence = self._silent.setdefault(server, ClockSilence(self._steady()))
            first = not silence.told and self._steady() - silence.since >= SILENT_SECONDS
            silence.told |= first
            return first

    def apart(self, theirs: int) -> float:
        """Seconds by which the clock of another server, which shows `theirs`, differs now."""
        return abs(self._wall() - float(theirs))

    def believed(self, study: bytes) -> bool:
        """True if this study's uploads and results may expire by this clock."""
        told = self._compared.get(study, {}).values()
        return bool(told) and self._steady() >= self._settled and all(map(self._agrees, told))

    def _agrees(self, last: ClockComparison) -> bool:
        """True if that clock showed about the same time lately, and this one did not jump since."""
        passed = self._steady() - last.at
        jumped = abs(self._wall() - last.mine - passed)
        return passed <= FRESH_SECONDS and max(jumped, abs(last.mine - last.theirs)) <= DAY


def compare(clock: Clock, study: Study, theirs: int, server: Role) -> None:
    """Remember what another server says that the time is; if that cannot be, the log names it.

    Nothing of the study expires then at this server, which would keep it for ever unnoticed.
    """
    clock.heard(study.hash, theirs, server)
    clock.answers(study.server(server).public)
    if clock.apart(theirs) > DAY:
        log_often(
            "clocks differ",
            of=f"{study.id} {server}",
            level=LogLevel.WARNING,
            peer=study.address_of(str(server)),
            study=study.id,
            error=f"the clock of {server} shows {theirs} s since 1970, this server's "
            f"{clock.seconds()} s: one of them is wrong, and nothing expires meanwhile",
        )


def not_compared(clock: Clock, study: Study, server: Role, error: AuroraError) -> None:
    """Note that another server has not told its clock; the log names it once if that lasts."""
    if clock.silent_for_long(study.server(server).public):
        log(
            "clocks not compared",
            level=LogLevel.WARNING,
            peer=study.address_of(str(server)),
            error=f"for {SILENT_SECONDS / 60:.0f} minutes {server} has not told its clock, and "
            f"after two hours nothing of its studies expires here: {error}",
        )
