"""Products over Z_2^256 by Beaver's method: one hop, as `mpc.primitives.multiply` over Z_2^64.

Each factor x is opened as d = x - a with a = a0 + a1 from the streams; the helper deals a·b. Then
x·y = d·y + e·a + a·b with d, e public. A factor is opened once however often it is used. The
proxies see uniformly random words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.multiply import Pair
from ppaurora.mpc.primitives.wide_blocks import over_wide_blocks
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import LIMBS, WIDE_BYTES, minus, plus, times
from ppaurora.mpc.words import Words


def wide_products_cost(*, factors: int, pairs: int) -> Cost:
    return Cost.fixed(1, lambda n: WIDE_BYTES * (2 * factors + pairs) * n)


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
