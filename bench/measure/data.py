"""Synthetic studies: owners' lists from a seed, and the value that the pooled data have.

Scores are uniform in [0, 1), as [ppAURORA, section 6] allows; positives become likelier with the
score. With ties, scores are rounded to three decimals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import LayoutRefused

# The unbalanced layout of [ppAURORA, Table 1].
UNBALANCED = (12, 18, 32, 58, 107, 258, 507, 1008)

Scores = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One owner's list."""

    scores: Scores
    labels: Labels


def sizes_of(layout: str) -> tuple[int, ...]:
    """The list lengths of a layout as the paper writes it: `8x1000`, or `8xUNB`."""
    owners, _, each = layout.partition("x")
    try:
        sizes = UNBALANCED if each == "UNB" else (int(each),) * int(owners)
    except ValueError:
        sizes = ()
    if not sizes or len(sizes) != int(owners) or min(sizes) < 1:
        raise LayoutRefused(
            f"{layout} is not a layout",
            advice="Write it as owners x samples, such as 8x1000, or as 8xUNB.",
        )
    return sizes


def synthetic(sizes: Sequence[int], *, seed: int = 1, ties: bool = True) -> list[Sample]:
    """The owners' lists; the same for the same seed."""
    random = np.random.default_rng(seed)
    samples = []
    for size in sizes:
        scores = random.random(size)
        labels = (random.random(size) < 0.2 + 0.6 * scores).astype(np.int64)
        samples.append(Sample(np.round(scores, 3) if ties else scores, labels))
    return samples


def exact(metric: str, samples: Sequence[Sample]) -> Fraction | float | None:
    """What scikit-learn computes on the pooled data; the AUROC as an exact fraction."""
    scores = np.concatenate([sample.scores for sample in samples])
    labels = np.concatenate([sample.labels for sample in samples])
    order = np.argsort(-scores, kind="stable")
    scores, labels = scores[order], labels[order]
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    tp = np.cumsum(labels)[ends]
    before = np.concatenate([[0], tp[:-1]])
    positives, negatives = int(tp[-1]), len(labels) - int(tp[-1])
    if metric.startswith("auroc"):
        if positives == 0 or negatives == 0:
            return None
        fp = ends + 1 - tp
        doubled = (np.diff(fp, prepend=0) * (tp + before)).sum(dtype=np.int64)
        return Fraction(int(doubled), 2 * positives * negatives)
    if positives == 0:
        return None
    precision = tp / (ends + 1)
    if metric == "average_precision":
        return math.fsum((tp - before) / positives * precision)
    earlier = np.concatenate([[1.0], precision[:-1]])
    return math.fsum((tp - before) / positives * (precision + earlier) / 2)


def rounded(value: Fraction | float, decimals: int) -> str:
    """Half up, as a released number is."""
    scaled = math.floor(Fraction(value) * 10**decimals + Fraction(1, 2))
    whole, rest = divmod(scaled, 10**decimals)
    return f"{whole}.{rest:0{decimals}}"
