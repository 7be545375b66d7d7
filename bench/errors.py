"""Errors of the benchmark; the exit codes are those of `parties.commands.exit_codes`."""

from __future__ import annotations

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import ConfigurationError


class MeansRefused(ConfigurationError):
    """This machine or this user may not make such a network."""


class ToolAbsent(ConfigurationError):
    """An optional package or a peer is not installed."""


class RunFailed(AuroraError):
    """A measured run did not come to its end."""


class LayoutRefused(ConfigurationError):
    """Not a number of owners and samples."""


class ReportRefused(ConfigurationError):
    """Not a report of the benchmark, or none that fits the other one."""
