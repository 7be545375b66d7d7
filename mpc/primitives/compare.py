"""CMP and MUX: comparisons with zero, and choices made by them: four hops, up to six of many.

[ppAURORA, section 4, CMP and MUX]. `masked_comparison` gives the bit c = [x < 0] as
e xor λ, with a public e and a dealt λ, so that

    c     = e + (1 - 2e)·λ
    c·y   = e·y + (1 - 2e)·(λ·z_y - λ·r_y)      for any y that was opened as z_y = y + r_y.

All functions take x in (-2^63, 2^63), as words of a signed vector. Nobody learns anything, except
that the functions whose names begin with `open_` show their result to both proxies.

Further columns of a row go with its key in no more hops, for 24 bytes a column: y is opened as
z_y = y + r_y beside the key, and the helper deals λ·r_y.

Of numbers shared mod 2^32 (`NarrowShared`) x lies in (-2^31, 2^31), and half the bytes do; what is
made of them is a bit or a product in Z_2^64, and in Z_2^32 what an exchange moves. The bit and the
product of `negative_times` are of the ring of the values.

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

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ppaurora.mpc.bits import columns, crop, cropped_words, uncrop, unpack
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.kernels import Choice, OpenedBits, add_difference
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import (
    Receive,
    block_by_block,
    over_blocks,
    over_blocks_in,
    put_together,
    same_length,
)
from ppaurora.mpc.primitives.comparison import (
    HALF_NEGATIVE,
    NEGATIVE,
    ZERO,
    Comparison,
    Tail,
    comparison_of,
    gates_cost,
    masked_comparison,
    opened_comparison,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import InRing, Shared, SharedBits, SharedNumbers, is_narrow
from ppaurora.mpc.words import STRIP, WORD_BYTES, Column, Words, blocks


def comparison_cost(comparison: Comparison, tail: Tail[Any] | None) -> CostFunction:
    """The cost for `tail`, or of an opened bit."""
    if tail is None:
        return gates_cost(comparison.of, opened=(WORD_BYTES,), signs=comparison.with_sign)
    return gates_cost(comparison.of, opened=tail.opened, dealt=tail.dealt)


def bit_share(role: Role, e: Column, dealt: Column) -> Column:
    """A proxy's share of c = e + (1 - 2e)·λ, from its share of λ and in the ring of that."""
    bit = np.empty_like(dealt)
    for part in blocks(dealt.size, STRIP):
        opened = e[part].astype(dealt.dtype, copy=False)
        # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
        of_part = np.bitwise_xor(dealt[part], np.negative(opened), out=bit[part])
        of_part += opened
        if role is Role.P0:
            of_part += opened
    return bit


def _as_words(numbers: Column) -> Words:
    """The numbers as words, without a copy of what are words."""
    return numbers.astype(np.uint64, copy=False)


def _of_key(comparison: Comparison) -> int:
    """The number of bytes of each number that is compared."""
    return WORD_BYTES // comparison.lanes


@cache
def bit_of(comparison: Comparison) -> Tail[Words]:
    """c as a word."""
    return Tail(
        opened=(_of_key(comparison),),
        dealt=(WORD_BYTES,),
        deal=lambda wanted, r: [_as_words(wanted)],
        combine=lambda role, e, z, dealt: [_as_words(bit_share(role, e.numbers(), dealt[0]))],
    )


@cache
def bit_and_product_of(comparison: Comparison, value_bytes: int) -> Tail[tuple[Column, Choice]]:
    """c, and c·y of a second column y of numbers of so many bytes: both in the ring of y."""

    def deal(wanted: Column, r: Sequence[Column]) -> list[Column]:
        bit = wanted.astype(r[1].dtype, copy=False)
        return [bit, bit * r[1]]

    def combine(
        role: Role, e: OpenedBits, z: Sequence[Column], dealt: Sequence[Column]
    ) -> list[tuple[Column, Choice]]:
        return [(bit_share(role, e.numbers(), dealt[0]), Choice(e, z[1], *dealt))]

    return Tail((_of_key(comparison), value_bytes), (value_bytes,) * 2, deal, combine)


def _in_ring(narrow: bool) -> Comparison:
    """[x < 0] of numbers mod 2^64, or mod 2^32."""
    return HALF_NEGATIVE if narrow else NEGATIVE


