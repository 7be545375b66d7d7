"""Facts about what this machine permits, and a clock that the tests move."""

from __future__ import annotations

import select

import pytest

from ppaurora.bench.errors import MeansRefused
from ppaurora.bench.networks.networks import WAN, Means, laid


@pytest.fixture(scope="session")
def real() -> Means:
    """The way in which this process may make real hosts; without one there is nothing to test."""
    for means in (Means.NETEM, Means.CABLE):
        try:
            with laid(WAN, means):
                return means
        except MeansRefused:
            continue
    pytest.skip("this process may not make network namespaces")


class Clock:
    """Stands for the modules `time` and `select`: only waiting moves it, and then exactly."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def select(
        self, readers: list[int], writers: list[int], others: list[int], seconds: float | None
    ) -> tuple[list[int], list[int], list[int]]:
        """Sockets that are ready now; if none is, the clock moves on."""
        ready = select.select(readers, writers, others, 0)
        if not any(ready):
            assert seconds is not None, "it would wait for ever"
            self.now += seconds
        return ready


@pytest.fixture
def clock() -> Clock:
    return Clock()
