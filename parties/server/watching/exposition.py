"""Counts and gauges in the text format of Prometheus, by its own library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ppaurora.parties.server.watching.counts import TALLIES, Counts, Gauge

__all__ = ["exposition"]


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
