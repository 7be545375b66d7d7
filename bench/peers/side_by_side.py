"""Everybody on the same keys, on the same machine, in one run, turn by turn."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ppaurora.bench.errors import LayoutRefused, RunFailed, ToolAbsent
from ppaurora.bench.measure import evaluation
from ppaurora.bench.measure.data import sizes_of, synthetic
from ppaurora.bench.measure.report import Figures
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import LOOPBACK, Hosts
from ppaurora.bench.peers.contestants import CONTESTANTS, Contestant, PeerTerms, measured
from ppaurora.bench.peers.environments import PEERS, Environment, found, made
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.options import Options

AUROC = Options(metrics=("auroc",), decimals=9, merge="network", conditions=LOOPBACK.conditions)
FLOAT32 = replace(AUROC, resolution="float32")
TRUTH = Options(metrics=("auroc",), decimals=15)

PROXIES = "2 proxies and a helper that holds no share, as they are told; no two collude"


@dataclass(frozen=True, slots=True)
class OwnForm:
    """This system in one form."""

    terms: PeerTerms
    options: Options = AUROC
    plain: bool = False


OWN = {
    "ppaurora": OwnForm(
        PeerTerms(
            "the same keys of 64 bits, network merge; the quotient, rounded to 9 decimals",
            PROXIES,
            "list lengths; the rounded quotient",
            "CURVE",
        )
    ),
    "ppaurora, float32": OwnForm(
        PeerTerms(
            "as ppaurora, with keys of 32 bits, which hold the three decimals of these scores",
            PROXIES,
            "list lengths; the rounded quotient",
            "CURVE",
        ),
        FLOAT32,
    ),
    "ppaurora, plain": OwnForm(
        PeerTerms("as ppaurora", PROXIES, "list lengths; the rounded quotient", "none"), plain=True
    ),
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
    for name in names or (*OWN, *CONTESTANTS):
        if name not in OWN and name not in CONTESTANTS:
            raise LayoutRefused(
                f"nobody is called {name}",
                advice=f"Choose from {'; '.join((*OWN, *CONTESTANTS))}.",
            )
        for layout in layouts_of(name, layouts):
            key = {"layout": layout, "contestant": name}
            weight = sum(sizes_of(layout)) * 1e-3
            if name in OWN:
                measure = _measure_own(layout, hosts, OWN[name])
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


def layouts_of(name: str, asked: Sequence[str]) -> tuple[str, ...]:
    """The layouts to measure: what is asked for, as far as the contestant goes, and its line."""
    most = CONTESTANTS[name].most if name in CONTESTANTS else None
    if most is None:
        return tuple(asked)
    within = tuple(layout for layout in asked if sum(sizes_of(layout)) <= most)
    beyond = len(within) < len(asked)
    return tuple(dict.fromkeys((*within, *(CONTESTANTS[name].fit if beyond else ()))))


def _measure_own(layout: str, hosts: Hosts, own: OwnForm) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        with evaluation.outsourced(sizes_of(layout), own.options, ties=True) as study:
            figures = evaluation.measured(
                hosts, study, own.options, plain=own.plain, on_phase=on_phase
            )
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


def terms_of(name: str) -> PeerTerms:
    """The terms of a contestant."""
    return OWN[name].terms if name in OWN else CONTESTANTS[name].terms
