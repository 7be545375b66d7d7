"""What the benchmark refuses."""

from __future__ import annotations

from ppaurora.mpc.errors import AuroraError


class MeansRefused(AuroraError):
    """This machine or this user may not make such a network."""

    exit_code = 2


class ToolAbsent(AuroraError):
    """An optional package or a peer is not installed."""

    exit_code = 2


class RunFailed(AuroraError):
    """A measured run did not come to its end."""


class LayoutRefused(AuroraError):
    """Not a number of owners and samples."""

    exit_code = 2


class ReportRefused(AuroraError):
    """Not a report of the benchmark, or none that fits the other one."""

    exit_code = 2
