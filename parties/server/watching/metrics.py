"""The page `/metrics` in the text format of Prometheus, made at most once a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from ppaurora.parties.requests.local_pages import LocalPage
from ppaurora.parties.server.watching.counts import TALLIES, Counts, Gauge

KEPT_SECONDS = 1.0
NOT_INSTALLED = LocalPage(
    HTTPStatus.NOT_IMPLEMENTED,
    'Metrics need prometheus_client: run `pip install ".[ops]"` in your clone of the repository, '
    "then restart this server.\n",
)


class MetricsPage:
    """One server's metrics; one thread asks for them."""

    def __init__(
        self,
        counts: Counts,
        gauges: Sequence[Gauge],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._counts = counts
        self._gauges = gauges
        self._now = now
        self._page = NOT_INSTALLED
        self._made_at = -KEPT_SECONDS

    def page(self) -> LocalPage:
        """The metrics, or what to install where their library is missing."""
        if self._now() - self._made_at >= KEPT_SECONDS:
            self._page, self._made_at = self._made(), self._now()
        return self._page

    def _made(self) -> LocalPage:
        try:
            from prometheus_client import CONTENT_TYPE_LATEST
        except ModuleNotFoundError:
            return NOT_INSTALLED
        return LocalPage(HTTPStatus.OK, exposition(self._counts, self._gauges), CONTENT_TYPE_LATEST)


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """Declared counts and gauges of one server, without those that the library adds."""

    counts: Counts
    gauges: Sequence[Gauge]

    def collect(self) -> Iterator[Any]:
        """The families, each with all of its kinds."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for tally in TALLIES:
            labels = [tally.label] if tally.label else []
            family = CounterMetricFamily(tally.name, tally.what, labels=labels)
            for kind, count in self.counts.so_far(tally).items():
                family.add_metric([kind] if tally.label else [], count)
            yield family
        for gauge in self.gauges:
            yield GaugeMetricFamily(gauge.name, gauge.what, gauge.read())


def exposition(counts: Counts, gauges: Sequence[Gauge]) -> str:
    """The page as it is now; `prometheus_client` is an extra, `ops`."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Declared(counts, gauges))
    return generate_latest(registry).decode()
