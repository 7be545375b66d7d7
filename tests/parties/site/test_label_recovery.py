"""Whatever a default policy accepts, an attacker pins down no more labels than THREATS.md says.

The attacker owns the largest list that the study's rule allows and receives the result. It knows
every score, so the order of all samples, and its own labels. It is given more than the released
texts: the exact number of positives up to every cut at which a number is released, and up to the
place where a rate is reached. What is left are sums of the others' labels between two neighbouring
cuts: linear algebra singles out a label that is alone there, and counting pins down all labels of a
sum that is 0 or as large as it can be. Labels are fair coins, so that nothing is known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.study import ParticipantEntry, Rule, Study
from ppaurora.protocols.disclosure.cells import Cells, others
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.binned import PooledBins
from ppaurora.protocols.statistics.every_label import FromEveryLabel
from tests.parties.sample import study
from tests.protocols import studies

BINS = 1024
OWNERS = tuple(
    ParticipantEntry(f"owner-{number}", Identity.from_private(bytes([number]) * 64).public)
    for number in range(50, 55)
)
RATES = [f"{place / 100:g}" for place in range(1, 100)]
POINTS = [f"{place / BINS:.10f}".rstrip("0") for place in range(1, BINS)]
Generator = np.random.Generator


def some(rng: Generator, of: list[str], count: int) -> str:
    """So many of them with slashes: neighbours, which single out samples, or scattered ones."""
    count = max(1, min(count, len(of)))
    if rng.integers(2):
        start = int(rng.integers(0, len(of) - count + 1))
        return "/".join(of[start : start + count])
    return "/".join(of[place] for place in sorted(rng.choice(len(of), count, replace=False)))


def of_lists(rng: Generator, n: int, cuts: int) -> list[str]:
    """Statistics of the sorted list with about so many cuts together."""
    ranks = [str(place) for place in range(1, n + 1)]
    made = [
        "auroc",
        f"precision_at_top:k={some(rng, ranks, cuts)}",
        f"recall_at_top:k={some(rng, ranks, cuts // 2)}",
        f"sensitivity:at_specificity={some(rng, RATES, cuts // 2)}",
        f"specificity:at_sensitivity={some(rng, RATES, cuts // 3)}",
        f"precision_at_recall:recall={some(rng, RATES, cuts // 2)}",
        f"pauc:max_fpr={rng.choice(RATES)}",
        f"labels_by_rank:samples={n}",
        "youden_max",
    ]
    chance = [0.5, 0.5, 0.4, 0.3, 0.3, 0.3, 0.3, 0.03, 0.3]
    return [text for text, likely in zip(made, chance, strict=True) if rng.random() < likely]


def of_grid(rng: Generator, cuts: int) -> list[str]:
    """Statistics at thresholds with about so many of them together."""
    points = 1 << int(rng.integers(1, 11))
    made = [
        "auroc",
        f"confusion:at={some(rng, POINTS, cuts)}",
        f"ppv:at={some(rng, POINTS, cuts // 2)}",
        f"npv:at={some(rng, POINTS, cuts // 2)}",
        f"net_benefit:at={some(rng, POINTS, cuts // 3)}",
        f"roc_curve:points={points}",
        f"calibration:bins={points}",
    ]
    chance = [0.4, 0.5, 0.3, 0.3, 0.3, 0.12, 0.12]
    return [text for text, likely in zip(made, chance, strict=True) if rng.random() < likely]


def drawn(rng: Generator) -> Study:
    """A study with some rule, statistics and parameters."""
    owners = int(rng.integers(2, 6))
    rule = Rule(
        least_owners=owners,
        least_samples=int(rng.integers(10, 500)),
        least_list=int(rng.integers(1, 60)),
        most_share=float(rng.choice([0.6, 0.8, 0.95, 1.0])),
    )
    plain = study(rule=rule, participants=OWNERS[:owners])
    n = sum(plain.least_sizes)
    cuts = int(rng.integers(0, 2 * Cells().few(plain.least_sizes) + 3))
    kinds = int(rng.integers(1, 4))
    texts = of_grid(rng, cuts) if kinds & 1 else []
    texts += of_lists(rng, n, cuts) if kinds & 2 else []
    some_least = rng.random() < 0.4 and not any("labels" in text for text in texts)
    least = int(rng.integers(1, 8)) if some_least else 1
    options = Options(metrics=tuple(dict.fromkeys(texts)) or ("auroc",), least_cell=least)
    return replace(plain, options=options)


@dataclass(frozen=True)
class Recovered:
    """The findings of the attacker about `unknown` labels of others, in so many `sums`."""

    unknown: int
    sums: int
    alone: int
    pinned: int


def attacked(one: Study, rng: Generator) -> Recovered:
    """The attack on data that the study's rule allows, with a score of its own for each sample."""
    sizes = one.least_sizes
    places = np.sort(rng.choice(BINS, sum(sizes), replace=False))[::-1]
    labels = rng.integers(0, 2, places.size)
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    lists = tuple(
        studies.Owner(((places[owner == own] + 0.5) / BINS).tolist(), labels[owner == own].tolist())
        for own in range(len(sizes))
    )
    uploads = [studies.upload_of(each, one.options) for each in lists]
    pipeline = one.options.pipeline
    pooled = pipeline.plaintext(uploads, list(sizes))
    ends = sorted({0, places.size, *cuts_of(one.options, labels, pooled)})
    foreign = owner != int(np.argmax(sizes))
    sums = [labels[start:end][foreign[start:end]] for start, end in pairwise(ends)]
    told = [each for each in sums if each.size]
    return Recovered(
        int(foreign.sum()),
        len(told),
        sum(each.size == 1 for each in told),
        sum(each.size for each in told if each.sum() in (0, each.size)),
    )


