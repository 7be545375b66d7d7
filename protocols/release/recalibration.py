"""The line that recalibrates scores best, and the one of slope 1: by logistic regression.

P(y = 1) = σ(a + b·x) with x = logit f of each group of samples. From (0, 0), in steps

    (a, b) := (a, b) + M·g,    g = Σ_k (pos_k - n_k·σ_k)·h_k,    I = Σ_k n_k·σ_k·(1 - σ_k)·h_k·h_kᵀ,
    h_k = (1, x_k),            M := M·(2 - I·M).

M comes to I⁻¹ by the method of Newton and Schulz, from the public multiple of 1 that is below I⁻¹
for any counts, as Σ_k n_k·h_k·h_kᵀ/4 <= n·(1 + max x²)/4. While M is below I⁻¹ it stays below the
next one, and no step goes too far. Eight steps of M alone come first. At the end, where I and M are
those of the last step but for what is smaller than 10^-10, there is a line if that step was below
10^-10, no entry of I·M - 1 is beyond 1/4, and n·M stays below 10^5 on its diagonal: (a, b) is then
within a third of 10^-10 of the maximum. Else the classes are separated, the groups tell too little,
or 32 steps were too few.

Where a positive is rare, a step moves the intercept by about 1, so that n·I⁻¹ below 10^5 bounds how
many there are: 30 were enough for every one of 4,474 drawn data sets with a maximum in this range,
of 10 to 100,000 samples, any slope to 6, and down to a single positive. With an exact inverse in
its first eight of 25 steps the scoring missed one of twelve.

With the slope held at 1, a Newton step g/I lies between 1 - e^-|δ| and e^|δ| - 1, δ being what is
missing: I changes by at most a factor of e where a moves by 1. A step cut off at 1 goes too far by
less than 0.31, and a shorter one comes nearer, so that 32 and a few find every a from -32 to 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, sqrt

WARMING, MOST_STEPS = 8, 32
SMALLEST_STEP = 1e-10
WORST_PRODUCT = 0.25
LARGEST_INVERSE = 10**5
FARTHEST = 50
OFFSET_STEPS, SMALLEST_OFFSET = 64, 1e-14


@dataclass(frozen=True, slots=True)
class Line:
    """Intercept and slope, their standard errors, and after how many steps they were found."""

    intercept: float
    slope: float
    steps: int
    errors: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Offset:
    """The intercept beside a slope of 1, and its standard error."""

    intercept: float
    error: float


def first_inverse(n: int, farthest: float) -> float:
    """The multiple of 1 that is below I⁻¹ for any n samples with logits no farther from 0."""
    return 4 / (n * (1 + farthest * farthest))


def line(x: Sequence[float], positives: Sequence[int], samples: Sequence[int]) -> Line | None:
    """The line of groups with these logits; None where none is found.

    >>> found = line([-1.0, 0.0, 1.0], [3, 5, 7], [10, 10, 10])
    >>> round(found.intercept, 6) + 0, round(found.slope, 6)
    (0.0, 0.847298)
    """
    groups, n = list(zip(x, positives, samples, strict=True)), sum(samples)
    a = b = 0.0
    m00 = m11 = first_inverse(n, max(map(abs, x)))
    m01, ended = 0.0, 0
    for step in range(1 - WARMING, MOST_STEPS + 1):
        g0 = g1 = i00 = i01 = i11 = 0.0
        for logit, of_class, count in groups:
            share = _sigmoid(a + b * logit)
            off, weight = of_class - count * share, count * share * (1 - share)
            g0 += off
            g1 += off * logit
            i00 += weight
            i01 += weight * logit
            i11 += weight * logit * logit
        t00, t01 = i00 * m00 + i01 * m01, i00 * m01 + i01 * m11
        t10, t11 = i01 * m00 + i11 * m01, i01 * m01 + i11 * m11
        moved0, moved1 = m00 * g0 + m01 * g1, m01 * g0 + m11 * g1
        fits = max(abs(t00 - 1), abs(t01), abs(t10), abs(t11 - 1)) <= WORST_PRODUCT
        tells = n * max(m00, m11) < LARGEST_INVERSE
        m00, m01, m11 = (
            2 * m00 - (m00 * t00 + m01 * t10),
            2 * m01 - (m00 * t01 + m01 * t11),
            2 * m11 - (m01 * t01 + m11 * t11),
        )
        if step <= 0 or ended:
            continue
        a, b = a + moved0, b + moved1
        if max(abs(a), abs(b)) > FARTHEST:
            return None
        if max(abs(moved0), abs(moved1)) < SMALLEST_STEP:
            ended = step
    if not (ended and fits and tells):
        return None
    determinant = i00 * i11 - i01 * i01
    return Line(a, b, ended, (sqrt(i11 / determinant), sqrt(i00 / determinant)))


def offset(x: Sequence[float], positives: Sequence[int], samples: Sequence[int]) -> Offset | None:
    """The intercept beside a slope of 1; None where a class is missing.

    >>> found = offset([-1.0, 0.0, 1.0], [3, 5, 7], [10, 10, 10])
    >>> round(found.intercept, 6) + 0, round(found.error, 6)
    (0.0, 0.394293)
    """
    P, n = sum(positives), sum(samples)
    if not 0 < P < n:
        return None
    groups = [(logit, count) for logit, count in zip(x, samples, strict=True) if count]
    a = 0.0
    for _ in range(OFFSET_STEPS):
        g = P - fsum(count * _sigmoid(a + logit) for logit, count in groups)
        weights = (count * _sigmoid(a + logit) * _sigmoid(-a - logit) for logit, count in groups)
        information = fsum(weights)
        move = max(-1.0, min(1.0, g / information))
        a += move
        if abs(move) < SMALLEST_OFFSET:
            break
    return Offset(a, 1 / sqrt(information))


def _sigmoid(eta: float) -> float:
    return 1 / (1 + exp(-eta)) if eta > 0 else exp(eta) / (1 + exp(eta))
