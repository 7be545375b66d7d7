"""Comparisons that move whole rows: further columns go with the key, in no more hops.

A column y is opened as z_y = y + r_y beside the key, and the helper deals λ·r_y: what
`negative_part` does for x itself follows for every column, for 24 bytes more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.kernels import Choice
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import (
    Given,
    Taken,
    block_by_block,
    over_blocks,
    same_length,
)
from ppaurora.mpc.primitives.compare import choice, chosen, comparison_cost
from ppaurora.mpc.primitives.comparison import NEGATIVE, OpenedBits, Tail, masked_comparison
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


@cache
def _parts(columns: int) -> Tail[Choice]:
    """`PART` for the key and for each column; dealt are λ, then λ·r of each."""

    def deal(wanted: Words, r: Words) -> list[Words]:
        return [wanted, *(wanted * row for row in r)]

    def combine(role: Role, e: OpenedBits, z: Words, dealt: Sequence[Words]) -> list[Choice]:
        bit, *bits_times_masks = dealt
        return [
            choice(e, z_y, bit, product) for z_y, product in zip(z, bits_times_masks, strict=True)
        ]

    return Tail(columns + 2, deal, combine)


def columns_cost(*, columns: int = 1) -> Cost:
    return comparison_cost(NEGATIVE, _parts(columns), vectors=columns + 1)


@costs(columns_cost)
def negative_parts(party: Party, x: Shared, columns: Sequence[Shared]) -> list[Shared]:
    """min(x, 0), then [x < 0]·y for each column y: what a compare-exchange of rows moves."""
    program = partial(chosen, tail=_parts(len(columns)))
    return over_blocks(party, program, x, *columns, outputs=len(columns) + 1)


@costs(columns_cost)
def negative_parts_in_place(
    party: Party, length: int, given: Given, taken: Taken[Choice], *, columns: int = 0
) -> None:
    """`negative_parts` of keys and columns that lie anywhere, `given` and `taken` block by block.

    So neither the rows nor what moves need be put together in one vector, and what moves is
    computed where it is added.
    """
    if length:
        program = partial(masked_comparison, comparison=NEGATIVE, tail=_parts(columns))
        block_by_block(party, program, length, columns + 1, given, taken)


@costs(columns_cost(columns=0))
def compare_exchange(party: Party, a: Shared, b: Shared) -> tuple[Shared, Shared]:
    """(max(a, b), min(a, b)), for |a - b| < 2^63."""
    [larger], [smaller] = _exchanged(party, [a], [b])
    return larger, smaller


@costs(columns_cost)
def compare_exchange_columns(
    party: Party, a: Sequence[Shared], b: Sequence[Shared]
) -> tuple[list[Shared], list[Shared]]:
    """The rows of a and b with the larger key, and those with the smaller one.

    The first vector of each is the key, where |a - b| < 2^63; rows of equal keys stay.
    """
    if not a or len(a) != len(b):
        raise LocalProtocolError(f"rows of {len(a)} and of {len(b)} columns are exchanged")
    return _exchanged(party, a, b)


def _exchanged(
    party: Party, a: Sequence[Shared], b: Sequence[Shared]
) -> tuple[list[Shared], list[Shared]]:
    length = same_length([*a, *b])
    larger, smaller = ([_room(party, length) for _ in a] for _ in range(2))
    sides = list(zip(a, b, larger, smaller, strict=True))

    def given(part: slice) -> list[Words]:
        return [one.words[part] - other.words[part] for one, other, *_ in sides]

    def taken(part: slice, moved: Sequence[Choice]) -> None:
        for one, places in zip(moved, sides, strict=True):
            one.exchange(0, *(place.words[part] for place in places))

    negative_parts_in_place(party, length, given, taken, columns=len(a) - 1)
    return larger, smaller


def _room(party: Party, length: int) -> Shared:
    """A vector to write to."""
    if party.is_helper:
        return Shared.absent(length)
    return Shared.from_words(party.role, np.empty(length, np.uint64))
