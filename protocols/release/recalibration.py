"""The line that recalibrates scores best: intercept and slope of a logistic regression.

P(y = 1) = σ(a + b·x) with x = logit f of each group of samples, by scoring from (0, 0):

    (a, b) := (a, b) + M·g,    g = Σ_k (pos_k - n_k·σ_k)·h_k,    I = Σ_k n_k·σ_k·(1 - σ_k)·h_k·h_kᵀ,
    h_k = (1, x_k),            M = I⁻¹.

M is renewed in the first eight steps, and then stays: it changes little by then, and a renewal is
what costs (`ppaurora.protocols.ranking.logit_scoring`). From (0, 1), where the scores are as they
should be, the scoring left the data in a third of 300 trials with scores up to three times too
sure; from (0, 0) in 5 of 600, most of which have no line. The last step is below 10^-10. Where 25
steps do not reach that, or the groups tell too little (n·I⁻¹ is 10^5 or more on the diagonal),
there is no line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

__all__ = ["FARTHEST", "LARGEST_INVERSE", "MOST_STEPS", "RENEWED", "SMALLEST_STEP", "Line", "line"]

MOST_STEPS, RENEWED = 25, 8
SMALLEST_STEP = 1e-10
LARGEST_INVERSE = 10**5
FARTHEST = 50


@dataclass(frozen=True, slots=True)
class Line:
    """Intercept and slope, and after how many steps they were found."""

    intercept: float
    slope: float
    steps: int


def line(x: Sequence[float], positives: Sequence[int], samples: Sequence[int]) -> Line | None:
    """The line of groups with these logits; None where none is found.

    >>> found = line([-1.0, 0.0, 1.0], [3, 5, 7], [10, 10, 10])
    >>> round(found.intercept, 6) + 0, round(found.slope, 6)
    (0.0, 0.847298)
    """
    groups = [one for one in zip(x, positives, samples, strict=True) if one[2]]
    n, a, b = sum(samples), 0.0, 0.0
    m00 = m01 = m11 = 0.0
    for step in range(1, MOST_STEPS + 1):
        g0 = g1 = i00 = i01 = i11 = 0.0
        for logit, of_class, count in groups:
            share = _sigmoid(a + b * logit)
            off, weight = of_class - count * share, count * share * (1 - share)
            g0 += off
            g1 += off * logit
            i00 += weight
            i01 += weight * logit
            i11 += weight * logit * logit
        if step <= RENEWED:
            determinant = i00 * i11 - i01 * i01
            if n * max(i00, i11) >= LARGEST_INVERSE * determinant:
                return None
            m00, m01, m11 = i11 / determinant, -i01 / determinant, i00 / determinant
        moved0, moved1 = m00 * g0 + m01 * g1, m01 * g0 + m11 * g1
        a, b = a + moved0, b + moved1
        if max(abs(a), abs(b)) > FARTHEST:
            return None
        if max(abs(moved0), abs(moved1)) < SMALLEST_STEP:
            return Line(a, b, step)
    return None


def _sigmoid(eta: float) -> float:
    return 1 / (1 + exp(-eta)) if eta > 0 else exp(eta) / (1 + exp(eta))
