"""Sums over the rows of a vector: of several sets of counts, one behind the other, each its own.

A statistic over counts is computed for one set of them, or for all replicates of a bootstrap by the
same program: vectors then have a row for each. Products that are added up within a row are opened
one by one, since what is dealt for a whole sum would be for all rows together. Nobody learns
anything. One hop.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import products, sums_of_products
from ppaurora.mpc.shares import Shared, concatenate


def summed(values: Shared, rows: int) -> Shared:
    """The sum of each row; no message."""
    if rows == 1:
        return values.sum()
    up_to = values.cumsum()[np.arange(1, rows + 1) * (len(values) // rows) - 1]
    return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])


def cumulated(values: Shared, rows: int) -> Shared:
    """The sums of the first 1, 2, ... elements of each row; no message."""
    up_to, width = values.cumsum(), len(values) // rows
    if rows == 1:
        return up_to
    ends = up_to[np.arange(1, rows) * width - 1]
    return up_to - spread(concatenate([Shared.zeros(values.role, 1), ends]), width)


def spread(values: Shared, width: int) -> Shared:
    """A number for each row, at each of its places; no message."""
    return values[np.repeat(np.arange(len(values)), width)]


def sums_at(values: Shared, places: NDArray[np.intp], count: int) -> Shared:
    """The sum of the values at each of so many places; no message."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(count), side="right")
    up_to = concatenate([Shared.zeros(values.role, 1), values[order].cumsum()])[ends]
    return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])


def row_sums(
    party: Party, factors: Sequence[Shared], pairs: Sequence[tuple[int, int]], rows: int
) -> list[Shared]:
    """The sums of factors[i]·factors[j] over each row, for each pair (i, j)."""
    if rows == 1:
        return sums_of_products(party, factors, pairs)
    return [summed(one, rows) for one in products(party, factors, pairs)]


def row_sums_cost(n: int, *, factors: int, pairs: int, rows: int) -> Cost:
    """The cost of `row_sums` for rows of so many places."""
    if rows == 1:
        return sums_of_products.cost(factors=factors, pairs=pairs).of(n)
    return products.cost(factors=factors, pairs=pairs).of(n * rows)
