"""A whole study measured: owners outsource, three parties compute, the result is checked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ppaurora.bench.measure.data import Sample, exact, rounded, synthetic
from ppaurora.bench.measure.report import Figures
from ppaurora.bench.measure.run import OnPhase, run
from ppaurora.bench.networks.networks import Hosts
from ppaurora.mpc.local import reconstruct
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words, as_signed, to_words
from ppaurora.protocols.lists.encoding import encode
from ppaurora.protocols.lists.outsourcing import descending, split
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.decimals import release


@dataclass(frozen=True, slots=True)
class Study:
    """What the owners left for the proxies, and what the pooled data's values are."""

    sizes: tuple[int, ...]
    folder: Path
    truth: dict[str, Fraction | float | None]
    owner_seconds: float
    upload_bytes: int


def keys_of(sample: Sample) -> Words:
    """A synthetic list, encoded."""
    return encode(sample.scores, sample.labels, code="unit", direction="higher")


@contextmanager
def outsourced(
    sizes: tuple[int, ...], metrics: tuple[str, ...], *, ties: bool, seed: int = 1
) -> Iterator[Study]:
    """A synthetic study whose shares lie in a folder, until the end."""
    samples = synthetic(sizes, seed=seed, ties=ties)
    with tempfile.TemporaryDirectory(prefix="ppaurora-bench-") as name:
        folder = Path(name)
        began = time.perf_counter()
        sent = 0
        for owner, sample in enumerate(samples):
            for role, share in split(descending(keys_of(sample))).items():
                sent += (folder / f"{owner}.{role}").write_bytes(share.to_bytes())
        seconds = time.perf_counter() - began
        truth = {metric: exact(metric, samples) for metric in metrics}
        yield Study(sizes, folder, truth, seconds, sent)


def measured(
    hosts: Hosts,
    study: Study,
    options: Options,
    *,
    plain: bool = False,
    check: bool = False,
    on_phase: OnPhase | None = None,
) -> Figures:
    """One run over the study: its figures, each released value and the true one.

    Without `check` the proxies' check of the lists is left out, as the paper has none.
    """
    job = {
        "job": "evaluation",
        "uploads": str(study.folder),
        "sizes": list(study.sizes),
        "options": asdict(options),
        "check": check,
    }
    done = run(hosts, job, plain=plain, on_phase=on_phase)
    words = [done.answer(role)["words"] for role in (Role.P0, Role.P1)]
    values: dict[str, Any] = {}
    for metric in options.metrics:
        shares = [to_words([answer[metric]]) for answer in words]
        word = int(as_signed(reconstruct(*shares))[0])
        result = release(metric, word, decimals=options.decimals, samples=sum(study.sizes))
        truth = study.truth[metric]
        expected = None if truth is None else rounded(truth, options.decimals)
        values[metric] = {"released": result.value, "exact": expected}
    return {
        **done.figures(),
        "owner_seconds": study.owner_seconds,
        "upload_bytes": study.upload_bytes,
        "values": values,
        "correct": all(value["released"] == value["exact"] for value in values.values()),
    }
