"""Products of shared vectors by Beaver's method: one hop.

Each factor x is opened as d = x - a with a = a0 + a1 from the streams; the helper deals a·b. Then
x·y = d·y + e·a + a·b with d, e public. A factor is opened once however often it is used. The
proxies see uniformly random words, and the helper sees nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import (
    on_blocks,
    over_blocks,
    put_together,
    same_length,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import BLOCK, Words

Pair = tuple[int, int]


def products_cost(*, factors: int, pairs: int) -> Cost:
    """Every factor is opened both ways, and a word a pair is dealt."""
    return Cost.fixed(1, lambda n: (16 * factors + 8 * pairs) * n)


def _products(
    party: Party, length: int, *vectors: Words | None, pairs: Sequence[Pair], summed: bool = False
) -> Program[Sequence[Words] | None]:
    """The products of one block of the vectors, or the sum of each product."""
    shape = (len(vectors), length)
    if party.is_helper:
        _deal_products(party, shape, pairs, summed)
        yield from in_step(1)
        return None
    x = [vector for vector in vectors if vector is not None]
    [a] = party.masks(shape)
    # x - a a second time takes less than its memory for as long as all blocks wait
    received = yield _masked(x, a)
    d = _masked(x, a)
    d += received.reshape(shape)
    del received
    [ab] = party.dealt((len(pairs), 1 if summed else length))
    # x·y = d·y + e·a + a·b
    result = []
    for (i, j), share in zip(pairs, ab, strict=True):
        word = d[i] * x[j]
        word += d[j] * a[i]
        if summed:
            word = _sum(word)
        word += share
        result.append(word)
    return result


def _masked(x: Sequence[Words], a: Words) -> Words:
    """x - a, with a row a factor."""
    masked = np.empty_like(a)
    for row, factor, mask in zip(masked, x, a, strict=True):
        np.subtract(factor, mask, out=row)
    return masked


def _deal_products(
    party: Party, shape: tuple[int, int], pairs: Sequence[Pair], summed: bool
) -> None:
    [(a, a1)] = party.both_masks(shape)
    a += a1
    dealt = [a[i] * a[j] for i, j in pairs]
    party.deal(add=[np.stack([_sum(word) for word in dealt] if summed else dealt)])


def _sum(words: Words) -> Words:
    total: Words = words.sum(keepdims=True, dtype=np.uint64)
    return total


@costs(products_cost)
def products(party: Party, factors: Sequence[Shared], pairs: Sequence[Pair]) -> list[Shared]:
    """factors[i]·factors[j] for each pair (i, j); every factor is opened once."""
    return over_blocks(party, partial(_products, pairs=pairs), *factors, outputs=len(pairs))


@costs(products_cost(factors=2, pairs=1))
def multiply(party: Party, x: Shared, y: Shared) -> Shared:
    """x·y, element by element."""
    return products(party, [x, y], [(0, 1)])[0]


@costs(products_cost(factors=1, pairs=1))
def square(party: Party, x: Shared) -> Shared:
    """x·x, element by element."""
    return products(party, [x], [(0, 0)])[0]


def _block_count(n: int) -> int:
    return -(-n // BLOCK)


def sums_cost(*, factors: int, pairs: int) -> Cost:
    """Every factor is opened both ways, and a word a pair and block is dealt."""
    return Cost.fixed(1, lambda n: 16 * factors * n + 8 * pairs * _block_count(n))


@costs(sums_cost(factors=2, pairs=1))
def inner_product(party: Party, x: Shared, y: Shared) -> Shared:
    """The sum of x·y, a vector of one."""
    length = same_length([x, y])
    if length == 0:
        return Shared.zeros(party.role, 1)
    return sums_of_products(party, [x, y], [(0, 1)])[0]


@costs(sums_cost)
def sums_of_products(
    party: Party, factors: Sequence[Shared], pairs: Sequence[Pair]
) -> list[Shared]:
    """The sum of factors[i]·factors[j] for each pair (i, j), a vector of one."""
    length = same_length(factors)
    if length == 0:
        return [factors[0].sum()] * len(pairs)
    program = partial(_products, pairs=pairs, summed=True)
    sums = on_blocks(party, program, *factors)
    totals = put_together(party, _block_count(length), sums, outputs=len(pairs))
    return [total.sum() for total in totals]