def _negative(x: SharedNumbers) -> Comparison:
    """[x < 0] in the ring of x, for as many numbers."""
    return _in_ring(is_narrow(x)).of(len(x))


def chosen(
    party: Party, length: int, *vectors: Words | None, comparison: Comparison
) -> Program[Sequence[Words] | None]:
    """[x < 0]·y for each vector y of the block, of which the first is x."""
    tail = parts_of(NEGATIVE, len(vectors) - 1)
    choices = yield from masked_comparison(
        party, length, *vectors, comparison=comparison, tail=tail
    )
    if choices is None:
        return None
    return [
        _as_words(choice.words(y))
        for choice, y in zip(choices, vectors, strict=True)
        if y is not None
    ]


def _bit_and_product(
    party: Party,
    length: int,
    x: Column | None,
    y: Column | None,
    *,
    comparison: Comparison,
    tail: Tail[tuple[Column, Choice]],
) -> Program[Sequence[Column] | None]:
    choices = yield from masked_comparison(party, length, x, y, comparison=comparison, tail=tail)
    if choices is None or y is None:
        return None
    [(bit, product)] = choices
    return [bit, product.words(y)]


def is_negative_cost(*, narrow: bool = False) -> CostFunction:
    return comparison_cost(_in_ring(narrow), bit_of(_in_ring(narrow)))


@costs(is_negative_cost)
def is_negative(party: Party, x: SharedNumbers) -> Shared:
    """The sign of each number: [x < 0] as 0 or 1."""
    comparison = _negative(x)
    tail = bit_of(_in_ring(is_narrow(x)))
    program = partial(masked_comparison, comparison=comparison, tail=tail)
    [bit] = over_blocks(party, program, x, size=comparison.block)
    return bit


@costs(comparison_cost(ZERO, bit_of(ZERO)))
def is_zero(party: Party, x: Shared) -> Shared:
    """[x = 0] as 0 or 1."""
    program = partial(masked_comparison, comparison=ZERO.of(len(x)), tail=bit_of(ZERO))
    [bit] = over_blocks(party, program, x)
    return bit


def negative_times_cost(*, narrow: bool = False, narrow_values: bool = False) -> CostFunction:
    comparison, of_values = _in_ring(narrow), _of_key(_in_ring(narrow_values))
    return comparison_cost(comparison, bit_and_product_of(comparison, of_values))


@costs(negative_times_cost)
def negative_times(party: Party, x: SharedNumbers, y: InRing) -> tuple[InRing, InRing]:
    """[x < 0] and [x < 0]·y in the ring of y, of whichever ring x is."""
    comparison = _negative(x)
    tail = bit_and_product_of(_in_ring(is_narrow(x)), _of_key(_in_ring(is_narrow(y))))
    program = partial(_bit_and_product, comparison=comparison, tail=tail)
    bit, product = over_blocks_in(y[:0], party, program, x, y, outputs=2, size=comparison.block)
    return bit, product


@costs(negative_times_cost)
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
    comparison = comparison.of(len(x))
    [bits] = over_blocks(party, partial(opened_comparison, comparison=comparison), x)
    return bits.words if bits.present else None


@cache
def parts_of(comparison: Comparison, columns: int) -> Tail[Choice]:
    """c·x of the key, and c·y of each column, all as long as it; dealt are λ, then λ·r of each."""

    def deal(wanted: Column, r: Sequence[Column]) -> list[Column]:
        return [wanted, *(wanted * row for row in r)]

    def combine(
        role: Role, e: OpenedBits, z: Sequence[Column], dealt: Sequence[Column]
    ) -> list[Choice]:
        bit, *bits_times_masks = dealt
        return [
            Choice(e, z_y, bit, product) for z_y, product in zip(z, bits_times_masks, strict=True)
        ]

    of_each = _of_key(comparison)
    return Tail((of_each,) * (columns + 1), (of_each,) * (columns + 2), deal, combine)


def columns_cost(*, columns: int = 1, narrow: bool = False) -> CostFunction:
    return comparison_cost(_in_ring(narrow), parts_of(_in_ring(narrow), columns))


@costs(columns_cost(columns=0))
def negative_part(party: Party, x: Shared) -> Shared:
    """min(x, 0): the difference that a compare-exchange moves from one element to the other."""
    [part] = over_blocks(party, partial(chosen, comparison=_negative(x)), x)
    return part


