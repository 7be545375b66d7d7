"""MUL: products of shared vectors, of two factors by Beaver's method or of many: one hop.

Products of two factors are of words, or of numbers mod 2^32, two of which share a word.

[ppAURORA, section 4, MUL]. Each factor x is opened as d = x - a with a = a0 + a1 from the streams;
the helper deals a·b. Then x·y = d·y + e·a + a·b with d, e public. A factor is opened once however
often it is used. The proxies see uniformly random words, and the helper sees nothing.

With any number of factors, x = d + a makes a product a sum over the subsets T of its factors,

    Π_i x_i = Σ_T Π_(i not in T) d_i · Π_(i in T) a_i,

of public words times products of masks, of which the helper deals shares: 2^k - k - 1 words for k
factors, where no other product has them already. The proxies see uniformly random words.

So Σ w·x² and Σ w·x take one hop: of w = d + a and x = e + b

    x² = e·x + e·b + b²      w·x = d·x + e·a + a·b      w·x² = d·x² + e²·a + 2·e·a·b + a·b²,

where b² and a·b are dealt for every element and Σ a·b² for a block.

Whoever deviates: x1 - a1 is masked by a1, which P1 reads once and P0 never sees, and so the other
way round; a·b is dealt beneath the other's stream. Wrong words add to the product multiples of y,
so of something shared, and no message shows it. A helper that deals another product adds what it
likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import (
    on_blocks,
    over_blocks_in,
    put_together,
    same_length,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import InRing, Shared, is_narrow
from ppaurora.mpc.words import (
    BLOCK,
    HALF_BYTES,
    STRIP,
    WORD_BYTES,
    Column,
    ColumnLayout,
    Words,
    blocks,
)

Pair = tuple[int, int]


def products_cost(*, factors: int, pairs: int, narrow: bool = False) -> CostFunction:
    """Every factor is opened both ways, and a number a pair is dealt."""
    return CostFunction.fixed(1, lambda n: (16 * factors + 8 * pairs) * _words_of(n, narrow))


def _words_of(numbers: int, narrow: bool) -> int:
    return -(-numbers // 2) if narrow else numbers


def _products(
    party: Party,
    length: int,
    *vectors: Column | None,
    pairs: Sequence[Pair],
    summed: bool = False,
    narrow: bool = False,
) -> Program[Sequence[Column] | None]:
    """The products of one block of the vectors, or the sum of each product."""
    size = HALF_BYTES if narrow else WORD_BYTES
    opened = ColumnLayout(length, (size,) * len(vectors))
    dealt = ColumnLayout(1 if summed else length, (size,) * len(pairs))
    if party.is_helper:
        _deal_products(party, opened, dealt, pairs, summed)
        yield from in_step(1)
        return None
    x = [vector for vector in vectors if vector is not None]
    [of_masks] = party.masks((opened.words,))
    a = opened.columns(of_masks)
    # x - a a second time takes less than its memory for as long as all blocks wait
    received = opened.columns((yield _masked(x, a, opened)))
    [of_deal] = party.dealt((dealt.words,))
    shares = dealt.columns(of_deal)
    results = [np.empty(length, share.dtype) for share in shares]
    for part in blocks(length, STRIP):
        d = [one[part] - mask[part] for one, mask in zip(x, a, strict=True)]
        for each, other in zip(d, received, strict=True):
            each += other[part]
        # x·y = d·y + e·a + a·b
        for (i, j), share, result in zip(pairs, shares, results, strict=True):
            product = np.multiply(d[i], x[j][part], out=result[part])
            product += d[j] * a[i][part]
            if not summed:
                product += share[part]
    if not summed:
        return results
    return [_sum(result) + share for result, share in zip(results, shares, strict=True)]


def _masked(x: Sequence[Column], a: Sequence[Column], layout: ColumnLayout) -> Words:
    """The words that hold x - a, a column a factor."""
    masked = layout.room()
    for column, factor, mask in zip(layout.columns(masked), x, a, strict=True):
        np.subtract(factor, mask, out=column)
    return masked


def _deal_products(
    party: Party, opened: ColumnLayout, dealt: ColumnLayout, pairs: Sequence[Pair], summed: bool
) -> None:
    [(of_p0, of_p1)] = party.both_masks((opened.words,))
    masks = list(zip(opened.columns(of_p0), opened.columns(of_p1), strict=True))
    words = dealt.room()
    columns = dealt.columns(words)
    if summed:
        columns = [np.empty(opened.n, column.dtype) for column in columns]
    for part in blocks(opened.n, STRIP):
        a = [one[part] + other[part] for one, other in masks]
        for (i, j), column in zip(pairs, columns, strict=True):
            np.multiply(a[i], a[j], out=column[part])
    if summed:
        for room, column in zip(dealt.columns(words), columns, strict=True):
            room[:] = _sum(column)
    party.deal(add=[words.view(columns[0].dtype)])


def _sum(column: Column) -> Column:
    total: Column = column.sum(keepdims=True, dtype=column.dtype)
    return total


@costs(products_cost)
def products(party: Party, factors: Sequence[InRing], pairs: Sequence[Pair]) -> list[InRing]:
    """factors[i]·factors[j] for each pair (i, j), in their ring; every factor is opened once."""
    ring, narrow = factors[0], is_narrow(factors[0])
    size = 2 * BLOCK if narrow else BLOCK
    program = partial(_products, pairs=pairs, narrow=narrow)
    return over_blocks_in(ring, party, program, *factors, outputs=len(pairs), size=size)


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


def sums_cost(*, factors: int, pairs: int) -> CostFunction:
    """Every factor is opened both ways, and a word a pair and block is dealt."""
    return CostFunction.fixed(1, lambda n: 16 * factors * n + 8 * pairs * _block_count(n))


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


def weighted_squares_cost(*, pairs: int) -> CostFunction:
    """Both factors of a pair are opened both ways, two words dealt, and one for each block."""
    return CostFunction.fixed(1, lambda n: 8 * pairs * (6 * n + _block_count(n)))


@costs(weighted_squares_cost)
def sums_of_weighted_squares(
    party: Party, length: int, read: Callable[[slice], Sequence[Words]], *, pairs: int
) -> list[tuple[Shared, Shared]]:
    """Σ w·x² and Σ w·x for each of so many pairs, vectors of one.

    `read` gives a proxy's shares of these elements: of all w, then of the x of each. It is called
    twice, so that no block keeps them while all wait.
    """
    if length == 0:
        return [(Shared.zeros(party.role, 1),) * 2] * pairs
    sums = party.lockstep(_weighted_squares(party, part, read, pairs) for part in blocks(length))
    totals = put_together(party, _block_count(length), sums, outputs=2 * pairs)
    return [(one.sum(), other.sum()) for one, other in zip(totals[::2], totals[1::2], strict=True)]


def _weighted_squares(
    party: Party, whole: slice, read: Callable[[slice], Sequence[Words]], pairs: int
) -> Program[Sequence[Words] | None]:
    """Both sums of each pair of one block."""
    length = whole.stop - whole.start
    opened = ColumnLayout(length, (WORD_BYTES,) * (2 * pairs))
    if party.is_helper:
        _deal_weighted_squares(party, opened, pairs)
        yield from in_step(1)
        return None
    [of_masks] = party.masks((opened.words,))
    masks = opened.columns(of_masks)
    received = opened.columns((yield _masked(read(whole), masks, opened)))
    of_deal, of_cubes = party.dealt((2 * pairs, length), (pairs,))
    sums = np.zeros((2 * pairs, 1), np.uint64)
    for part in blocks(length, STRIP):
        shares = read(slice(whole.start + part.start, whole.start + part.stop))
        public = [
            share - mask[part] + other[part]
            for share, mask, other in zip(shares, masks, received, strict=True)
        ]
        for pair in range(pairs):
            d, e = public[pair], public[pairs + pair]
            x, a, b = shares[pairs + pair], masks[pair][part], masks[pairs + pair][part]
            square, product = of_deal[2 * pair][part], of_deal[2 * pair + 1][part]
            # e·x + e·b + b², then d·x² + e·(e·a + 2·a·b)
            squared = x + b
            squared *= e
            squared += square
            of_weight = e * a
            of_weight += product
            sums[2 * pair + 1] += d @ x
            sums[2 * pair + 1] += of_weight.sum()
            of_weight += product
            sums[2 * pair] += d @ squared
            sums[2 * pair] += e @ of_weight
    sums[::2, 0] += of_cubes
    return list(sums)


def _deal_weighted_squares(party: Party, opened: ColumnLayout, pairs: int) -> None:
    [(of_p0, of_p1)] = party.both_masks((opened.words,))
    of_p0 += of_p1
    masks = of_p0.reshape(2, pairs, opened.n)
    words = np.empty((pairs, 2, opened.n), np.uint64)
    np.multiply(masks[1], masks[1], out=words[:, 0])
    np.multiply(masks[0], masks[1], out=words[:, 1])
    cubes = [of_square @ a for (of_square, _), a in zip(words, masks[0], strict=True)]
    party.deal(add=[words.reshape(-1), np.array(cubes, np.uint64)])


class Monomials:
    """Products of the `factors`, each named by the factors' numbers; prepared once for all calls.

    The table of products of masks has the dealt ones first, then the masks, then the empty product.
    """

    def __init__(self, factors: int, products: Sequence[Sequence[int]]) -> None:
        self.factors = factors
        self.products = [tuple(sorted(product)) for product in products]
        subsets = {
            subset
            for product in self.products
            for size in range(2, len(product) + 1)
            for subset in combinations(product, size)
        }
        ordered = sorted(subsets, key=lambda subset: (len(subset), subset))
        self.dealt = len(ordered)
        row = {subset: place for place, subset in enumerate(ordered)}
        row |= {(factor,): self.dealt + factor for factor in range(factors)}
        row[()] = self.dealt + factors
        # a dealt product is one of fewer masks times its last mask
        self.last = [(row[subset[:-1]], subset[-1]) for subset in ordered]
        self._row = row

    def __repr__(self) -> str:
        return f"<Monomials: {len(self.products)} of {self.factors} factors>"

    @cached_property
    def rows(self) -> list[NDArray[np.intp]]:
        """For each product the rows of its subsets, in the order in which `_folded` halves them."""
        return [
            np.array([self._row[subset] for subset in _halving(product)], np.intp)
            for product in self.products
        ]

    @property
    def block(self) -> int:
        """Elements that one pass works on."""
        return max(1, BLOCK // (self.dealt + self.factors))

    @property
    def cost(self) -> CostFunction:
        """Every factor is opened both ways, and P1 is dealt its shares."""
        return CostFunction.fixed(1, lambda n: (16 * self.factors + 8 * self.dealt) * n)


def _halving(product: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All subsets: those without the last factor, then the same with it."""
    subsets: list[tuple[int, ...]] = [()]
    for factor in product:
        subsets += [(*subset, factor) for subset in subsets]
    return subsets


