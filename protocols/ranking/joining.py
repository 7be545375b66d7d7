"""Rows of two lists that belong together: one with a score and one with a label, by equal tags.

The rows of all owners stand in descending order of

    K = 2·tag + side,    side = 0 of a score, 1 of a label,

so that equal tags are neighbours, labels first. With e_i = 1 where the tags of i and i + 1 are
equal, e = 0 beyond the ends, and s the sides, a label at i and the score at i + 1 are partners if
and only if

    J_i = e_i·(1 - e_{i-1})·(1 - e_{i+1})·s_i·(1 - s_{i+1}) = 1 :

a run of exactly two rows, of different sides. A tag that has a third row, whoever's it is, has no
partner at all. Two neighbouring places cannot both be 1, so the 2h or 2h + 1 places are folded into
half as many, each with at most one pair of partners. Its key is

    J·(label + 2·code + 1) - 1,    that is 2·code + label, or -1 without partners,

by which all pairs are then sorted, those without partners last.

Words that one of both sides has beside its value, 0 on the other side, become those of the pair,
J·(word of i + word of i + 1), in the hop of the keys.

The tags' differences take four hops, up to six of many, the products three; the sides one, before.
About 280 bytes a row, of many 270. Nobody learns anything, and nobody how many partners there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, multiply, products, to_arithmetic
from ppaurora.mpc.shares import Shared, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side

ALONE = -1
"""The key of a place without partners."""


@dataclass(frozen=True, slots=True)
class Partners:
    """For each place the key of the partners there, 1 if there are any, and the words beside.

    Words are 0 where there are no partners.
    """

    keys: Shared
    there: Shared
    words: tuple[Shared, ...] = ()


def partners(party: Party, tagged: Shared, values: Shared, *words: Shared) -> Partners:
    """The partners among rows in order of their 2·tag + side; `values` are labels and codes.

    Each of `words` is one that one side has beside, 0 in the rows of the other.
    """
    n = len(tagged)
    places = pairs_of(n)
    if not places:
        return Partners(tagged[:0], tagged[:0], tuple(one[:0] for one in words))
    side = to_arithmetic(party, low_bits(tagged))
    tags = tagged - side

    # tags descend: a step is negative if and only if two neighbours differ
    apart, label_first = side_by_side(
        party,
        [
            lambda own: is_negative(own, tags[1:] - tags[:-1]),
            lambda own: multiply(own, side[:-1], 1 - side[1:]),
        ],
    )
    one = Shared.public(party.role, [1])
    around = concatenate([one, apart, one])
    # (1 - e_{i-1})·(1 - e_{i+1}), and e_i·s_i·(1 - s_{i+1})
    factors = multiply(
        party,
        concatenate([around[:-2], 1 - apart]),
        concatenate([around[2:], label_first]),
    )
    alone, tied = factors[: n - 1], factors[n - 1 :]
    joined = multiply(party, alone, tied)
    chosen = [values[:-1] + values[1:] * 2 + 1, *(one[:-1] + one[1:] for one in words)]
    keys, *more = map(
        _folded,
        products(party, [joined, *chosen], [(0, place) for place in range(1, len(chosen) + 1)]),
    )
    return Partners(keys + ALONE, _folded(joined), tuple(more))


def pairs_of(rows: int) -> int:
    """The number of places for partners among so many rows.

    >>> [pairs_of(rows) for rows in range(6)]
    [0, 0, 1, 1, 2, 2]
    """
    return rows // 2


def _folded(x: Shared) -> Shared:
    """The sums of two neighbours each; of an odd number the last one by itself."""
    even = x[0::2]
    odd = x[1::2]
    if len(odd) < len(even):
        odd = concatenate([odd, Shared.zeros(x.role, 1)])
    return even + odd


def partners_cost(rows: int, *, words: int = 0) -> Cost:
    """The cost of `partners` for so many rows with so many words beside."""
    if not pairs_of(rows):
        return Cost()
    n = rows - 1
    product = multiply.cost().of
    compared = is_negative.cost().of(n) | product(n)
    chosen = products.cost(factors=2 + words, pairs=1 + words).of(n)
    return to_arithmetic.cost().of(rows) + compared + product(2 * n) + product(n) + chosen
