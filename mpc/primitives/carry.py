"""A segmented scan: carry the last flagged values forward. 2·floor(log2 n) hops at most.

With g = 1 - flag, an element passes on what came before it and then adds its own value:
(g, v) after (g', v') is (g·g', v + g·v'). This is associative, so all prefixes are computed as
Brent and Kung do: join neighbours, scan the list of half the length, fill in the places between.
[ppAURORA, Alg. 2 and 4, erratum 5] get the same values from M MUX steps one after the other, which
take M rounds. Nobody learns anything.

Whoever deviates: products and no other message, so that each receives uniformly random words. Wrong
ones carry wrong values on, which nothing opens.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.multiply import products, products_cost
from ppaurora.mpc.shares import Shared, concatenate, interleave


def carry_cost(*, columns: int = 1) -> Cost:
    """The cost for so many columns of values, at each level of the recursion."""
    up = products_cost(factors=columns + 2, pairs=columns + 1).payload
    down = products_cost(factors=columns + 1, pairs=columns).payload

    def payload(n: int) -> int:
        return 0 if n < 2 else up(n // 2) + payload(n // 2) + down((n - 1) // 2)

    return Cost(carry_hops, payload)


def carry_hops(n: int) -> int:
    """The hops for n elements: at each level one to join, and one if there are gaps to fill in."""
    return 0 if n < 2 else 1 + carry_hops(n // 2) + (n > 2)


@costs(carry_cost)
def carry(party: Party, flags: Shared, values: Sequence[Shared]) -> list[Shared]:
    """At each place the value at the last flagged place up to and including it, 0 before the first.

    Flags are 0 or 1; the values at places that are not flagged must be 0.
    """
    return _prefixes(party, 1 - flags, list(values))


def _prefixes(party: Party, g: Shared, v: list[Shared]) -> list[Shared]:
    """The v of all prefixes of the pairs (g, v)."""
    n = len(g)
    if n < 2:
        return v
    # neighbours 2i and 2i + 1 become one element
    left, right = slice(0, n - 1, 2), slice(1, n, 2)
    joined, *passed = products(
        party,
        [g[right], g[left], *(column[left] for column in v)],
        [(0, 1 + column) for column in range(len(v) + 1)],
    )
    v_pairs = [column[right] + moved for column, moved in zip(v, passed, strict=True)]
    at_odd = _prefixes(party, joined, v_pairs)
    if n > 2:
        # place 2i, i > 0, follows the prefix up to 2i - 1
        between = slice(2, n, 2)
        filled = products(
            party,
            [g[between], *(odd[: (n - 1) // 2] for odd in at_odd)],
            [(0, 1 + column) for column in range(len(v))],
        )
        v = [
            concatenate([column[:1], column[between] + moved])
            for column, moved in zip(v, filled, strict=True)
        ]
    else:
        v = [column[:1] for column in v]
    return [interleave(even, odd) for even, odd in zip(v, at_odd, strict=True)]
