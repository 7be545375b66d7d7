"""The ROC curve of [FedCurve]: quantiles of both classes from noisy trees of counts.

X. Xu and G. Cormode, *Federated computation of ROC and PR curves*. The scores of either class are
counted in halves, quarters and so on of the range, h = ⌈log₂ Q⌉ + 2 levels. One sample counts once
on each level, so every count gets two-sided geometric noise of scale h/ε, of which each client adds
a part. The counts are made to agree from level to level by weighted means (Hay et al., 2010), Q
equidistant quantiles are read from the tree, a monotone cubic (PCHIP) through them is the
distribution function, and both functions are the curve.

Its promise: without noise the area between this curve and the true one is of the order 1/Q. A
distribution function that is monotone and right at Q quantiles is never off by more than 1/(Q - 1),
and moving a monotone curve by at most d0 to the side and d1 up moves its area by at most d0 + d1:
so 2/(Q - 1) bounds it.

Written anew from the paper and from what its authors' program computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import ceil, log2
from typing import Any

import numpy as np

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers.laws import Doubles

Counts = Doubles
GRID = 4000


def bound(quantiles: int) -> float:
    """The largest area between the curve and the true one, without noise.

    >>> bound(21)
    0.1
    """
    return 2 / (quantiles - 1)


def height(quantiles: int) -> int:
    """The levels of a tree for so many quantiles."""
    return ceil(log2(quantiles)) + 2


def geometric(scale: float, size: int, generator: np.random.Generator) -> Doubles:
    """Two-sided geometric noise, Pr(i) ~ e^(-|i|/scale); none at scale 0."""
    if not scale:
        return np.zeros(size)
    drawn = generator.geometric(1 - np.exp(-1 / scale), (2, size))
    found: Doubles = (drawn[0] - drawn[1]).astype(float)
    return found


def tree(
    scores: Doubles, levels: int, scale: float, generator: np.random.Generator
) -> list[Counts]:
    """Noisy counts in 2, 4, ... parts of [0, 1], made to agree with each other."""
    finest, _ = np.histogram(scores, np.linspace(0, 1, 2**levels + 1))
    exact = [finest.reshape(2**level, -1).sum(axis=1) for level in range(1, levels + 1)]
    noisy = [one + geometric(scale, one.size, generator) for one in exact]
    return agreeing(noisy)


def agreeing(levels: Sequence[Counts]) -> list[Counts]:
    """The counts of least variance in which each is the sum of its two halves.

    >>> [one.round(3).tolist() for one in agreeing([np.array([4.0, 0]), np.array([1.0, 1, 0, 0])])]
    [[3.333, 0.0], [1.667, 1.667, 0.0, 0.0]]
    """
    found = [one.astype(float) for one in levels]
    h = len(found)
    for level in range(h - 2, -1, -1):
        below = h - level
        weight = (2**below - 2 ** (below - 1)) / (2**below - 1)
        sums = found[level + 1].reshape(-1, 2).sum(axis=1)
        found[level] = weight * found[level] + (1 - weight) * sums
    for level in range(1, h):
        off = (found[level - 1] - found[level].reshape(-1, 2).sum(axis=1)) / 2
        found[level] = found[level] + np.repeat(off, 2)
    return found


def quantiles_of(levels: Sequence[Counts], quantiles: int) -> Doubles:
    """Equidistant quantiles, from 0 to 1, by going down the tree; within the last part on a line.

    >>> quantiles_of([np.array([1.0, 3]), np.array([0.0, 1, 3, 0])], 3).round(3).tolist()
    [0.0, 0.583, 0.75]
    """
    total, parts = max(0.0, float(levels[0].sum())), levels[-1].size
    places = []
    for share in np.linspace(0, 1, quantiles):
        left, node = share * total, 0
        for counts in levels:
            first = max(0.0, float(counts[2 * node]))
            right = first < left
            left -= first if right else 0
            node = 2 * node + right
        inside = max(0.0, float(levels[-1][node]))
        places.append((node + (min(1.0, left / inside) if inside else 0)) / parts)
    found: Doubles = np.maximum.accumulate(np.array(places))
    return found


def distribution(places: Doubles, at: Doubles) -> Doubles:
    """The distribution function through equidistant shares at these places."""
    shares = np.linspace(0, 1, places.size)
    last = np.append(np.diff(places) > 1e-12, True)
    x, y = places[last], shares[last]
    if x.size < 2:
        step: Doubles = (at >= x[0]).astype(float)
        return step
    curve = _pchip()(x, y, extrapolate=False)(at)
    found: Doubles = np.where(at < x[0], 0.0, np.where(at > x[-1], 1.0, curve))
    return found


def roc(
    positives: Doubles,
    negatives: Doubles,
    quantiles: int,
    scale: float,
    generator: np.random.Generator,
) -> tuple[Doubles, Doubles]:
    """Both rates at falling thresholds."""
    at = np.linspace(1, 0, GRID)
    rates = [
        1
        - distribution(
            quantiles_of(tree(scores, height(quantiles), scale, generator), quantiles), at
        )
        for scores in (negatives, positives)
    ]
    return rates[0], rates[1]


def area_error(
    fpr: Doubles, tpr: Doubles, positives: Doubles, negatives: Doubles, parts: int = GRID
) -> float:
    """The area between a curve and the true one, at the middles of equal parts."""
    t = (np.arange(parts) + 0.5) / parts
    found = np.interp(t, *_monotone(fpr, tpr))
    # the threshold that a share t of the negatives exceeds
    ordered = np.sort(negatives)[::-1]
    cut = ordered[np.minimum((t * ordered.size).astype(int), ordered.size - 1)]
    true = 1 - np.searchsorted(np.sort(positives), cut, side="right") / positives.size
    return float(np.abs(found - true).mean())


def _monotone(fpr: Doubles, tpr: Doubles) -> tuple[Doubles, Doubles]:
    """From (0, 0) to (1, 1), neither rate ever falling."""
    x = np.maximum.accumulate(np.concatenate([[0], np.clip(fpr, 0, 1), [1]]))
    y = np.maximum.accumulate(np.concatenate([[0], np.clip(tpr, 0, 1), [1]]))
    return x, y


def _pchip() -> Any:
    try:
        return import_module("scipy.interpolate").PchipInterpolator
    except ImportError:
        raise ToolAbsent(
            "this experiment needs scipy", advice="Install it with: pip install scikit-learn"
        ) from None
