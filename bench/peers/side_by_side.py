"""Everybody on the same keys, on the same machine, in one run, turn by turn."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.table import Table

from ppaurora.bench.errors import LayoutRefused, RunFailed, ToolAbsent
from ppaurora.bench.measure import evaluation
from ppaurora.bench.measure.data import sizes_of, synthetic
from ppaurora.bench.measure.report import Figures, Key, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import LOOPBACK, Hosts
from ppaurora.bench.peers.contestants import CONTESTANTS, Contestant, measured
from ppaurora.bench.peers.environments import PEERS, Environment, found, made
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.options import Options

MEGABYTE = 1e6
OWN = {
    "ppaurora": "this system, network merge; CURVE",
    "ppaurora, plain": "this system, network merge; no encryption",
}


def environments(*, install: bool) -> tuple[dict[str, Environment], dict[str, str]]:
    """The peers that are there, made first if asked for, and why the others are absent."""
    present: dict[str, Environment] = {}
    absent: dict[str, str] = {}
    for peer in PEERS.values():
        try:
            environment = made(peer) if install else found(peer)
        except ToolAbsent as error:
            absent[peer.name] = error.what
            continue
        if environment is None:
            absent[peer.name] = "not installed; --install makes its environment"
        else:
            present[peer.name] = environment
    return present, absent


def rows_to_measure(
    layouts: Sequence[str],
    names: Sequence[str],
    present: dict[str, Environment],
    hosts: Hosts,
    *,
    patience: float,
) -> list[Row]:
    """Every layout by every contestant that is there, this system among them; quick ones first."""
    rows = []
    for layout in layouts:
        for name in names or (*OWN, *CONTESTANTS):
            key = {"layout": layout, "contestant": name}
            weight = sum(sizes_of(layout)) * 1e-3
            if name in OWN:
                measure = _measure_own(layout, hosts, plain="plain" in name)
            elif name not in CONTESTANTS:
                raise LayoutRefused(
                    f"nobody is called {name}",
                    advice=f"Choose from {'; '.join((*OWN, *CONTESTANTS))}.",
                )
            elif CONTESTANTS[name].peer in present:
                contestant = CONTESTANTS[name]
                at = present[contestant.peer]
                key["versions"] = " ".join(f"{name} {of}" for name, of in at.versions.items())
                weight *= contestant.weight
                measure = _measure_peer(layout, contestant, at, patience)
            else:
                continue
            rows.append(Row(key, f"{layout} {name}", weight, measure))
    return sorted(rows, key=lambda row: row.weight)


def _measure_own(layout: str, hosts: Hosts, *, plain: bool) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        with evaluation.outsourced(sizes_of(layout), AUROC, ties=True) as study:
            figures = evaluation.measured(hosts, study, AUROC, plain=plain, on_phase=on_phase)
        value = figures["values"]["auroc"]
        return {**figures, "value": float(value["released"]), "exact": float(value["exact"])}

    return measure


def _measure_peer(
    layout: str, contestant: Contestant, at: Environment, patience: float
) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("")
        with pooled_keys(layout) as (data, true):
            try:
                figures = measured(contestant, at, data, seconds=patience)
            except RunFailed as error:
                return {"failed": error.what}
            return {**figures, "exact": true}

    return measure


AUROC = Options(metrics=("auroc",), decimals=9, merge="network", conditions=LOOPBACK.conditions)
TRUTH = Options(metrics=("auroc",), decimals=15)


@contextmanager
def pooled_keys(layout: str) -> Iterator[tuple[Path, float]]:
    """The owners' sorted keys in a file, and the exact AUROC."""
    keys = [evaluation.keys_of(sample) for sample in synthetic(sizes_of(layout))]
    lists = {
        f"owner{place:05}": np.sort(one.view(np.int64))[::-1] for place, one in enumerate(keys)
    }
    with tempfile.TemporaryDirectory(prefix="ppaurora-peers-") as name:
        path = Path(name, "keys.npz")
        np.savez(path, **lists)  # type: ignore[arg-type]
        yield path, float(str(pooled_values(TRUTH, keys)["auroc"]))


def about(key: Key) -> str:
    """The description of a contestant."""
    name = key["contestant"]
    return OWN[name] if name in OWN else CONTESTANTS[name].about


def table(report: Report) -> Table:
    """A line for each contestant; × is its time over that of this system under encryption."""
    notes = "; ".join(
        f"{name} absent: {why}" for name, why in report.head.get("absent", {}).items()
    )
    shown = Table(title="AUROC with ties, the same keys for all", caption=notes or None)
    shown.add_column("layout")
    shown.add_column("by")
    for name in ("s", "range", "×", "CPU s", "×", "MB", "peak MB", "load", "off by"):
        shown.add_column(name, justify="right")
    shown.add_column("how")
    rows = {(key["layout"], key["contestant"]): (key, runs) for key, runs in report}
    for (layout, name), (key, runs) in rows.items():
        done = [run for run in runs if "failed" not in run]
        if not done:
            shown.add_row(layout, name, "failed", *[""] * 8, runs[-1]["failed"])
            continue
        seconds, cpu = typical(done, "seconds"), typical(done, "cpu_seconds")
        low, high = spread(done, "seconds")
        own = rows.get((layout, "ppaurora"))
        against = [""] * 2
        if own is not None:
            against = [
                f"{seconds / typical(own[1], 'seconds'):.2f}",
                f"{cpu / typical(own[1], 'cpu_seconds'):.2f}",
            ]
        shown.add_row(
            layout,
            name,
            f"{seconds:.3f}",
            f"{low:.3f}-{high:.3f}",
            against[0],
            f"{cpu:.3f}",
            against[1],
            f"{typical(done, 'bytes') / MEGABYTE:.1f}",
            f"{typical(done, 'peak_bytes') / MEGABYTE:.0f}",
            load_of(done),
            f"{abs(done[-1]['value'] - done[-1]['exact']):.1e}",
            about(key),
        )
    return shown
