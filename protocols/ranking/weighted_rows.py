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

Rows of several parts, such as groups of patients, in one order (`cells_of_parts`) have their ties
found once: with numbers of each part, of which a row has some in its own part only, the cells are
those of each part by itself, and added up those of all together. Six hops and those of the scan.

`pooled_rows` makes the same cells in the clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops, is_negative, multiply, products
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate
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
    found = compare(party, steps(scores), Labels(positives, TP, TP[-1:], FP[-1:]), TP)
    at_ends = multiply(party, found.con, FP)
    scan = carry_in_few_hops if few_hops else carry
    T, F = scan(party, found.con, [found.V, at_ends])
    return CellCounts(between(T), between(F), most, found.PN)


def cells_of_rows_cost(n: int, *, narrow: bool = False, few_hops: bool = False) -> Cost:
    """The cost of `cells_of_rows` for n rows, whose scores may be shared mod 2^32."""
    scan = carry_in_few_hops if few_hops else carry
    ends = ties_cost(n, way="compare", narrow=narrow) + multiply.cost().of(n)
    return ends + scan.cost(columns=CLASSES).of(n)


def cells_of_parts(
    party: Party,
    scores: SharedNumbers,
    parts: Sequence[tuple[Shared, Shared]],
    *,
    most: int,
    few_hops: bool = False,
) -> tuple[list[CellCounts], CellCounts]:
    """The cells of each part of such rows, by its positives and negatives; and of all together."""
    n, one = len(scores), Shared.public(party.role, [1])
    con = concatenate([is_negative(party, steps(scores)), one])
    up_to = [counts.cumsum() for part in parts for counts in part]
    at_ends = products(party, [con, *up_to], [(0, place) for place in range(1, len(up_to) + 1)])
    scan = carry_in_few_hops if few_hops else carry
    found = [between(column) for column in scan(party, con, at_ends)]
    totals = [column[n - 1 :] for column in up_to]
    if len(parts) > 1:
        for columns in (found, totals):
            columns += [reduce(add, columns[kind::CLASSES]) for kind in range(CLASSES)]
    PN = multiply(party, concatenate(totals[0::CLASSES]), concatenate(totals[1::CLASSES]))
    cells = [
        CellCounts(positives, negatives, most, PN[place : place + 1])
        for place, (positives, negatives) in enumerate(
            zip(found[0::CLASSES], found[1::CLASSES], strict=True)
        )
    ]
    return cells[: len(parts)], cells[-1]


def cells_of_parts_cost(
    n: int, parts: int, *, narrow: bool = False, few_hops: bool = False
) -> Cost:
    """The cost of `cells_of_parts` for n rows of so many parts."""
    columns = CLASSES * parts
    scan = carry_in_few_hops if few_hops else carry
    compared = is_negative.cost(narrow=narrow).of(n - 1)
    at_ends = products.cost(factors=1 + columns, pairs=columns).of(n)
    pairs = multiply.cost().of(parts + (parts > 1))
    return compared + at_ends + scan.cost(columns=columns).of(n) + pairs


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
