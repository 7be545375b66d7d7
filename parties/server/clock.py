"""The wall clock, and whether it may be believed when it says that something is old.

A clock that jumps ahead must not delete what is young. So nothing expires unless this server has
run for an hour, P0 and the others that hold shares have lately told each other about the same time,
and this server's clock has since gone as fast as a steady one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.mpc.role import Role
from ppaurora.parties.server.logs import LogLevel, log_often
from ppaurora.parties.server.peer_address import peer_address
from ppaurora.parties.study.study import Study

__all__ = ["EXCHANGE_SECONDS", "Clock", "compare"]

DAY = 86400.0
SETTLE_SECONDS = 3600.0
EXCHANGE_SECONDS = 600.0
FRESH_SECONDS = 2 * 3600.0


@dataclass(frozen=True, slots=True)
class ClockComparison:
    """What two servers' clocks showed at the steady time `at`."""

    at: float
    mine: float
    theirs: float


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

    def now(self) -> float:
        """Seconds since 1970, as this machine believes."""
        return self._wall()

    def seconds(self) -> int:
        """The same in whole seconds, as it is told to other servers."""
        return max(0, int(self._wall()))

    def heard(self, study: bytes, theirs: int, server: Role = Role.P0) -> None:
        """Remember what another server of this study says that the time is."""
        comparison = ClockComparison(self._steady(), self._wall(), float(theirs))
        self._compared.setdefault(study, {})[server] = comparison

    def apart(self, theirs: int) -> float:
        """By how many seconds the clock of another server, which shows `theirs`, differs now."""
        return abs(self._wall() - float(theirs))

    def believed(self, study: bytes) -> bool:
        """Whether this study's uploads and results may expire by this clock."""
        told = self._compared.get(study, {}).values()
        return bool(told) and self._steady() >= self._settled and all(map(self._agrees, told))

    def _agrees(self, last: ClockComparison) -> bool:
        """Whether that clock showed about the same time lately, and this one did not jump since."""
        passed = self._steady() - last.at
        jumped = abs(self._wall() - last.mine - passed)
        return passed <= FRESH_SECONDS and max(jumped, abs(last.mine - last.theirs)) <= DAY


def compare(clock: Clock, study: Study, theirs: int, server: Role) -> None:
    """Remember what another server says that the time is; if that cannot be, the log names it.

    Nothing of the study expires then at this server, which would keep it for ever unnoticed.
    """
    clock.heard(study.hash, theirs, server)
    if clock.apart(theirs) > DAY:
        log_often(
            "clocks differ",
            of=f"{study.id} {server}",
            level=LogLevel.WARNING,
            peer=peer_address(study, str(server)),
            study=study.id,
            error=f"the clock of {server} shows {theirs} s since 1970, this server's "
            f"{clock.seconds()} s: one of them is wrong, and nothing expires meanwhile",
        )
