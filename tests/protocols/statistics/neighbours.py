"""Small data sets and their neighbours: every labelling and every order, with ties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from ppaurora.protocols.ranking.ranked import Pooled

Row = tuple[int, int]
Rows = tuple[Row, ...]


def of(rows: Rows) -> Pooled:
    """The pooled list of rows of a score from 0 up and a label."""
    return Pooled.of([np.array([2 * score + label for score, label in rows], np.uint64)])


def neighbours(n: int) -> Iterator[tuple[Rows, Rows]]:
    """All pairs of data sets of n rows that differ in one row.

    Two neighbours have at most n + 1 different rows between them, so as many scores give every
    order that they can have.
    """
    rows = [(score, label) for score in range(n + 1) for label in (0, 1)]
    for rest in combinations_with_replacement(rows, n - 1):
        with_one = [tuple(sorted((*rest, row))) for row in rows]
        yield from ((one, other) for one in with_one for other in with_one if one < other)


def largest_changes(n: int, value: Callable[[Pooled], Fraction]) -> dict[int, Fraction]:
    """The largest changes of a value between neighbours, by the positives of either of them."""
    known: dict[Rows, Fraction] = {}

    def valued(rows: Rows) -> Fraction:
        if rows not in known:
            known[rows] = value(of(rows))
        return known[rows]

    most = dict.fromkeys(range(n + 1), Fraction(0))
    for one, other in neighbours(n):
        change = abs(valued(one) - valued(other))
        for rows in (one, other):
            P = sum(label for _, label in rows)
            most[P] = max(most[P], change)
    return most
