"""Every primitive by itself: elements a second, bytes, hops and CPU, in memory and over ZeroMQ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.table import Table

from ppaurora.bench.measure import jobs
from ppaurora.bench.measure.calls import CALLS
from ppaurora.bench.measure.report import Figures, Key, Report, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.measure.run import run
from ppaurora.bench.networks.networks import Hosts
from ppaurora.mpc.local import run_local
from ppaurora.mpc.role import Role

LENGTHS = (1, 1000, 1_000_000)
CHANNELS = ("memory", "plain", "curve")
# Enough repetitions for about so many elements, within these bounds.
ELEMENTS, FEWEST, MOST = 3_000_000, 3, 200


def repetitions_of(n: int) -> int:
    return max(FEWEST, min(MOST, ELEMENTS // n))


def rows_to_measure(
    names: Sequence[str], lengths: Sequence[int], channels: Sequence[str], hosts: Hosts
) -> Iterator[Row]:
    """Every call at every length over every channel."""
    for name in names or tuple(CALLS):
        for n in (n for n in lengths if n <= CALLS[name].longest):
            for channel in channels:
                key = {"call": name, "n": n, "channel": channel}
                weight = 1 + n * 1e-6
                yield Row(key, f"{name}, n = {n}, {channel}", weight, _measure(key, hosts))


def _measure(key: Key, hosts: Hosts) -> Callable[..., Figures]:
    job = {
        "job": "calls",
        "call": key["call"],
        "n": key["n"],
        "repetitions": repetitions_of(key["n"]),
    }

    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("")
        if key["channel"] == "memory":
            answers = run_local(lambda party: jobs.run(party, job))
            return summary(key, answers, shared_process=True)
        done = run(hosts, job, plain=key["channel"] == "plain")
        return summary(key, [done.answer(role) for role in Role], shared_process=False)

    return measure


def summary(key: Key, answers: list[dict[str, Any]], *, shared_process: bool) -> Figures:
    """Per call: median seconds of the slower proxy, CPU of all three, bytes, hops.

    Threads of one process all see its CPU time, so it is counted once.
    """
    by_party = [answer["repetitions"] for answer in answers]
    p0, p1, _ = by_party
    count = len(p0)
    seconds = sorted(max(a[0], b[0]) for a, b in zip(p0, p1, strict=True))
    cpu = sum(one[1] for party in by_party[: 1 if shared_process else 3] for one in party) / count
    declared = CALLS[key["call"]].declared
    n = key["n"]
    return {
        "repetitions": count,
        "seconds": seconds[count // 2],
        "fastest_seconds": seconds[0],
        "slowest_seconds": seconds[-1],
        "cpu_seconds": cpu,
        "elements_per_second": n / seconds[count // 2],
        "cpu_ns_per_element": 1e9 * cpu / n,
        "bytes": sum(one[2] for party in by_party for one in party) // count,
        "declared_bytes": declared.payload(n),
        "hops": max(answer["hops"] for answer in answers),
        "declared_hops": declared.hops(n),
    }


def table(report: Report) -> Table:
    """A line for each row."""
    shown = Table(title="Primitives; CPU is that of all three parties")
    shown.add_column("primitive")
    shown.add_column("channel")
    for name in ("n", "ms a call", "range", "elements/s", "CPU ns/element", "bytes/element"):
        shown.add_column(name, justify="right")
    for name in ("hops", "as declared"):
        shown.add_column(name, justify="right")
    for key, runs in report:
        last = runs[-1]
        low, high = spread(runs, "fastest_seconds")[0], spread(runs, "slowest_seconds")[1]
        same = (last["bytes"], last["hops"]) == (last["declared_bytes"], last["declared_hops"])
        shown.add_row(
            key["call"],
            key["channel"],
            f"{key['n']:,}",
            f"{1e3 * typical(runs, 'seconds'):.3f}",
            f"{1e3 * low:.3f}-{1e3 * high:.3f}",
            f"{typical(runs, 'elements_per_second'):,.0f}",
            f"{typical(runs, 'cpu_ns_per_element'):,.1f}",
            f"{last['bytes'] / key['n']:.2f}",
            str(last["hops"]),
            "yes" if same else "NO",
        )
    return shown
