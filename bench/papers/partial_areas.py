"""Three estimators of the two-way partial area as their paper computes them, in doubles.

They are `tpauc` and `tpauc_trimmed` of this system, which are exact; a test holds them against each
other. Here they are what the paper times: one over every pair, two over a sorted list.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from ppaurora.bench.papers.laws import Doubles
from ppaurora.bench.papers.study import Labels, Scores

_AT_ONCE = 1 << 22


def over_pairs(scores: Scores, labels: Labels, least_tpr: float, most_fpr: float) -> float:
    """[tpAUC, Eq. 14]: the share of pairs that are in order, both within the bounds.

    P·N comparisons. An order statistic is the largest whole number below its place, and index 0 is
    -∞ [tpAUC, erratum 2].
    """
    x, y = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    x = x[x <= _order_statistic(x, 1 - least_tpr)]
    y = y[y >= _order_statistic(y, 1 - most_fpr)]
    if not x.size or not y.size:
        return 0.0
    many = max(1, _AT_ONCE // y.size)
    won = sum(int((x[k : k + many, None] > y).sum()) for k in range(0, x.size, many))
    P = int(labels.sum())
    return won / P / (labels.size - P)


def by_three_areas(scores: Scores, labels: Labels, least_tpr: float, most_fpr: float) -> float:
    """[tpAUC, Eq. 24]: from the areas within either bound and the whole one."""
    fpr, tpr = curve(scores, labels)
    if _before(tpr, fpr, least_tpr) > most_fpr:
        return 0.0
    within_fpr = area(fpr, tpr, 0.0, most_fpr)
    # the area right of the curve, above the least rate, is that of the curve with both axes swapped
    within_tpr = (1 - least_tpr) - area(tpr, fpr, least_tpr, 1.0)
    return within_fpr + within_tpr - (area(fpr, tpr, 0.0, 1.0) - least_tpr * (1 - most_fpr))


def by_one_area(scores: Scores, labels: Labels, least_tpr: float, most_fpr: float) -> float:
    """[tpAUC, Eq. 25 and 26]: the area between two rates less a rectangle."""
    fpr, tpr = curve(scores, labels)
    reached = _before(tpr, fpr, least_tpr)
    if reached > most_fpr:
        return 0.0
    return area(fpr, tpr, reached, most_fpr) - least_tpr * (most_fpr - reached)


def curve(scores: Scores, labels: Labels) -> tuple[Doubles, Doubles]:
    """The corners of the ROC curve, from the origin on."""
    order = np.argsort(-scores, kind="stable")
    y = labels[order]
    last = np.append(np.diff(scores[order]) != 0, True)
    t = np.append(0, np.cumsum(y)[last])
    j = np.append(0, np.flatnonzero(last) + 1)
    return (j - t) / (y.size - t[-1]), t / t[-1]


def area(x: Doubles, y: Doubles, low: float, high: float) -> float:
    """Under the line through (x, y) between two places, by trapezoids."""
    inside = slice(np.searchsorted(x, low, side="right"), np.searchsorted(x, high, side="left"))
    X = np.concatenate([[low], x[inside], [high]])
    Y = np.concatenate([[_after(x, y, low)], y[inside], [_before(x, y, high)]])
    return float(((Y[1:] + Y[:-1]) / 2 * np.diff(X)).sum())


def _before(x: Doubles, y: Doubles, place: float) -> float:
    """The height at a place, below a vertical step that is there."""
    k = int(np.searchsorted(x, place, side="left"))
    return _between(x, y, k, place) if x[k] > place else float(y[k])


def _after(x: Doubles, y: Doubles, place: float) -> float:
    """The height at a place, above a vertical step that is there."""
    k = int(np.searchsorted(x, place, side="right"))
    return float(y[k - 1]) if x[k - 1] == place else _between(x, y, k, place)


def _between(x: Doubles, y: Doubles, k: int, place: float) -> float:
    return float(y[k - 1] + (y[k] - y[k - 1]) * (place - x[k - 1]) / (x[k] - x[k - 1]))


def _order_statistic(ordered: Doubles, share: float) -> float:
    """The value that this share of the sorted ones lies below, in the printed sense."""
    k = ceil(round(share * ordered.size, 9)) - 1
    return float(ordered[k - 1]) if k > 0 else -np.inf
