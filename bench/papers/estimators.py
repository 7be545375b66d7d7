"""Eight estimators of the area under the precision-recall curve [Thesis, section 4.3], in doubles.

They are those of the statistics and of `protocols.release.curve_areas`, which are exact and too
slow for a hundred thousand lists; a test holds them against each other. Labels stand in descending
order of scores without ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.papers.laws import Doubles, normal

Labels = NDArray[np.int64]
AVERAGE_PRECISION, LOWER, UPPER = "average precision", "lower trapezoid", "upper trapezoid"
MAX, MEAN, MEDIAN = "interpolated max", "interpolated mean", "interpolated median"
HULL, BINORMAL = "convex hull", "binormal"
ESTIMATORS = (AVERAGE_PRECISION, LOWER, UPPER, MAX, MEAN, MEDIAN, HULL, BINORMAL)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)
_RECALLS: Doubles = (_NODES + 1) / 2
_QUANTILES: Doubles = np.array([NormalDist().inv_cdf(float(t)) for t in _RECALLS])
_STANDARD = normal(0, 1)


def eight(scores: Doubles, labels: Labels) -> Mapping[str, float]:
    """Every estimate of one list, by name.

    >>> found = eight(np.array([5.0, 4, 3, 2, 1]), np.array([1, 0, 1, 0, 0]))
    >>> [round(found[name], 4) for name in (AVERAGE_PRECISION, LOWER, UPPER)]
    [0.8333, 0.2917, 0.35]
    """
    order = np.argsort(-scores, kind="stable")
    y = labels[order]
    return {**of_labels(y), BINORMAL: binormal(scores, labels)}


def of_labels(y: Labels) -> Mapping[str, float]:
    """All estimates that depend on the order alone."""
    n, at = y.size, np.flatnonzero(y)
    P = at.size
    t = np.arange(1.0, P + 1)
    precision = np.cumsum(y) / np.arange(1, n + 1)
    # from the place of a positive to the one before the next one the recall is the same
    last = np.append(at[1:] - 1, n - 1)
    lengths = last - at + 1
    largest, smallest = precision[at], precision[last]
    summed = np.add.reduceat(precision, at) if P else np.zeros(0)
    middle, low = at + lengths // 2, at + (lengths - 1) // 2
    median = (precision[middle] + precision[low]) / 2
    return {
        AVERAGE_PRECISION: float(largest.mean()),
        LOWER: float((smallest[:-1] + largest[1:]).sum() / 2 / P),
        UPPER: float((largest[:-1] + smallest[1:]).sum() / 2 / P),
        MAX: _area(t / largest, t),
        MEAN: _area(t / (summed / lengths), t),
        MEDIAN: _area(t / median, t),
        HULL: _area(*_hull(at, last)),
    }


def estimated_curves(scores: Doubles, labels: Labels) -> Mapping[str, tuple[Doubles, Doubles]]:
    """Recalls and precisions along which each estimator takes the area [Thesis, Figure 4.2]."""
    y = labels[np.argsort(-scores, kind="stable")]
    n, at = y.size, np.flatnonzero(y)
    P = at.size
    r = np.arange(1, P + 1) / P
    precision = np.cumsum(y) / np.arange(1, n + 1)
    last = np.append(at[1:] - 1, n - 1)
    largest, smallest = precision[at], precision[last]
    same = [precision[low : high + 1] for low, high in zip(at, last, strict=True)]
    fine: Doubles = np.linspace(r[0], 1, 400)
    steps = np.repeat(np.append(0, r), 2)[1:-1], np.repeat(largest, 2)
    slanted = np.repeat(r, 2)[1:-1]
    falling = np.stack([largest, smallest], axis=1).ravel()[1:-1]
    rising = np.stack([smallest, largest], axis=1).ravel()[1:-1]
    chosen = {
        MAX: largest,
        MEAN: np.array([one.mean() for one in same]),
        MEDIAN: np.array([np.median(one) for one in same]),
    }
    curves = {
        name: (fine, interpolated(r * P / one, r * P, fine * P)) for name, one in chosen.items()
    }
    J, t = _hull(at, last)
    whole: Doubles = np.linspace(0.001, 1, 400)
    x, positive = scores[labels == 0], scores[labels == 1]
    a, b = (positive.mean() - x.mean()) / x.std(), positive.std() / x.std()
    wrong = _STANDARD.survival(a - b * _QUANTILES)
    normal_curve = P * _RECALLS / (P * _RECALLS + (n - P) * wrong)
    return {
        AVERAGE_PRECISION: steps,
        LOWER: (slanted, falling),
        UPPER: (slanted, rising),
        **curves,
        HULL: (whole, interpolated(J, t, whole * P)),
        BINORMAL: (_RECALLS, normal_curve),
    }


def binormal(scores: Doubles, labels: Labels) -> float:
    """[Thesis, Eq. 4.11, erratum 4], with the deviations of the maximum likelihood."""
    x, y = scores[labels == 0], scores[labels == 1]
    share = y.size / labels.size
    a, b = (y.mean() - x.mean()) / x.std(), y.std() / x.std()
    wrong = _STANDARD.survival(a - b * _QUANTILES)
    found = share * _RECALLS / (share * _RECALLS + (1 - share) * wrong)
    return float(_WEIGHTS @ found) / 2


def interpolated(J: Doubles, t: Doubles, recalls: Doubles) -> Doubles:
    """The precision at recalls (in positives) between points (J, t) [Thesis, Thm 4.1]."""
    found: Doubles = recalls / np.interp(recalls, t, J)
    return found


def _area(J: Doubles, t: Doubles) -> float:
    """(t2 - t1)/h - (J1 - h·t1)/h²·ln(J2/J1), h = (J2 - J1)/(t2 - t1) [Thesis, Eq. 4.9]."""
    if J[0] == 0:
        # from the origin on the precision stays that of the first point
        return float(t[1] * t[1] / J[1] / t[-1]) + _pieces(J[1:], t[1:]) / float(t[-1])
    return _pieces(J, t) / float(t[-1])


def _pieces(J: Doubles, t: Doubles) -> float:
    rise = np.diff(t)
    h = np.diff(J) / rise
    return float((rise / h - (J[:-1] - h * t[:-1]) / h**2 * np.log(J[1:] / J[:-1])).sum())


def _hull(at: Labels, last: Labels) -> tuple[Doubles, Doubles]:
    """The corners (j, t) of the convex hull of the ROC curve, from the origin on.

    Only a positive before a negative, and the end, can be one.
    """
    ends = [k for k in range(at.size) if last[k] > at[k] or k == at.size - 1]
    points = [(0, 0), *((int(at[k]) + 1, k + 1) for k in ends)]
    kept: list[tuple[int, int]] = []
    for j, t in points:
        while len(kept) > 1:
            (j1, t1), (j2, t2) = kept[-2], kept[-1]
            if (t - t1) * (j2 - j1) - (t2 - t1) * (j - j1) < 0:
                break
            kept.pop()
        kept.append((j, t))
    corners = np.array(kept, float)
    return corners[:, 0], corners[:, 1]
