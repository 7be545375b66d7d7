"""MUL over Z_2^256, by Beaver's method, and numbers from Z_2^64 to it: one hop each.

Each factor x is opened as d = x - a with a = a0 + a1 from the streams; the helper deals a·b. Then
x·y = d·y + e·a + a·b with d, e public. A factor is opened once however often it is used. The
proxies see uniformly random words.

`widen` takes numbers from Z_2^64 to Z_2^256, exactly: one hop, 80 bytes a number. z = x + r is
opened, r = r0 + r1 from the streams. Over the integers z = x + r or, where the sum
wraps, x + r - 2^64. For x < 2^63 it wraps if and only if r has its top bit t set and z has not:

    x = z - r + 2^64·(1 - top(z))·t,

and the helper deals r and t in Z_2^256. The proxies see uniformly random words only. The way back
costs nothing: the lowest limbs are shares mod 2^64.

Whoever deviates: as in `mpc.primitives.multiply`, with four limbs of a mask for each factor. In
`widen` z is masked by r0 and r1, which are read once, and r and t are dealt beneath the other's
stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.multiply import Pair
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import LIMBS, WIDE_BYTES, minus, plus, times, to_wide
from ppaurora.mpc.words import BLOCK, Words, blocks

BlockProgram = Callable[..., Program[Sequence[Words] | None]]

WIDE_BLOCK = BLOCK // LIMBS
"""Wide numbers that one pass works on: as many words as in a block of words."""


def over_wide_blocks(
    party: Party,
    program: BlockProgram,
    *vectors: Shared | WideShared,
    outputs: int = 1,
    size: int = WIDE_BLOCK,
) -> list[WideShared]:
    """`program(party, length, *words)` on each block of the vectors; its outputs put together.

    A block's words have an axis of limbs where the vector is wide, as all outputs have. On the
    helper the program gets no words and gives none.
    """
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1:
        raise LocalProtocolError(f"vectors of different lengths: {sorted(lengths)}")
    [length] = lengths
    if length == 0:
        return [WideShared.zeros(party.role, 0)] * outputs
    parts = party.lockstep(
        program(
            party,
            part.stop - part.start,
            *(vector.words[..., part] if vector.present else None for vector in vectors),
        )
        for part in blocks(length, size)
    )
    if party.is_helper:
        return [WideShared.absent(length)] * outputs
    present = [part for part in parts if part is not None]
    return [
        WideShared.from_words(
            party.role, np.concatenate([part[output] for part in present], axis=1)
        )
        for output in range(outputs)
    ]


def wide_products_cost(*, factors: int, pairs: int) -> CostFunction:
    return CostFunction.fixed(1, lambda n: WIDE_BYTES * (2 * factors + pairs) * n)


def _products(
    party: Party, length: int, *vectors: Words | None, pairs: Sequence[Pair]
) -> Program[Sequence[Words] | None]:
    shape = (LIMBS, len(vectors), length)
    first, second = (list(places) for places in zip(*pairs, strict=True))
    if party.is_helper:
        a = plus(*next(party.both_masks(shape)))
        party.deal(wide=[times(a[:, first], a[:, second])])
        del a
        yield from in_step(1)
        return None
    x = np.stack([vector for vector in vectors if vector is not None], axis=1)
    [a] = party.masks(shape)
    mine = minus(x, a)
    d = plus(mine, (yield mine).reshape(shape))
    [ab] = party.dealt((LIMBS, len(pairs), length))
    # x·y = d·y + e·a + a·b
    result = plus(times(d[:, first], x[:, second]), times(d[:, second], a[:, first]))
    result = plus(result, ab)
    return [result[:, place] for place in range(len(pairs))]


@costs(wide_products_cost)
def wide_products(
    party: Party, factors: Sequence[WideShared], pairs: Sequence[Pair]
) -> list[WideShared]:
    """factors[i]·factors[j] mod 2^256 for each pair (i, j); every factor is opened once."""
    program = partial(_products, pairs=pairs)
    return over_wide_blocks(party, program, *factors, outputs=len(pairs))


@costs(wide_products_cost(factors=2, pairs=1))
def wide_multiply(party: Party, x: WideShared, y: WideShared) -> WideShared:
    """x·y mod 2^256, element by element."""
    return wide_products(party, [x, y], [(0, 1)])[0]


_TOP, _ONE = np.uint64(63), np.uint64(1)


def _widen(party: Party, length: int, x: Words | None) -> Program[Sequence[Words] | None]:
    if x is None:
        _deal(party, length)
        yield from in_step(1)
        return None
    [mine] = party.masks((1, length))
    mine += x
    [z] = mine + (yield mine)
    r, t = party.dealt((LIMBS, length), (LIMBS, length))
    # x = z - r + 2^64·(1 - top(z))·t
    wrapped = np.zeros_like(t)
    wrapped[1:] = t[:-1] & ((z >> _TOP) - _ONE)
    share = minus(wrapped, r)
    return [plus(share, to_wide(z)) if party.role is Role.P0 else share]


def _deal(party: Party, length: int) -> None:
    """The helper's part: r and its top bit, mod 2^256."""
    [(of_p0, of_p1)] = party.both_masks((1, length))
    [r] = of_p0 + of_p1
    party.deal(wide=[to_wide(r), to_wide(r >> _TOP)])


@costs(CostFunction.fixed(1, lambda n: (16 + 2 * WIDE_BYTES) * n))
def widen(party: Party, x: Shared) -> WideShared:
    """The integers 0 <= x < 2^63 of Z_2^64, shared anew in Z_2^256.

    A signed x is shifted first: widen(x + 2^62) - 2^62 for |x| <= 2^62.
    """
    [wide] = over_wide_blocks(party, _widen, x)
    return wide
