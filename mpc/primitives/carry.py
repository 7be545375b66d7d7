"""Algorithms 2 and 4, values carried forward: a segmented scan, 2·floor(log2 n) hops at most.

Lists of more than a million elements take a hop for each million of a level. Words take 104 bytes a
place, numbers mod 2^32 half of that.

With g = 1 - flag, an element passes on what came before it and then adds its own value:
(g, v) after (g', v') is (g·g', v + g·v'). This is associative, so all prefixes are computed as
Brent and Kung do: join neighbours, scan the list of half the length, fill in the places between.
[ppAURORA, Alg. 2 and 4, erratum 5] get the same values from M MUX steps one after the other, which
take M rounds. Nobody learns anything.

`carry_in_few_hops` takes fewer hops and more bytes: 7 instead of 24 hops at 8,000 places, and 329
instead of 104 bytes a place. Where `carry` joins two neighbours, it joins 4 or 8 in one hop, by
products of as many factors: with the pairs (g_i, v_i) of a group,

    G_k = g_0·...·g_k,    V_k = v_k + Σ_(i<k) g_(i+1)·...·g_k·v_i

are those of all its prefixes. The last of each group form the next level, until one group is left.
On the way down two levels take one hop: a place with (G, V), in a group that comes after the place
with (G', V') of the level above, whose own group comes after the value P, carries

    V + G·(V' + G'·P) = V + G·V' + G·G'·P.

Nobody learns anything.

Whoever deviates: products and no other message, so that each receives uniformly random words. Wrong
ones carry wrong values on, which nothing opens. `carry_in_few_hops` has products of more factors
instead, and no other message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np

from ppaurora.mpc.cost import Cost, CostFunction, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import rows
from ppaurora.mpc.primitives.multiply import (
    Monomials,
    Pair,
    monomials,
    products,
    products_cost,
)
from ppaurora.mpc.shares import InRing, Shared, concatenate, interleave
from ppaurora.mpc.words import AT_ONCE, Words, blocks


def carry_cost(*, columns: int = 1, narrow: bool = False) -> CostFunction:
    """The cost for so many columns of values, at each level of the recursion."""
    up = products_cost(factors=columns + 2, pairs=columns + 1, narrow=narrow).payload
    down = products_cost(factors=columns + 1, pairs=columns, narrow=narrow).payload

    def payload(n: int) -> int:
        return 0 if n < 2 else up(n // 2) + payload(n // 2) + down((n - 1) // 2)

    return CostFunction(carry_hops, payload)


def carry_hops(n: int) -> int:
    """The hops for n elements: at each level one to join, and one if there are gaps to fill in; of
    long levels one for each part."""
    if n < 2:
        return 0
    joining, filling = (-(-count // AT_ONCE) for count in (n // 2, (n - 1) // 2))
    return joining + carry_hops(n // 2) + filling


@costs(carry_cost)
def carry(party: Party, flags: InRing, values: Sequence[InRing]) -> list[InRing]:
    """At each place the value at the last flagged place up to and including it, 0 before the first.

    Flags are 0 or 1; the values at places that are not flagged must be 0. All are words, or all
    are numbers mod 2^32, for half the bytes.
    """
    return _prefixes(party, 1 - flags, list(values))


def _prefixes(party: Party, g: InRing, v: list[InRing]) -> list[InRing]:
    """The v of all prefixes of the pairs (g, v)."""
    n = len(g)
    if n < 2:
        return v
    # neighbours 2i and 2i + 1 become one element
    left, right = slice(0, n - 1, 2), slice(1, n, 2)
    joined, *passed = _products(
        party,
        [g[right], g[left], *(column[left] for column in v)],
        [(0, 1 + column) for column in range(len(v) + 1)],
    )
    v_pairs = [column[right] + moved for column, moved in zip(v, passed, strict=True)]
    # place 2i, i > 0, follows the prefix up to 2i - 1
    between = slice(2, n, 2)
    # all levels are under way at once: none keeps what it has used
    g = _copy(g[between])
    del passed
    at_odd = _prefixes(party, joined, v_pairs)
    if n > 2:
        filled = _products(
            party,
            [g, *(odd[: (n - 1) // 2] for odd in at_odd)],
            [(0, 1 + column) for column in range(len(v))],
        )
        v = [
            concatenate([column[:1], column[between] + moved])
            for column, moved in zip(v, filled, strict=True)
        ]
    else:
        v = [column[:1] for column in v]
    return [interleave(even, odd) for even, odd in zip(v, at_odd, strict=True)]


def _copy(x: InRing) -> InRing:
    """The elements without those among which they lie."""
    return x.having(x.words.copy() if x.present else None, len(x))


def _products(party: Party, factors: list[InRing], pairs: list[Pair]) -> list[InRing]:
    """`products`, part by part where there are many elements."""
    parts = blocks(len(factors[0]), AT_ONCE)
    found = [products(party, [factor[part] for factor in factors], pairs) for part in parts]
    return found[0] if len(found) == 1 else [concatenate(one) for one in zip(*found, strict=True)]


NARROW, WIDE = 4, 8
CARRIED_COLUMNS = (1, 2)
"""The numbers of columns that are carried along, in all that is computed from a sorted list."""
FEW = 4096
"""Places up to which a level is joined by 8: there the hop counts for more than the bytes."""


def _radix(n: int) -> int:
    return NARROW if n > FEW else WIDE


def _sizes(n: int) -> Iterator[int]:
    """The places of each level, down to one that a single group holds."""
    while n > WIDE:
        yield n
        n = -(-n // _radix(n))
    yield n


@cache
def _joining(radix: int, columns: int, *, top: bool) -> Monomials:
    """All prefixes of a group: G_1, G_2, ... but at the top, then what v_i adds to each V_k.

    Factors are g_0, g_1, ..., then the v_0, v_1, ... but the last of each column.
    """
    products: list[Sequence[int]] = []
    if not top:
        products += [range(k + 1) for k in range(1, radix)]
    for column in range(columns):
        first = radix + column * (radix - 1)
        products += [(*range(i + 1, k + 1), first + i) for k in range(1, radix) for i in range(k)]
    return Monomials(radix + columns * (radix - 1), products)


@cache
def _filling(columns: int, *, levels: int) -> Monomials:
    """The products added to V on the way down: G·P, or G·V' and G·G'·P, for each column.

    Factors are G, or G and G'; then P, or V' and P, of each column.
    """
    if levels == 1:
        return Monomials(1 + columns, [(0, 1 + column) for column in range(columns)])
    products = [((0, 2 + 2 * column), (0, 1, 3 + 2 * column)) for column in range(columns)]
    return Monomials(2 + 2 * columns, [product for pair in products for product in pair])


def fill_session_tables() -> None:
    """Generate the products of all groups now, so that no session waits for them.

    A process generates them once, and a server does so when it starts.
    """
    for columns in CARRIED_COLUMNS:
        for radix in (NARROW, WIDE):
            _joining(radix, columns, top=False)
        for size in range(2, WIDE + 1):
            _joining(size, columns, top=True)
        for levels in (1, 2):
            _filling(columns, levels=levels)


@dataclass(frozen=True, slots=True)
class Level:
    """The prefixes inside the groups of one level; the last group is filled up with zeros."""

    size: int
    radix: int
    G: Shared
    V: list[Shared]

    def last(self, vector: Shared) -> Shared:
        """The last place of each group."""
        return vector[self.radix - 1 :: self.radix]


def carry_in_few_hops_cost(*, columns: int = 1) -> CostFunction:
    """One hop a level up, one at the top, one for every two levels down."""

    def spent(n: int) -> Cost:
        if n < 2:
            return Cost()
        *below, top = _sizes(n)
        total = Cost()
        for size in below:
            radix = _radix(size)
            total += _joining(radix, columns, top=False).cost.of(-(-size // radix))
        total += _joining(top, columns, top=True).cost.of(1) if top > 1 else Cost()
        while below:
            pair = below[-2:]
            rest = pair[0] - _radix(pair[0])
            total += _filling(columns, levels=len(pair)).cost.of(rest)
            below = below[:-2]
        return total

    return CostFunction(lambda n: spent(n).hops, lambda n: spent(n).payload)


@costs(carry_in_few_hops_cost)
def carry_in_few_hops(party: Party, flags: Shared, values: Sequence[Shared]) -> list[Shared]:
    """At each place the value at the last flagged place up to and including it, 0 before the first.

    Flags are 0 or 1; the values at places that are not flagged must be 0.
    """
    g, v = 1 - flags, list(values)
    levels = []
    *below, top = _sizes(len(g))
    for size in below:
        G, *V = _joined(party, g, v, _radix(size))
        level = Level(size, _radix(size), G, V)
        g, v = level.last(G), [level.last(column) for column in V]
        levels.append(level)
    if top > 1:
        v = _joined(party, g, v, top, top=True)
    while levels:
        v = _filled(party, levels[-2:], v)
        levels = levels[:-2]
    return v


def _joined(
    party: Party, g: Shared, v: Sequence[Shared], radix: int, *, top: bool = False
) -> list[Shared]:
    """All prefixes of groups of so many neighbours: G, unless at the top, then each V. One hop."""
    padding = Shared.zeros(g.role, -len(g) % radix)
    g_k, *v_k = (
        [concatenate([vector, padding])[k::radix] for k in range(radix)] for vector in (g, *v)
    )
    factors = [*g_k, *(place for column in v_k for place in column[:-1])]

    def prefixes(part: slice, products: Sequence[Words]) -> list[Words]:
        rest = iter(products)
        sums = [] if top else [[g_k[0].words[part], *islice(rest, radix - 1)]]
        for column in v_k:
            own = [place.words[part] for place in column]
            sums.append([sum(islice(rest, k), own[k]) for k in range(radix)])
        return [np.stack(each, axis=1).reshape(-1) for each in sums]

    return monomials(
        party,
        len(g_k[0]),
        _joining(radix, len(v), top=top),
        lambda part: rows([factor.words[part] for factor in factors]),
        prefixes,
        outputs=len(v) + (not top),
        longer=radix,
    )


def _filled(party: Party, levels: Sequence[Level], above: Sequence[Shared]) -> list[Shared]:
    """The values at the places of the first of one or two levels, from those above. One hop."""
    level, *upper = levels
    before = Shared.zeros(level.G.role, 1)
    carried = [concatenate([before, value]) for value in above]

    def places(part: slice) -> slice:
        """Those of a block: only after the first group is there anything to add."""
        return slice(level.radix + part.start, level.radix + part.stop)

    def factors(part: slice) -> Words:
        at = places(part)
        group = np.arange(at.start, at.stop) // level.radix - 1
        words = [level.G.words[at]]
        if upper:
            [middle] = upper
            words.append(middle.G.words[group])
            for V, value in zip(middle.V, carried, strict=True):
                words += [V.words[group], value.words[group // middle.radix]]
        else:
            words += [value.words[group + 1] for value in carried]
        return np.stack(words)

    def with_own(part: slice, products: Sequence[Words]) -> list[Words]:
        each = len(levels)
        return [
            sum(products[column * each : (column + 1) * each], V.words[places(part)])
            for column, V in enumerate(level.V)
        ]

    wanted, rest = _filling(len(above), levels=len(levels)), level.size - level.radix
    filled = monomials(party, rest, wanted, factors, with_own, len(above))
    return [concatenate([V[: level.radix], own]) for V, own in zip(level.V, filled, strict=True)]