def monomials(
    party: Party,
    length: int,
    wanted: Monomials,
    read: Callable[[slice], Words],
    joined: Callable[[slice, Sequence[Words]], Sequence[Words]],
    outputs: int,
    longer: int = 1,
) -> list[Shared]:
    """Multiply the factors that `read` gives; `joined` takes each block's products. One hop.

    Each of its outputs is `longer` times as long as the block. At no time are the factors or
    products of all blocks in memory. The helper calls neither function.
    """

    def program(part: slice) -> Program[Sequence[Words] | None]:
        products = yield from _monomials(
            party, wanted, part.stop - part.start, None if party.is_helper else read(part)
        )
        return None if products is None else joined(part, products)

    parts = party.lockstep(map(program, blocks(length, wanted.block)))
    return put_together(party, longer * length, parts, outputs)


def _monomials(
    party: Party, wanted: Monomials, length: int, x: Words | None
) -> Program[Sequence[Words] | None]:
    """One block, of which `x` has a row for each factor; it is freed before the exchange."""
    shape = (wanted.factors, length)
    if x is None:
        [(of_p0, of_p1)] = party.both_masks(shape)
        party.deal(add=[_products_of_masks(wanted, of_p0 + of_p1)])
        yield from in_step(1)
        return None
    [a] = party.masks(shape)
    mine = x - a
    del x
    d = mine + (yield mine).reshape(shape)
    [dealt] = party.dealt((wanted.dealt, length))
    # the constant 1 is shared as (1, 0)
    one = np.full((1, length), party.role is Role.P0, np.uint64)
    table = np.concatenate([dealt, a, one])
    return [
        _folded(product, table[chosen], d)
        for product, chosen in zip(wanted.products, wanted.rows, strict=True)
    ]


def _products_of_masks(wanted: Monomials, a: Words) -> Words:
    table = np.empty((wanted.dealt + wanted.factors, a.shape[1]), np.uint64)
    table[wanted.dealt :] = a
    for place, (fewer, factor) in enumerate(wanted.last):
        np.multiply(table[fewer], a[factor], out=table[place])
    return table[: wanted.dealt]


def _folded(product: tuple[int, ...], values: Words, d: Words) -> Words:
    """Σ_T Π d · λ_T from the λ_T: of each factor x, d·(the half without) + (the half with it).

    The sum is copied, so that the terms do not stay in memory with it.
    """
    for factor in reversed(product):
        half = len(values) // 2
        values[:half] *= d[factor]
        values[:half] += values[half:]
        values = values[:half]
    result: Words = values[0].copy()
    return result
