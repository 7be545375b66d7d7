"""Growth of time, bytes, hops and memory with the samples, for several numbers of owners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.table import Table

from ppaurora.bench.measure.evaluation import measured, outsourced
from ppaurora.bench.measure.report import Figures, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import Hosts
from ppaurora.protocols.options import Options

OWNERS = (2, 4, 8, 32)
SAMPLES = tuple(1 << power for power in range(10, 21))
TEN_MILLION = 10_000_000
MEGABYTE = 1e6
PHASES = ("upload", "check", "sort", "ties", "statistics")


def shared_out(samples: int, owners: int) -> tuple[int, ...]:
    """As equal lists as can be."""
    base, more = divmod(samples, owners)
    return tuple(base + (owner < more) for owner in range(owners))


def rows_to_measure(
    owners: Sequence[int],
    samples: Sequence[int],
    options: Options,
    hosts: Hosts,
    *,
    plain: bool,
    check: bool,
) -> Iterator[Row]:
    """Every number of samples with every number of owners, small ones first."""
    for n in sorted(samples):
        for d in sorted(owners):
            key = {
                "owners": d,
                "samples": n,
                "metrics": list(options.metrics),
                "resolution": options.resolution,
                "table": options.table,
                "merge": options.merge,
                "delta": options.delta,
                "check": check,
                "network": hosts.network.name,
                "means": str(hosts.means),
                "channel": "plain" if plain else "curve",
                **({"dealings": options.dealings} if options.covert else {}),
            }
            yield Row(
                key,
                f"{d} owners, {n} samples",
                1 + n * 1e-5,
                _measure(shared_out(n, d), options, hosts, plain=plain, check=check),
            )


def _measure(
    sizes: tuple[int, ...], options: Options, hosts: Hosts, *, plain: bool, check: bool
) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        with outsourced(sizes, options, ties=True) as study:
            return measured(hosts, study, options, plain=plain, check=check, on_phase=on_phase)

    return measure


def grouped_phases(figures: Figures, name: str) -> dict[str, float]:
    """A figure by phase."""
    phases = dict.fromkeys(PHASES, 0.0)
    for phase in figures["phases"]:
        if phase["name"] in phases:
            phases[phase["name"]] += phase[name]
    return phases


def growth(report: Report) -> dict[str, float | None]:
    """By row: the median time against that of the next smaller number of samples, per doubling."""
    seconds = {repr(key): typical(runs, "seconds") for key, runs in report}
    found: dict[str, float | None] = {}
    for key, _ in report:
        smaller = {**key, "samples": key["samples"] // 2}
        before = seconds.get(repr(smaller))
        found[repr(key)] = seconds[repr(key)] / before if before else None
    return found


def table(report: Report) -> Table:
    """A line for each row, CPU seconds by phase."""
    shown = Table(title="Scale; growth is the time against that of half the samples")
    for name in ("owners", "samples", "s", "range", "growth", "CPU s", "µs CPU/sample", "MB"):
        shown.add_column(name, justify="right")
    for name in ("hops", "peak MB", *(f"{phase} CPU s" for phase in PHASES), "load", "value"):
        shown.add_column(name, justify="right")
    growths = growth(report)
    for key, runs in sorted(report, key=lambda row: (row[0]["owners"], row[0]["samples"])):
        low, high = spread(runs, "seconds")
        cpu, factor = typical(runs, "cpu_seconds"), growths[repr(key)]
        phases = grouped_phases(runs[-1], "cpu_seconds")
        shown.add_row(
            str(key["owners"]),
            f"{key['samples']:,}",
            f"{typical(runs, 'seconds'):.3f}",
            f"{low:.3f}-{high:.3f}",
            "" if factor is None else f"{factor:.2f}",
            f"{cpu:.3f}",
            f"{1e6 * cpu / key['samples']:.2f}",
            f"{typical(runs, 'bytes') / MEGABYTE:.1f}",
            str(runs[-1]["hops"]),
            f"{typical(runs, 'peak_bytes') / MEGABYTE:.0f}",
            *(f"{phases[phase]:.3f}" for phase in PHASES),
            load_of(runs),
            "exact" if all(run["correct"] for run in runs) else "WRONG",
        )
    return shown
