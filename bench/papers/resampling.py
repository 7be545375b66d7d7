"""Estimates of the area under the precision-recall curve, of many resampled lists at once.

A resampled list is a row of weights: how often each sample is in it. With a weight above 1 a sample
is tied with itself, as in a list that has it so often. The numbers are those of
`protocols.statistics.average_precision`, `protocols.statistics.aupr_lower_trapezoid` and
`protocols.release.curve_areas.interpolated_median`, in doubles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.papers.laws import Doubles

Weights = NDArray[np.int64]
Labels = NDArray[np.int64]
_AT_ONCE = 1 << 21


def estimates(weights: Weights, labels: Labels) -> Doubles:
    """The three estimates of every row of weights; labels stand in descending order of scores.

    >>> estimates(np.array([[1, 1, 1]]), np.array([1, 0, 1])).round(4).tolist()
    [[0.8333, 0.2917, 0.3487]]
    """
    many = max(1, _AT_ONCE // labels.size)
    parts = [_estimates(weights[k : k + many], labels) for k in range(0, len(weights), many)]
    return np.concatenate(parts)


def bootstrapped(labels: Labels, count: int, generator: np.random.Generator) -> Iterator[Weights]:
    """Weights of lists that are drawn with replacement, as many of either class as there are."""
    many = max(1, _AT_ONCE // labels.size)
    for first in range(0, count, many):
        rows = min(many, count - first)
        weights = np.zeros((rows, labels.size), np.int64)
        for label in (0, 1):
            places = np.flatnonzero(labels == label)
            drawn = generator.integers(places.size, size=(rows, places.size))
            drawn += places.size * np.arange(rows)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=rows * places.size)
            weights[:, places] = counted.reshape(rows, places.size)
        yield weights


def of_folds(labels: Labels, k: int, generator: np.random.Generator) -> Weights:
    """Weights of k folds at random, with as equal numbers of either class as can be."""
    fold = np.empty(labels.size, np.int64)
    for label in (0, 1):
        places = generator.permutation(np.flatnonzero(labels == label))
        fold[places] = np.arange(places.size) % k
    weights: Weights = (fold == np.arange(k)[:, None]).astype(np.int64)
    return weights


def _estimates(weights: Weights, labels: Labels) -> Doubles:
    """All points of all rows in one run: a point is a sample that is present, J and t there."""
    J, t = np.cumsum(weights, axis=1), np.cumsum(weights * labels, axis=1)
    # nothing is counted before the first positive of a row
    row, place = np.nonzero((weights > 0) & (t > 0))
    J, t = J[row, place], t[row, place]
    starts = np.flatnonzero(labels[place] == 1)
    lengths = np.diff(starts, append=len(place))
    row, t = row[starts], t[starts]
    middle, low = starts + lengths // 2, starts + (lengths - 1) // 2
    # the median of t/J where J rises from start to end of a recall
    medians = (t / J[middle] + t / J[low]) / 2
    again = row[1:] == row[:-1]
    new = np.diff(t, prepend=0)
    new[np.flatnonzero(~again) + 1] = t[1:][~again]
    P = np.bincount(row, new)
    largest, smallest = t / J[starts], t / J[starts + lengths - 1]
    trapezoids = new[1:] * (smallest[:-1] + largest[1:]) / 2
    pieces = _pieces(t / medians, t)
    summed = [
        np.bincount(row, new * largest),
        *(np.bincount(row[1:][again], of[again], len(P)) for of in (trapezoids, pieces)),
    ]
    return np.stack(summed, axis=1) / P[:, None]


def _pieces(J: Doubles, t: NDArray[np.int64]) -> Doubles:
    """(t2 - t1)/h - (J1 - h·t1)/h²·ln(J2/J1), h = (J2 - J1)/(t2 - t1) [Thesis, Eq. 4.9]."""
    with np.errstate(all="ignore"):
        rise = np.diff(t)
        h = np.diff(J) / rise
        above = J[:-1] - h * t[:-1]
        found: Doubles = rise / h - above / h**2 * np.log(J[1:] / J[:-1])
    return found
