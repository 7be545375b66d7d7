"""Sums over the rows above public cuts, of shared rows in any order.

A row is above a cut if its key is that of the cut or higher, and is counted by columns of words
that stay shared: 1 or 0, a label, a score. For each cut c_t and column x

    X_t = Σ_i x_i - Σ_i [key_i - c_t < 0]·x_i ,

one comparison for each row and cut, and one word for each sum: the products of a cut and a column
are added up before they are dealt. Rows stand in public segments, an owner's for instance, and each
segment has sums of its own.

Cuts are worked through in strips of some million comparisons, so that memory does not grow with
their number. Five hops a strip, 36 bytes a comparison of numbers mod 2^32 and 73 of others, of many
up to seven hops, 34 and 62 bytes, and 16 for each bit. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, pairwise

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, sums_of_products
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate, narrowed
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import Scale

STRIP = 1 << 22
"""So many comparisons at once."""


def first_codes(grid: Grid, scale: Scale) -> list[int]:
    """For each cut of the grid the least code whose score is called positive there.

    The cut that speaks most for the positive class comes first. Found by the cells of the scores
    themselves, so that no two ways to read a threshold can differ.

    >>> from fractions import Fraction
    >>> from ppaurora.protocols.grid.grid import Thresholds
    >>> first_codes(Thresholds((Fraction(1, 4), Fraction(1, 2))), Scale.of("decimals:2"))
    [50, 25]
    """
    above = np.arange(1, len(grid))
    low = np.zeros(len(above), np.uint64)
    high = np.full(len(above), scale.top + 1, np.uint64)
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        # where both ends have met nothing changes
        open_ = low < high
        seen = np.minimum(middle, np.uint64(scale.top))
        positive = grid.places(scale.scores(seen)) < above
        high = np.where(open_ & positive, middle, high)
        low = np.where(open_ & ~positive, middle + np.uint64(1), low)
    return [int(code) for code in low.tolist()]


def above_cuts(
    party: Party,
    keys: Shared,
    columns: Sequence[Shared],
    cuts: Sequence[int],
    *,
    ends: Sequence[int],
    narrow: bool = False,
) -> list[list[Shared]]:
    """For each segment and column the sums of the rows with a key of each cut or higher.

    Segments end at `ends`, the last one with the rows. Keys are at least -1, and with `narrow` they
    and the cuts differ by less than 2^31.
    """
    found: list[list[list[Shared]]] = []
    compared: SharedNumbers = narrowed(keys) if narrow else keys
    for strip in _strips(cuts, len(keys)):
        below = is_negative(party, _apart(compared, strip))
        n = len(keys)
        bits = [below[place * n : (place + 1) * n] for place in range(len(strip))]
        found.append(_summed(party, bits, columns, ends))
    sums = []
    for segment, (start, stop) in enumerate(pairwise([0, *ends])):
        totals = [column[start:stop].sum() for column in columns]
        own = []
        for place, total in enumerate(totals):
            under = [one[segment][place] for one in found]
            own.append(
                concatenate([total[:0], *(total.repeat(len(part)) - part for part in under)])
            )
        sums.append(own)
    return sums


def _apart(keys: SharedNumbers, cuts: Sequence[int]) -> SharedNumbers:
    """key_i - c_t of all rows, cut by cut."""
    apart: SharedNumbers = concatenate([keys - cut for cut in cuts])
    return apart


def _strips(cuts: Sequence[int], rows: int) -> list[Sequence[int]]:
    """The cuts in strips of at most so many comparisons, or of one cut each."""
    width = max(1, STRIP // max(1, rows))
    return [cuts[start : start + width] for start in range(0, len(cuts), width)]


def _summed(
    party: Party, bits: Sequence[Shared], columns: Sequence[Shared], ends: Sequence[int]
) -> list[list[Shared]]:
    """For each segment and column Σ bit·x, bit by bit."""
    programs: list[Callable[[Party], list[Shared]]] = []
    for start, stop in pairwise([0, *ends]):
        if stop > start:
            factors = [one[start:stop] for one in (*bits, *columns)]
            programs.append(partial(_of_segment, factors=factors, count=len(bits)))
    filled = iter(side_by_side(party, programs) if programs else [])
    nothing = Shared.zeros(party.role, len(bits))
    return [
        next(filled) if stop > start else [nothing] * len(columns)
        for start, stop in pairwise([0, *ends])
    ]


def _of_segment(party: Party, factors: Sequence[Shared], count: int) -> list[Shared]:
    columns = len(factors) - count
    pairs = [(bit, count + column) for column in range(columns) for bit in range(count)]
    sums = sums_of_products(party, factors, pairs)
    return [concatenate(sums[place * count : (place + 1) * count]) for place in range(columns)]


def above_cuts_cost(
    rows: int, columns: int, cuts: int, *, ends: Sequence[int], narrow: bool = False
) -> Cost:
    """The cost of `above_cuts`."""
    total = Cost()
    for strip in _strips(range(cuts), rows):
        k = len(strip)
        summed = Cost()
        for start, stop in pairwise(chain([0], ends)):
            if stop > start:
                of = sums_of_products.cost(factors=k + columns, pairs=k * columns)
                summed = summed | of.of(stop - start)
        total += is_negative.cost(narrow=narrow).of(k * rows) + summed
    return total