def cuts_of(options: Options, labels: Any, pooled: Any) -> Iterator[int]:
    """After how many samples, the highest score first, a number of positives is told."""
    TP, n = np.cumsum(labels), labels.size
    FP = np.arange(1, n + 1) - TP
    for one in options.statistics:
        if isinstance(one, Cutting):
            counts = options.pipeline.part(one.pipeline, pooled)
            assert isinstance(counts, PooledBins)
            for at in one.thresholds():
                above = counts.above(at)
                yield from [] if above is None else [above.tp + above.fp]
        elif isinstance(one, FromEveryLabel):
            yield from range(1, n + 1)
        elif hasattr(one, "k"):
            yield from (min(k, n) for k in one.k)
        elif hasattr(one, "at_specificity"):
            yield from (int(((1 - at) * FP[-1] >= FP).sum()) for at in one.at_specificity)
        elif hasattr(one, "at_sensitivity"):
            yield from (int((at * TP[-1] > TP).sum()) for at in one.at_sensitivity)
        elif hasattr(one, "recall"):
            yield from (int((at * TP[-1] > TP).sum()) for at in one.recall)
        elif hasattr(one, "max_fpr"):
            yield int((one.max_fpr * FP[-1] >= FP).sum())


def check(count: int, seed: int) -> str:
    """The bounds in so many studies; what was found, in words."""
    rng = np.random.default_rng(seed)
    found, bounds, refused = [], [], []
    for _ in range(count):
        one = drawn(rng)
        cells = Cells.of(one.options)
        few = cells.few(one.least_sizes)
        recovered = attacked(one, rng)
        assert recovered.unknown == others(one.least_sizes)
        try:
            check_study(Policy(), one)
        except PolicyRefusal:
            refused.append(recovered)
            continue
        # a sum that is alone is of a cell that counts, and these are few
        assert recovered.alone <= cells.small <= few, one.options.metrics
        assert recovered.sums <= cells.small or cells.least > 1 or recovered.sums == 1
        found.append(recovered)
        bounds.append(few)
    assert min(len(found), len(refused)) > count // 10
    unknown, pinned = sum(one.unknown for one in found), sum(one.pinned for one in found)
    assert pinned <= sum(bounds)
    lost = sum(one.pinned for one in refused) / sum(one.unknown for one in refused)
    assert lost > pinned / unknown
    return (
        f"{len(found)} accepted: {sum(one.alone for one in found)} labels singled out and {pinned} "
        f"pinned down of {unknown} ({pinned / unknown:.2%}), bound {sum(bounds)}, at most "
        f"{max(one.alone / one.unknown for one in found if one.unknown):.1%} singled out in one; "
        f"{len(refused)} refused: {lost:.1%} pinned down"
    )


def test_a_sample_of_accepted_studies_keeps_its_labels() -> None:
    check(60, 1)


@pytest.mark.soak
def test_two_thousand_studies_keep_their_labels(capsys: pytest.CaptureFixture[str]) -> None:
    told = check(2000, 2)
    with capsys.disabled():
        print(f"\n{told}")