def _in_four_hops_cost(*, columns: int = 1) -> CostFunction:
    tail = parts_of(NEGATIVE, columns)
    return gates_cost(lambda n: NEGATIVE, opened=tail.opened, dealt=tail.dealt)


@costs(_in_four_hops_cost)
def negative_parts(party: Party, x: Shared, columns: Sequence[Shared]) -> list[Shared]:
    """min(x, 0), then [x < 0]·y for each column y, in four hops however many there are."""
    program = partial(chosen, comparison=NEGATIVE)
    return over_blocks(party, program, x, *columns, outputs=len(columns) + 1)


@costs(columns_cost)
def negative_parts_in_place(
    party: Party,
    length: int,
    add_to: Callable[[slice, Sequence[Column]], object],
    receive: Receive[Choice],
    *,
    columns: int = 0,
    narrow: bool = False,
) -> None:
    """`negative_parts` of keys and columns that lie anywhere: `add_to` adds those of a block.

    So neither the rows nor what moves need be put together in one vector, and what moves is
    computed where it is added. `narrow` rows are of numbers mod 2^32.
    """
    if not length:
        return
    comparison = _in_ring(narrow).of(length)
    tail = parts_of(_in_ring(narrow), columns)

    def of_block(part: slice) -> Program[Sequence[Choice] | None]:
        add_block = partial(add_to, part)
        length = part.stop - part.start
        return comparison_of(party, length, add_block, comparison=comparison, tail=tail)

    block_by_block(party, of_block, length, receive, size=comparison.block)


def exchange_cost(*, narrow: bool = False) -> CostFunction:
    return columns_cost(columns=0, narrow=narrow)


@costs(exchange_cost)
def compare_exchange(party: Party, a: InRing, b: InRing) -> tuple[InRing, InRing]:
    """(max(a, b), min(a, b)), for |a - b| < 2^63, or < 2^31 of numbers mod 2^32."""
    [larger], [smaller] = _exchanged(party, [a], [b])
    return larger, smaller


@costs(columns_cost)
def compare_exchange_columns(
    party: Party, a: Sequence[InRing], b: Sequence[InRing]
) -> tuple[list[InRing], list[InRing]]:
    """The rows of a and b with the larger key, and those with the smaller one.

    The first vector of each is the key, where |a - b| < 2^63; rows of equal keys stay.
    """
    if not a or len(a) != len(b):
        raise LocalProtocolError(f"rows of {len(a)} and of {len(b)} columns are exchanged")
    return _exchanged(party, a, b)


def _exchanged(
    party: Party, a: Sequence[InRing], b: Sequence[InRing]
) -> tuple[list[InRing], list[InRing]]:
    length = same_length([*a, *b])
    larger, smaller = ([_room(one) for one in a] for _ in range(2))
    sides = list(zip(a, b, larger, smaller, strict=True))

    def add_to(part: slice, columns: Sequence[Column]) -> None:
        for column, (one, other, *_) in zip(columns, sides, strict=True):
            add_difference(one.words[part], other.words[part], column)

    def receive(part: slice, moved: Sequence[Choice]) -> None:
        for one, places in zip(moved, sides, strict=True):
            one.exchange(0, *(place.words[part] for place in places))

    narrow = is_narrow(a[0])
    negative_parts_in_place(party, length, add_to, receive, columns=len(a) - 1, narrow=narrow)
    return larger, smaller


def _room(like: InRing) -> InRing:
    """A vector to write to, as long as another one."""
    if not like.present:
        return like
    return like.having(np.empty_like(like.words), len(like))


def _to_words(party: Party, length: int, plane: Words | None) -> Program[Sequence[Words] | None]:
    """One block of bits as words."""
    shape = (1, columns(length))
    if plane is None:
        [(of_p0, of_p1)] = party.both_masks(shape)
        party.deal(add=(unpack((of_p0 ^ of_p1).reshape(-1), length),))
        yield from in_step(1)
        return None
    [mine] = party.masks(shape)
    mine ^= plane
    opened = mine ^ uncrop((yield crop(mine, length)), 1, length)
    e = unpack(opened.reshape(-1), length)
    [dealt] = party.dealt((length,))
    return [bit_share(party.role, e, dealt)]


def _payload(n: int) -> int:
    return 8 * n + 16 * sum(cropped_words(1, part.stop - part.start) for part in blocks(n))


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
