"""Products of any number of shared factors in one hop, where Beaver's method takes two at a time.

Each factor x is opened once as d = x - a, with a from the streams, so that x = d + a. A product is
then a sum over the subsets T of its factors,

    Π_i x_i = Σ_T Π_(i not in T) d_i · Π_(i in T) a_i,

of public words times products of masks, of which the helper deals shares: 2^k - k - 1 words for k
factors, where no other product has them already. The proxies see uniformly random words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import put_together
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import BLOCK, Words, blocks


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
    def cost(self) -> Cost:
        """Every factor is opened both ways, and P1 is dealt its shares."""
        return Cost.fixed(1, lambda n: (16 * self.factors + 8 * self.dealt) * n)


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
    """What `joined` makes of each block's wanted products, whose factors `read` gives. One hop.

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
