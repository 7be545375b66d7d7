"""Calls of what statistics need beyond sorting and ratios, for the test of memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ppaurora.mpc import Party, Shared, WideShared, primitives
from ppaurora.mpc.streams import Stream
from tests.mpc.statistics_cases import negative_parts_of_vectors

STATISTICS_CALLS: dict[str, Callable[[Party, Shared, Shared], object]] = {
    "lookup": lambda party, x, y: primitives.lookup(party, x, [range(16), range(16)]),
    "negative_parts": lambda party, x, y: primitives.negative_parts(party, x, [y]),
    "negative_parts_in_place": negative_parts_of_vectors,
    "compare_exchange_columns": lambda party, x, y: primitives.compare_exchange_columns(
        party, [x, y], [y, x]
    ),
    "row_order": lambda party, x, y: primitives.row_order(
        party, Shared.public(party.role, np.arange(len(x))), [x]
    ),
    "row_orders": lambda party, x, y: primitives.row_orders(
        party, Shared.public(party.role, np.arange(len(x))), [x], lengths=[len(x)]
    ),
    # of what is larger, fewer elements: about as many words as a million of the others have
    "biased_bits": lambda party, x, y: primitives.biased_bits(
        party, np.full(len(x) // 4, 1 << 60), None if party.is_helper else Stream(bytes(16))
    ),
    "widen": lambda party, x, y: primitives.widen(party, x[: len(x) // 4]),
    "wide_multiply": lambda party, x, y: primitives.wide_multiply(party, wide(x), wide(y)),
    "wide_products": lambda party, x, y: primitives.wide_products(
        party, [wide(x), wide(y)], [(0, 0), (0, 1), (1, 1)]
    ),
    "wide_is_negative": lambda party, x, y: primitives.wide_is_negative(
        party, wide(x[: len(x) // 2])
    ),
    "wide_negative_times": lambda party, x, y: primitives.wide_negative_times(
        party, wide(x[: len(x) // 2]), wide(y[: len(y) // 2])
    ),
    "wide_divide": lambda party, x, y: divided(primitives.wide_divide, party, x, y),
    "wide_divide_to_wide": lambda party, x, y: divided(primitives.wide_divide_to_wide, party, x, y),
    "wide_root": lambda party, x, y: divided(primitives.wide_root, party, x, y),
    "wide_root_to_wide": lambda party, x, y: divided(primitives.wide_root_to_wide, party, x, y),
}


def wide(x: Shared) -> WideShared:
    """The words as the limbs of a quarter as many wide numbers."""
    if not x.present:
        return WideShared.absent(len(x) // 4)
    return WideShared.from_words(x.role, x.words.reshape(4, -1))


def divided(divide: Callable[..., object], party: Party, x: Shared, y: Shared) -> object:
    """Two digits of as many ratios as open a million words: four wide numbers each, at most."""
    ratios = slice(0, len(x) // 16)
    return divide(party, wide(x)[ratios], wide(y)[ratios], digits=2, bound=99, base=2)
