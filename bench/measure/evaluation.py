"""A whole study measured: owners outsource, three parties compute, the result is checked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ppaurora.bench.measure.data import Sample, synthetic
from ppaurora.bench.measure.jobs import uploaded
from ppaurora.bench.measure.report import Figures
from ppaurora.bench.measure.run import OnPhase, run
from ppaurora.bench.networks.networks import Hosts
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.shares import reconstruct
from ppaurora.mpc.words import Words, to_words
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale, encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.pipelines.times import TIME
from ppaurora.protocols.release.values import Released

DIRECTION = "higher"


@dataclass(frozen=True, slots=True)
class OutsourcedStudy:
    """The shares that owners left for the proxies, and the values of the pooled data."""

    sizes: tuple[int, ...]
    folder: Path
    truth: dict[str, Released]
    owner_seconds: float
    upload_bytes: int


def keys_of(sample: Sample, scale: Scale = PROBABILITIES) -> Words:
    """A synthetic list, encoded, with the scores that the scale has next to it."""
    return encode(scale.scores(scale.codes(sample.scores)), sample.labels, scale)


@contextmanager
def outsourced(
    sizes: tuple[int, ...], options: Options, *, ties: bool, seed: int = 1
) -> Iterator[OutsourcedStudy]:
    """A synthetic study whose shares lie in a folder, until the end.

    Where models are compared, the other scores of the same rows come from the next seeds; times are
    drawn evenly over the cells of their grid.
    """
    samples = synthetic(sizes, seed=seed, ties=ties)
    scale = options.scale
    columns = [[keys_of(sample, scale) for sample in samples]]
    if OTHER_SCORES in options.pipeline.columns:
        seeds = range(seed + 1, seed + options.models)
        drawn = [synthetic(sizes, seed=own, ties=ties) for own in seeds]
        columns.append(
            [
                np.stack(
                    [keys_of(Sample(other.scores, one.labels), scale) for other in others], axis=1
                )
                for one, *others in zip(samples, *drawn, strict=True)
            ]
        )
    if TIME in options.pipeline.columns:
        rng = np.random.default_rng(seed)
        cells = [rng.integers(0, len(options.times), len(one.labels)) for one in samples]
        columns.append([own.astype(np.uint64) for own in cells])
        columns.append([one.labels.astype(np.uint64) for one in samples])
    lists = [*zip(*columns, strict=True)]
    with shared(sizes, options, lambda: [options.pipeline.upload(keys) for keys in lists]) as study:
        yield study


@contextmanager
def shared(
    sizes: tuple[int, ...], options: Options, make: Callable[[], Sequence[Words]]
) -> Iterator[OutsourcedStudy]:
    """A study whose uploads `make` gives in the clear; their shares lie in a folder."""
    with tempfile.TemporaryDirectory(prefix="ppaurora-bench-") as name:
        folder = Path(name)
        began = time.perf_counter()
        sent = 0
        uploads = make()
        for owner, words in enumerate(uploads):
            form = options.pipeline.form(sizes[owner])
            for role, share in split(words, form=form).items():
                sent += (folder / f"{owner}.{role}").write_bytes(share.view())
        seconds = time.perf_counter() - began
        yield OutsourcedStudy(sizes, folder, pooled_values(options, uploads), seconds, sent)


def measured(
    hosts: Hosts,
    study: OutsourcedStudy,
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
    return {
        **done.figures(),
        "owner_seconds": study.owner_seconds,
        "upload_bytes": study.upload_bytes,
        **_values(study, options, words),
    }


def counted(study: OutsourcedStudy, options: Options, generator: np.random.Generator) -> Figures:
    """The hops and bytes of one run over links in memory, without the check of the lists; each
    released value and the true one.

    Bytes are payload and headers: what keeps real links going is a few hundred bytes more. The
    session's keys come from the generator, so that the same one gives the same figures.
    """
    forms = [options.pipeline.form(size) for size in study.sizes]

    def program(party: Party) -> tuple[int, int, dict[str, list[int]]]:
        uploads = uploaded(party, study.folder, forms)
        results = evaluate(party, options, uploads, sizes=study.sizes, check=False).results
        sent = [link.counters for link in party.links.values()]
        return (
            party.hops,
            sum(each.bytes_sent + each.header_bytes_sent for each in sent),
            {}
            if party.is_helper
            else {text: result.words.tolist() for text, result in results.items()},
        )

    keys: dict[Role, dict[Role, bytes]] = {role: {} for role in Role}
    for role, peer in PAIRS:
        keys[role][peer] = keys[peer][role] = generator.bytes(32)
    lasting = {role: generator.bytes(32) for role in Role}
    found = run_local(program, session_keys=keys, lasting_keys=lasting)
    hops, sent, words = zip(*found, strict=True)
    return {
        "hops": max(hops[Role.P0], hops[Role.P1]),
        "bytes": sum(sent),
        "parties": {str(role): {"bytes": sent[role]} for role in Role},
        **_values(study, options, words[:2]),
    }


def _values(
    study: OutsourcedStudy, options: Options, words: Sequence[Mapping[str, Sequence[int]]]
) -> Figures:
    """The values that both proxies' words release, beside those of the pooled data."""
    values: dict[str, dict[str, str]] = {}
    for text, statistic in zip(options.texts, options.statistics, strict=True):
        shares = [to_words(answer[text]) for answer in words]
        released = statistic.decode(reconstruct(*shares).tolist(), options.decimals)
        values[text] = {"released": str(released), "exact": str(study.truth[text])}
    right = all(value["released"] == value["exact"] for value in values.values())
    return {"values": values, "correct": right}
