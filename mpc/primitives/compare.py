"""CMP and MUX: comparisons with zero, and choices made by them: four hops each.

[ppAURORA, section 4, CMP and MUX]. `masked_comparison` gives the bit c = [x < 0] as
e xor λ, with a public e and a dealt λ, so that

    c     = e + (1 - 2e)·λ
    c·y   = e·y + (1 - 2e)·(λ·z_y - λ·r_y)      for any y that was opened as z_y = y + r_y.

All functions take x in (-2^63, 2^63), as words of a signed vector. Nobody learns anything, except
that the functions whose names begin with `open_` show their result to both proxies.

Further columns of a row go with its key in no more hops, for 24 bytes a column: y is opened as
z_y = y + r_y beside the key, and the helper deals λ·r_y.

Whoever deviates: `masked_comparison` says what it receives, which is random. Of the functions that
open their result a proxy that adds to its share of x, or to a message, has another question
answered: one bit of its choice for each element, as in each verdict on an upload. It can wait for
the other's part of the last hop and so decide alone what the other one takes for the answer. Each
further column has a mask of its own, read once, beside those of a comparison; what is received is
random.

From bits shared by XOR to words shared additively: one hop.

The proxies mask a bit b by ρ = ρ0 xor ρ1, which the helper knows and deals as a word. They open
e = b xor ρ, a uniformly random bit; then b = e + (1 - 2e)·ρ. Nobody learns anything.

Whoever deviates: e0 and e1 are masked by ρ0 and ρ1, bits that are read once, and what is dealt by
the other's stream. A wrong e makes the word 1 - b in place of b, which nothing shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ppaurora.mpc.bits import columns, crop, cropped_words, uncrop, unpack
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.kernels import Choice
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import (
    Given,
    Receive,
    block_by_block,
    over_blocks,
    put_together,
    same_length,
)
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
from ppaurora.mpc.shares import Shared, SharedBits
from ppaurora.mpc.words import Words, blocks


def comparison_cost(
    comparison: Comparison, tail: Tail[Any] | None, *, vectors: int = 1
) -> CostFunction:
    """The cost for `tail`, or of an opened bit: z both ways, the gates, the words dealt."""
    # without a tail the sign of r is dealt as a bit
    words = 2 * vectors + (0 if tail is None else tail.words)

    def of_block(length: int) -> int:
        signs = cropped_words(1, 1, length) if tail is None and comparison.with_sign else 0
        return 8 * (words * length + comparison.words(length) + signs)

    return CostFunction.fixed(
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
    choices = yield from masked_comparison(party, length, *vectors, comparison=NEGATIVE, tail=tail)
    if choices is None:
        return None
    return [choice.words(y) for choice, y in zip(choices, vectors, strict=True) if y is not None]


def _bit_and_product(
    party: Party, length: int, x: Words | None, y: Words | None
) -> Program[Sequence[Words] | None]:
    choices = yield from masked_comparison(
        party, length, x, y, comparison=NEGATIVE, tail=BIT_AND_PRODUCT
    )
    if choices is None or y is None:
        return None
    [(bit, product)] = choices
    return [bit, product.words(y)]


@costs(comparison_cost(NEGATIVE, BIT))
def is_negative(party: Party, x: Shared) -> Shared:
    """The sign of each number: [x < 0] as 0 or 1."""
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


@cache
def _parts(columns: int) -> Tail[Choice]:
    """`PART` for the key and for each column; dealt are λ, then λ·r of each."""

    def deal(wanted: Words, r: Words) -> list[Words]:
        return [wanted, *(wanted * row for row in r)]

    def combine(role: Role, e: OpenedBits, z: Words, dealt: Sequence[Words]) -> list[Choice]:
        bit, *bits_times_masks = dealt
        return [
            choice(e, z_y, bit, product) for z_y, product in zip(z, bits_times_masks, strict=True)
        ]

    return Tail(columns + 2, deal, combine)


def columns_cost(*, columns: int = 1) -> CostFunction:
    return comparison_cost(NEGATIVE, _parts(columns), vectors=columns + 1)


@costs(columns_cost)
def negative_parts(party: Party, x: Shared, columns: Sequence[Shared]) -> list[Shared]:
    """min(x, 0), then [x < 0]·y for each column y: what a compare-exchange of rows moves."""
    program = partial(chosen, tail=_parts(len(columns)))
    return over_blocks(party, program, x, *columns, outputs=len(columns) + 1)


@costs(columns_cost)
def negative_parts_in_place(
    party: Party, length: int, given: Given, receive: Receive[Choice], *, columns: int = 0
) -> None:
    """`negative_parts` of keys and columns that lie anywhere, `given` and `taken` block by block.

    So neither the rows nor what moves need be put together in one vector, and what moves is
    computed where it is added.
    """
    if length:
        program = partial(masked_comparison, comparison=NEGATIVE, tail=_parts(columns))
        block_by_block(party, program, length, columns + 1, given, receive)


@costs(columns_cost(columns=0))
def compare_exchange(party: Party, a: Shared, b: Shared) -> tuple[Shared, Shared]:
    """(max(a, b), min(a, b)), for |a - b| < 2^63."""
    [larger], [smaller] = _exchanged(party, [a], [b])
    return larger, smaller


@costs(columns_cost)
def compare_exchange_columns(
    party: Party, a: Sequence[Shared], b: Sequence[Shared]
) -> tuple[list[Shared], list[Shared]]:
    """The rows of a and b with the larger key, and those with the smaller one.

    The first vector of each is the key, where |a - b| < 2^63; rows of equal keys stay.
    """
    if not a or len(a) != len(b):
        raise LocalProtocolError(f"rows of {len(a)} and of {len(b)} columns are exchanged")
    return _exchanged(party, a, b)


def _exchanged(
    party: Party, a: Sequence[Shared], b: Sequence[Shared]
) -> tuple[list[Shared], list[Shared]]:
    length = same_length([*a, *b])
    larger, smaller = ([_room(party, length) for _ in a] for _ in range(2))
    sides = list(zip(a, b, larger, smaller, strict=True))

    def given(part: slice) -> list[Words]:
        return [one.words[part] - other.words[part] for one, other, *_ in sides]

    def receive(part: slice, moved: Sequence[Choice]) -> None:
        for one, places in zip(moved, sides, strict=True):
            one.exchange(0, *(place.words[part] for place in places))

    negative_parts_in_place(party, length, given, receive, columns=len(a) - 1)
    return larger, smaller


def _room(party: Party, length: int) -> Shared:
    """A vector to write to."""
    if party.is_helper:
        return Shared.absent(length)
    return Shared.from_words(party.role, np.empty(length, np.uint64))


def _to_words(party: Party, length: int, plane: Words | None) -> Program[Sequence[Words] | None]:
    """One block of bits as words."""
    shape = (1, 1, columns(length))
    if plane is None:
        [(of_p0, of_p1)] = party.both_masks(shape)
        party.deal(add=(unpack((of_p0 ^ of_p1).reshape(-1), length),))
        yield from in_step(1)
        return None
    [mine] = party.masks(shape)
    mine ^= plane
    opened = mine ^ uncrop((yield crop(mine, length)), shape, length)
    e = unpack(opened.reshape(-1), length)
    [dealt] = party.dealt((length,))
    return [bit_share(party.role, e, dealt)]


def _payload(n: int) -> int:
    return 8 * n + 16 * sum(cropped_words(1, 1, part.stop - part.start) for part in blocks(n))


@costs(CostFunction.fixed(1, _payload))
def to_arithmetic(party: Party, bits: SharedBits) -> Shared:
    """The bits as words 0 and 1."""
    length = len(bits)
    if length == 0:
        return Shared.zeros(party.role, 0)
    parts = party.lockstep(
        _to_words(
            party,
            part.stop - part.start,
            None if party.is_helper else bits.plane[part.start // 64 : columns(part.stop)],
        )
        for part in blocks(length)
    )
    return put_together(party, length, parts)[0]
