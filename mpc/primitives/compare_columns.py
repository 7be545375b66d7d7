"""Comparisons that move whole rows: further columns go with the key, in no more hops.

A column y is opened as z_y = y + r_y beside the key, and the helper deals λ·r_y: what
`negative_part` does for x itself follows for every column, for 24 bytes more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.blockwise import Given, Taken, block_by_block, over_blocks
from ppaurora.mpc.primitives.compare import PART, comparison_cost
from ppaurora.mpc.primitives.comparison import NEGATIVE, OpenedBits, Tail, masked_comparison
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


@cache
def _parts(columns: int) -> Tail:
    """`PART` for the key and for each column: λ, then λ·r of each."""

    def deal(wanted: Words, r: Words) -> list[Words]:
        return [wanted, *(wanted * row for row in r)]

    def combine(
        role: Role, e: OpenedBits, z: Words, x: Words, dealt: Sequence[Words]
    ) -> list[Words]:
        bit, *bits_times_masks = dealt
        return [
            part
            for row, product in enumerate(bits_times_masks)
            for part in PART.combine(role, e, z[row:], x[row:], [bit, product])
        ]

    return Tail(words=columns + 2, deal=deal, combine=combine)


def columns_cost(*, columns: int = 1) -> Cost:
    return comparison_cost(NEGATIVE, _parts(columns), vectors=columns + 1)


@costs(columns_cost)
def negative_parts(party: Party, x: Shared, columns: Sequence[Shared]) -> list[Shared]:
    """min(x, 0), then [x < 0]·y for each column y: what a compare-exchange of rows moves."""
    program = partial(masked_comparison, comparison=NEGATIVE, tail=_parts(len(columns)))
    return over_blocks(party, program, x, *columns, outputs=len(columns) + 1)


@costs(columns_cost)
def negative_parts_in_place(
    party: Party, length: int, given: Given, taken: Taken, *, columns: int = 0
) -> None:
    """`negative_parts` of keys and columns that lie anywhere, `given` and `taken` block by block.

    So neither the rows nor what moves need be put together in one vector.
    """
    if length:
        program = partial(masked_comparison, comparison=NEGATIVE, tail=_parts(columns))
        block_by_block(party, program, length, columns + 1, given, taken)


def _exchange(
    party: Party, length: int, *rows: Words | None, tail: Tail
) -> Program[Sequence[Words] | None]:
    half = len(rows) // 2
    a, b = rows[:half], rows[half:]
    differences = [
        None if first is None or second is None else first - second
        for first, second in zip(a, b, strict=True)
    ]
    moved = yield from masked_comparison(
        party, length, *differences, comparison=NEGATIVE, tail=tail
    )
    if moved is None:
        return None
    larger = [first - part for first, part in zip(a, moved, strict=True) if first is not None]
    smaller = [second + part for second, part in zip(b, moved, strict=True) if second is not None]
    return [*larger, *smaller]


@costs(columns_cost)
def compare_exchange_columns(
    party: Party, a: Sequence[Shared], b: Sequence[Shared]
) -> tuple[list[Shared], list[Shared]]:
    """The rows of a and b with the larger key, and those with the smaller one.

    The first vector of each is the key, where |a - b| < 2^63; rows of equal keys stay.
    """
    if not a or len(a) != len(b):
        raise LocalProtocolError(f"rows of {len(a)} and of {len(b)} columns are exchanged")
    program = partial(_exchange, tail=_parts(len(a) - 1))
    moved = over_blocks(party, program, *a, *b, outputs=2 * len(a))
    return moved[: len(a)], moved[len(a) :]
