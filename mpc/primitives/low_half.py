"""The lower 32 bits of a shared number: shares mod 2^32 lifted to Z_2^64, by one comparison.

The lower halves x0 and x1 of a word's shares are shares of x mod 2^32, two of which travel in a
word. They are masked mod 2^32 by r0 and r1, which the proxies draw and the helper knows, and opened
as z = x + r. As in `ppaurora.mpc.primitives.comparison` the proxies find shares of the borrow
c = [z < r] and open e = c xor λ. With r = r0 + r1 - 2^32·k and c = e + (1 - 2e)·λ,

    x = z - r + 2^32·c = z - r0 - r1 + 2^32·(k + e + (1 - 2e)·λ).

Of k and λ only shares mod 2^32 are needed, as they are multiplied by 2^32. So a number takes 40
bytes, and two comparisons of 64 bits, which would tell whether it is below 2^32, 149; of many 37
and 138.

Nobody learns anything. Whatever the word was, the result is below 2^32: its owner can have chosen
no other number.

Whoever deviates: z1, each wire and e lie beneath a word or bit of P1's stream that is read once, so
that P0 sees random words whatever it sent before, and the same the other way round; what is dealt
lies beneath the other's stream. A wrong message makes another number, which nothing here shows.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ppaurora.mpc.bits import crop, uncrop
from ppaurora.mpc.cost import costs
from ppaurora.mpc.kernels import OpenedBits
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.primitives.comparison import (
    Comparison,
    best_tree,
    gates_cost,
    joined,
    products_of_masks,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import HALF_BYTES, ColumnLayout, Words

HALF = np.uint64(32)
BORROW = Comparison(best_tree(1, 32, numbers=2))
"""[z < r] of numbers mod 2^32."""


@costs(gates_cost(BORROW.of, opened=(HALF_BYTES,), dealt=(HALF_BYTES,) * 2))
def low_half(party: Party, x: Shared) -> Shared:
    """x mod 2^32, as a number of Z_2^64."""
    program = partial(_lifted, comparison=BORROW.of(len(x)))
    [half] = over_blocks(party, program, x, size=BORROW.block)
    return half


def _deal(party: Party, length: int, layout: ColumnLayout, comparison: Comparison) -> None:
    """The helper's part for so many numbers."""
    shapes = [*comparison.mask_shapes(length, layout.words), comparison.bit_shape(length)]
    *masks, (of_p0, of_p1) = party.both_masks(*shapes)
    (r0, _), *_ = masks
    r, dealt = products_of_masks(comparison, layout, iter(masks))
    bits = OpenedBits(of_p0 ^ of_p1, None, length).numbers()
    overflows = r.view(np.uint32) < r0.view(np.uint32)
    columns = [bits, overflows[:length].astype(np.uint32)]
    party.deal(
        xor=dealt,
        add=ColumnLayout(length, (HALF_BYTES,) * 2).sections(columns),
    )


def _lifted(
    party: Party, length: int, x: Words | None, *, comparison: Comparison
) -> Program[list[Words] | None]:
    """`low_half` on one block."""
    layout = ColumnLayout(length, (HALF_BYTES,))
    if party.is_helper or x is None:
        _deal(party, length, layout, comparison)
        yield from in_step(comparison.exchanges)
        return None
    words, more = layout.words, ColumnLayout(length, (HALF_BYTES,) * 2)
    masks = party.masks(*comparison.mask_shapes(length, words), comparison.bit_shape(length))
    mine = next(masks)
    [r] = layout.columns(mine.copy())
    [masked] = layout.columns(mine)
    masked += x.astype(np.uint32)
    more_dealt = [(size,) for size in more.sizes]
    opened, borrow, dealt = yield from joined(
        party, length, mine, layout, comparison, masks, more_dealt
    )
    # e = c xor λ
    borrow ^= next(masks)
    planes = borrow ^ uncrop((yield crop(borrow, words)), len(borrow), words)
    e = OpenedBits(planes, None, length).numbers()
    [z], (of_bit, of_overflow) = layout.columns(opened), more.of_sections(dealt)
    borrows = of_overflow + np.where(e, np.negative(of_bit), of_bit)
    half = np.negative(r.astype(np.uint64))
    if party.role is Role.P0:
        borrows += e
        half += z
    half += borrows.astype(np.uint64) << HALF
    return [half]
