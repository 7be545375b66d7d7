"""The wall clock, and whether it may be believed when it says that something is old.

A clock that jumps ahead must not delete what is young. So nothing expires unless this server has
run for an hour, P0 and P1 have lately told each other about the same time, and this server's clock
has since gone as fast as a steady one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["EXCHANGE_SECONDS", "Clock"]

DAY = 86400.0
SETTLE_SECONDS = 3600.0
EXCHANGE_SECONDS = 600.0
FRESH_SECONDS = 2 * 3600.0


@dataclass(frozen=True, slots=True)
class ClockComparison:
    """What both proxies' clocks showed at the steady time `at`."""

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
        self._compared: dict[bytes, ClockComparison] = {}

    def now(self) -> float:
        """Seconds since 1970, as this machine believes."""
        return self._wall()

    def seconds(self) -> int:
        """The same in whole seconds, as it is told to the other proxy."""
        return max(0, int(self._wall()))

    def heard(self, study: bytes, theirs: int) -> None:
        """Remember what the other proxy of this study says that the time is."""
        self._compared[study] = ClockComparison(self._steady(), self._wall(), float(theirs))

    def believed(self, study: bytes) -> bool:
        """Whether this study's uploads and results may expire by this clock."""
        steady, last = self._steady(), self._compared.get(study)
        if last is None or steady < self._settled:
            return False
        passed = steady - last.at
        jumped = abs(self._wall() - last.mine - passed)
        return passed <= FRESH_SECONDS and max(jumped, abs(last.mine - last.theirs)) <= DAY
