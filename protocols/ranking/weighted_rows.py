"""Rows of the sorted list that count with secret numbers, as cells.

Row i counts as p_i positives and n_i negatives, words that stay shared: (w·y, w·(1 - y)) of a row
with weight w, and (0, 0) of one that is to count as none. So the sizes of the classes, P = Σ p and
N = Σ n, and their sum are shares, of which only a bound is public. With con = 1 at the last row of
each group of tied scores, prefix sums TP and FP, and T and F their values at the last boundary up
to each row, a row is the cell

    p'_j = T_j - T_(j-1)        n'_j = F_j - F_(j-1)

which has the counts of its whole group where con = 1, and none elsewhere. So each program over
cells of one score each is one over such rows, whatever their order within a group; rows that count
as none change no number, and no statistic looks up a rank or divides by one that is public.

Over the rows with con = 0, T and F are those of the group before: points within a group, which
no threshold separates, are on no curve. Nobody learns anything. Five hops and those of the scan.

`pooled_rows` makes the same cells in the clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops, multiply
from ppaurora.mpc.shares import Shared, SharedNumbers
from ppaurora.protocols.ranking.binned import CellCounts, PooledCounts, between
from ppaurora.protocols.ranking.ties import Labels, compare, steps, ties_cost

CLASSES = 2


def cells_of_rows(
    party: Party,
    scores: SharedNumbers,
    positives: Shared,
    negatives: Shared,
    *,
    most: int,
    few_hops: bool = False,
) -> CellCounts:
    """The cells of rows in descending order of their scores, of which at least one is there.

    A score is any shared number below 2^63, or 2^31 where they are shared mod 2^32, such as
    2·code; what rows count are words, at most `most` < 2^31 in all.
    """
    TP, FP = positives.cumsum(), negatives.cumsum()
    found = compare(party, steps(scores), Labels(positives, TP, TP[-1:], FP[-1:]))
    at_ends = multiply(party, found.con, FP)
    scan = carry_in_few_hops if few_hops else carry
    T, F = scan(party, found.con, [found.V, at_ends])
    return CellCounts(between(T), between(F), most, found.PN)


def cells_of_rows_cost(n: int, *, narrow: bool = False, few_hops: bool = False) -> Cost:
    """The cost of `cells_of_rows` for n rows, whose scores may be shared mod 2^32."""
    scan = carry_in_few_hops if few_hops else carry
    ends = ties_cost(n, way="compare", narrow=narrow) + multiply.cost().of(n)
    return ends + scan.cost(columns=CLASSES).of(n)


def pooled_rows(
    scores: NDArray[Any], positives: Sequence[int], negatives: Sequence[int]
) -> PooledCounts:
    """The same cells in the clear, of rows in any order: one for each score.

    >>> pooled_rows(np.array([1, 3, 3, 2]), [0, 5, 0, 0], [2, 0, 1, 0]).steps
    ((0, 5, 0, 6), (5, 5, 6, 8))
    """
    values, places = np.unique(scores, return_inverse=True)
    found = [[0] * len(values), [0] * len(values)]
    for kind, counts in zip(found, (positives, negatives), strict=True):
        for place, count in zip(places.tolist(), counts, strict=True):
            kind[place] += int(count)
    of_positives, of_negatives = (tuple(reversed(kind)) for kind in found)
    return PooledCounts(of_positives, of_negatives)
