"""Curves and areas that a receiver makes of noisy counts: they tell nothing that the counts do not.

Counts of both classes in parts of the scores, the highest part first, each with noise of its own
around 0. A count may be negative. Rates are cut off at 0 and 1; where the noise leaves no positives
or no negatives in all, what divides by them is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["AtCut", "along"]


@dataclass(frozen=True, slots=True)
class AtCut:
    """What the counts above a cut point say, and the area under the ROC curve up to there."""

    fpr: Fraction | None
    tpr: Fraction | None
    precision: Fraction | None
    area: Fraction | None


def along(positives: Sequence[int], negatives: Sequence[int]) -> list[AtCut]:
    """At the end of each part, in their order; the last area is the AUROC, ties counted half.

    With p and q in a part and TP before it, the area is Σ q·(2·TP + p) / 2PN: on the average over
    the noise, the numerator is that of the true counts.

    >>> [float(at.area) for at in along([3, 1], [0, 2])]
    [0.0, 0.875]
    """
    P, N = sum(positives), sum(negatives)
    found, TP, FP, won = [], 0, 0, 0
    for p, q in zip(positives, negatives, strict=True):
        won += q * (2 * TP + p)
        TP, FP = TP + p, FP + q
        area = _rate(won, 2 * P * N) if P > 0 and N > 0 else None
        found.append(AtCut(_rate(FP, N), _rate(TP, P), _rate(TP, TP + FP), area))
    return found


def _rate(part: int, whole: int) -> Fraction | None:
    return min(max(Fraction(part, whole), Fraction(0)), Fraction(1)) if whole > 0 else None
