"""The calibration slope of one owner's rows, with its variance, found by the owner in the clear.

    P(y = 1) = σ(a + b·logit f)

as `calibration_slope` has it with its usual 1024 bins: f is the middle of the score's bin, so that
scores of 0 and 1, whose logits are infinite, count as half a bin away from them. b and its
variance, that of the inverse information, are found to some 10^-13 by Newton's method from the line
of `ppaurora.protocols.release.recalibration`, which says when there is none: a class is missing, a
threshold separates the classes, or the scores differ too little.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import exp, fsum, log

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.lists.site_estimate import SiteEstimate
from ppaurora.protocols.release.recalibration import line

BINS = 1024
POLISHING = 3
"""Newton steps from a line whose last step was below 10^-10; the first is enough."""


def own_slope(
    scores: NDArray[np.float64], labels: NDArray[np.integer], higher: bool
) -> SiteEstimate | None:
    """The estimate of these rows; None where there is no line, or its variance is above 8.

    >>> scores = np.array([0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    >>> round(own_slope(scores, np.array([0, 0, 1, 0, 1, 1]), True).θ / 2**40, 2)
    0.5
    """
    bins = _bins(scores, higher)
    samples = np.bincount(bins, minlength=BINS)
    positives = np.bincount(bins, weights=labels, minlength=BINS).astype(np.int64)
    if not 0 < positives.sum() < samples.sum():
        return None
    there = np.flatnonzero(samples)
    x = [log((2 * place + 1) / (2 * BINS - 2 * place - 1)) for place in there.tolist()]
    of_class, counts = positives[there].tolist(), samples[there].tolist()
    found = line(x, of_class, counts)
    if found is None:
        return None
    slope, variance = _polished(found.intercept, found.slope, x, of_class, counts)
    return SiteEstimate.of(Decimal(slope), Fraction(variance))


def _bins(scores: NDArray[np.float64], higher: bool) -> NDArray[np.int64]:
    """The bin of each score, or of 1 - score; BINS is a power of 2, so that nothing is rounded."""
    if higher:
        return np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    # closed at the upper end, as a score of the threshold or lower is called positive
    return BINS - np.maximum(np.ceil(scores * BINS).astype(np.int64), 1)


def _polished(
    a: float, b: float, x: list[float], positives: list[int], samples: list[int]
) -> tuple[float, float]:
    """The slope and its variance a few Newton steps later."""
    groups = list(zip(x, positives, samples, strict=True))
    for _ in range(POLISHING):
        shares = [_sigmoid(a + b * own) for own in x]
        off = [k - n * share for (_, k, n), share in zip(groups, shares, strict=True)]
        weights = [n * p * (1 - p) for n, p in zip(samples, shares, strict=True)]
        g0, g1 = fsum(off), fsum(o * own for o, own in zip(off, x, strict=True))
        i00 = fsum(weights)
        i01 = fsum(w * own for w, own in zip(weights, x, strict=True))
        i11 = fsum(w * own * own for w, own in zip(weights, x, strict=True))
        determinant = i00 * i11 - i01 * i01
        a += (i11 * g0 - i01 * g1) / determinant
        b += (i00 * g1 - i01 * g0) / determinant
    return b, i00 / determinant


def _sigmoid(eta: float) -> float:
    return 1 / (1 + exp(-eta)) if eta > 0 else exp(eta) / (1 + exp(eta))
