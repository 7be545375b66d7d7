"""Comparisons with zero, and choices made by them: four hops each.

[ppAURORA, section 4] calls them CMP and MUX. `masked_comparison` gives the bit c = [x < 0] as
e xor λ, with a public e and a dealt λ, so that

    c     = e + (1 - 2e)·λ
    c·y   = e·y + (1 - 2e)·(λ·z_y - λ·r_y)      for any y that was opened as z_y = y + r_y.

All functions take x in (-2^63, 2^63), as words of a signed vector. Nobody learns anything, except
that the functions whose names begin with `open_` show their result to both proxies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ppaurora.mpc.bits import cropped_words
from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.kernels import Choice
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.primitives.comparison import (
    NEGATIVE,
    ZERO,
    Comparison,
    OpenedBits,
    Tail,
    masked_comparison,
    opened_comparison,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words, blocks


def comparison_cost(comparison: Comparison, tail: Tail[Any] | None, *, vectors: int = 1) -> Cost:
    """The cost for `tail`, or of an opened bit: z both ways, the gates, the words dealt."""
    # without a tail the sign of r is dealt as a bit
    words = 2 * vectors + (0 if tail is None else tail.words)

    def of_block(length: int) -> int:
        signs = cropped_words(1, 1, length) if tail is None and comparison.with_sign else 0
        return 8 * (words * length + comparison.words(length) + signs)

    return Cost.fixed(
        4, lambda n: sum(of_block(part.stop - part.start) for part in blocks(n)) if n else 0
    )


def bit_share(role: Role, e: Words, dealt: Words) -> Words:
    """A proxy's share of c = e + (1 - 2e)·λ, from its share of λ."""
    # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
    bit = dealt ^ np.negative(e)
    bit += e
    if role is Role.P0:
        bit += e
    return bit


def choice(e: OpenedBits, z: Words, bit: Words, bit_times_mask: Words) -> Choice:
    """c·y, for the sign c of a comparison and a y that was opened as z."""
    assert e.signed is not None
    return Choice(e.plane, e.signed, z, bit, bit_times_mask)


BIT = Tail(
    words=1,
    deal=lambda wanted, r: [wanted],
    combine=lambda role, e, z, dealt: [bit_share(role, e.words(), dealt[0])],
)
PART = Tail(
    words=2,
    deal=lambda wanted, r: [wanted, wanted * r[0]],
    combine=lambda role, e, z, dealt: [choice(e, z[0], *dealt)],
)
BIT_AND_PRODUCT = Tail(
    words=2,
    deal=lambda wanted, r: [wanted, wanted * r[1]],
    combine=lambda role, e, z, dealt: [
        (bit_share(role, e.words(), dealt[0]), choice(e, z[1], *dealt))
    ],
)


def chosen(
    party: Party, length: int, *vectors: Words | None, tail: Tail[Choice]
) -> Program[Sequence[Words] | None]:
    """[x < 0]·y for each vector y of the block, of which the first is x."""
    found = yield from masked_comparison(party, length, *vectors, comparison=NEGATIVE, tail=tail)
    if found is None:
        return None
    return [one.words(y) for one, y in zip(found, vectors, strict=True) if y is not None]


def _bit_and_product(
    party: Party, length: int, x: Words | None, y: Words | None
) -> Program[Sequence[Words] | None]:
    found = yield from masked_comparison(
        party, length, x, y, comparison=NEGATIVE, tail=BIT_AND_PRODUCT
    )
    if found is None or y is None:
        return None
    [(bit, product)] = found
    return [bit, product.words(y)]


@costs(comparison_cost(NEGATIVE, BIT))
def is_negative(party: Party, x: Shared) -> Shared:
    """[x < 0] as 0 or 1."""
    [bit] = over_blocks(party, partial(masked_comparison, comparison=NEGATIVE, tail=BIT), x)
    return bit


@costs(comparison_cost(ZERO, BIT))
def is_zero(party: Party, x: Shared) -> Shared:
    """[x = 0] as 0 or 1."""
    [bit] = over_blocks(party, partial(masked_comparison, comparison=ZERO, tail=BIT), x)
    return bit


@costs(comparison_cost(NEGATIVE, PART))
def negative_part(party: Party, x: Shared) -> Shared:
    """min(x, 0): the difference that a compare-exchange moves from one element to the other."""
    [part] = over_blocks(party, partial(chosen, tail=PART), x)
    return part


@costs(comparison_cost(NEGATIVE, BIT_AND_PRODUCT, vectors=2))
def negative_times(party: Party, x: Shared, y: Shared) -> tuple[Shared, Shared]:
    """[x < 0] and [x < 0]·y."""
    bit, product = over_blocks(party, _bit_and_product, x, y, outputs=2)
    return bit, product


@costs(comparison_cost(NEGATIVE, BIT_AND_PRODUCT, vectors=2))
def where_negative(party: Party, x: Shared, a: Shared, b: Shared) -> Shared:
    """a where x < 0, b elsewhere: a MUX selected by the result of a CMP [ppAURORA, section 4]."""
    return b + negative_times(party, x, a - b)[1]


@costs(comparison_cost(NEGATIVE, None))
def open_negative(party: Party, x: Shared) -> Words | None:
    """[x < 0] as 0 or 1, opened to P0 and P1, who learn it; the helper gets None."""
    return _opened(party, NEGATIVE, x)


@costs(comparison_cost(ZERO, None))
def open_zero(party: Party, x: Shared) -> Words | None:
    """[x = 0] as 0 or 1, opened to P0 and P1, who learn it; the helper gets None."""
    return _opened(party, ZERO, x)


def _opened(party: Party, comparison: Comparison, x: Shared) -> Words | None:
    [bits] = over_blocks(party, partial(opened_comparison, comparison=comparison), x)
    return bits.words if bits.present else None
