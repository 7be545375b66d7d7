"""A shared x compared with zero through a mask r that only the helper knows: one block at a time.

z = x + r is opened, where r = r0 + r1 comes from the streams. Since x = z - r, what is asked of x
is answered by the public z and the helper's r:

    [x < 0] = sign of z xor sign of r xor [z' < r'],    z' and r' the lower 63 bits,
    [x = 0] = [z = r].

Both are taken in 16 nibbles of four bits. For each nibble the helper deals shares of the 15
products of its bits of r; with them a proxy computes its shares of [nibble of z < nibble of r] and
[nibble of z = nibble of r] without a message. Two layers of gates then join four nibbles to a group
and the four groups to the whole, in each layer by

    LT = lt3 + eq3·lt2 + eq3·eq2·lt1 + eq3·eq2·eq1·lt0,    EQ = eq3·eq2·eq1·eq0.

The last hop opens e = c xor λ, where c is the wanted bit and the helper knows the random bit λ.
Whatever is wanted of c, such as c itself as a word or c·x = c·(z - r), each proxy then computes
from e, z and words that the helper deals, such as λ and λ·r: a `Tail` says which.

Everybody sees uniformly random words only: z is masked by r, each wire and c by bits of their own.
`opened_comparison` leaves λ out: both proxies learn c, as its callers declare.

Whoever deviates receives z1, wires and the last bit, each beneath a word or bit of P1's stream that
is read once, so that P0 sees random words whatever it sent before; what is dealt lies beneath the
other's stream. Without λ the last hop shows the bit of what x has become by then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from ppaurora.mpc.bits import NIBBLES, columns, crop, cropped_words, pack, uncrop, unpack
from ppaurora.mpc.gates import Gate, Masked, Wire, chain, horner
from ppaurora.mpc.kernels import (
    arrange,
    bits_and_signs,
    evaluate,
    evaluate_on_nibbles,
    products,
    products_of_nibbles,
    signs,
)
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import Output, rows
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Shape, Words

GROUPS = 4
SIGN = 63
SPINE = (0, 1, 2)
EXCHANGES = 4


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question about z and r, as the gates of three layers.

    `leaf` compares each nibble, `join` joins four nibbles to a group, `last` the four groups to one
    bit. `bits` is how many of the lowest bits are compared; with `with_sign` the signs of z and r
    are added to the result. `arrange` makes the values of one layer the wires of the next one, xor
    their masks.
    """

    leaf: Gate
    join: Gate
    last: Gate
    bits: int
    with_sign: bool
    arrange: Callable[[list[Words], Words], Words]

    @property
    def mask(self) -> np.uint64:
        """The compared bits of a word."""
        return np.uint64((1 << self.bits) - 1)

    def mask_shapes(self, length: int, vectors: int) -> tuple[Shape, ...]:
        """The shapes of r for so many vectors, and of the masks of both joining layers' wires."""
        m = columns(length)
        return (vectors, length), (self.join.wires, GROUPS, m), (self.last.wires, 1, m)

    def dealt_shapes(self, length: int) -> tuple[Shape, Shape, Shape]:
        """The shapes of what the helper deals to the three layers."""
        m = columns(length)
        return (self.leaf.dealt, NIBBLES, m), (self.join.dealt, GROUPS, m), (self.last.dealt, 1, m)

    def words(self, length: int) -> int:
        """Words over all links for the gates of one block: dealt once, opened both ways."""
        dealt = ((self.leaf.dealt, NIBBLES), (self.join.dealt, GROUPS), (self.last.dealt, 1))
        opened = ((self.join.wires, GROUPS), (self.last.wires, 1), (1, 1))
        return sum(cropped_words(planes, rows, length) for planes, rows in dealt) + 2 * sum(
            cropped_words(planes, rows, length) for planes, rows in opened
        )


@dataclass(frozen=True, slots=True)
class OpenedBits:
    """The opened bits e of a block: those of `plane`, xor the signs of words, if there are any."""

    plane: Words
    signed: Words | None
    length: int

    def words(self) -> Words:
        """The bits as words 0 or 1."""
        if self.signed is None:
            return unpack(self.plane, self.length)
        return bits_and_signs(self.plane, self.signed)


@dataclass(frozen=True, slots=True)
class Tail(Generic[Output]):
    """The end of a comparison: results of the bit c = e xor λ and the opened z = x + r, in rows.

    `deal(λ, r)` lists the words that the helper shares, `words` in number; `combine(role, e, z,
    dealt)` is a proxy's shares of the results, or of what makes them of x.
    """

    words: int
    deal: Callable[[Words, Words], Sequence[Words]]
    combine: Callable[[Role, OpenedBits, Words, Sequence[Words]], Sequence[Output]]


def arrange_less(values: list[Words], masks: Words) -> Words:
    """The wires eq3, eq2, eq1, lt3, lt2, lt1, lt0, and eq0 unless there are no masks for it."""
    eq, lt = values
    wires = np.empty_like(masks)
    arrange(eq, masks, wires, first=0, last=7 if len(masks) > 7 else None)
    arrange(lt, masks, wires, first=3, last=6)
    return wires


def _arrange_equal(values: list[Words], masks: Words) -> Words:
    """The wires eq3, eq2, eq1, eq0."""
    wires = np.empty_like(masks)
    arrange(values[0], masks, wires, first=0, last=3)
    return wires


_LT_OF_NIBBLE = horner(SPINE, [Masked(0), Masked(1), Masked(2), Masked(3)])
_LT = horner(SPINE, [Wire(3), Wire(4), Wire(5), Wire(6)])
_JOIN_EQUAL = Gate(4, [chain(SPINE, 3)], name="join_four_equal")


NEGATIVE = Comparison(
    leaf=Gate(4, [chain(SPINE, 3), _LT_OF_NIBBLE], masks_dealt=True, name="nibbles_less_equal"),
    join=Gate(8, [chain(SPINE, 7), _LT], name="join_four_less_equal"),
    last=Gate(7, [_LT], name="join_four_less"),
    bits=SIGN,
    with_sign=True,
    arrange=arrange_less,
)
"""[x < 0]."""

ZERO = Comparison(
    leaf=Gate(4, [chain(SPINE, 3)], masks_dealt=True, name="nibbles_equal"),
    join=_JOIN_EQUAL,
    last=_JOIN_EQUAL,
    bits=64,
    with_sign=False,
    arrange=_arrange_equal,
)
"""[x = 0]."""


def _products_of_masks(
    comparison: Comparison, r: Words, masks: Iterator[tuple[Words, Words]]
) -> tuple[Words, ...]:
    """The helper's deal to the three layers."""
    join, last = (of_p0 ^ of_p1 for of_p0, of_p1 in masks)
    return (
        products_of_nibbles(comparison.leaf, r, comparison.mask),
        products(comparison.join, join),
        products(comparison.last, last),
    )


def _joined(
    party: Party,
    length: int,
    x: Words,
    comparison: Comparison,
    masks: Iterator[Words],
    more_dealt: Sequence[Shape],
) -> Generator[Words, Words, tuple[Words, Words, Iterator[Words]]]:
    """Hops 1 to 3: the opened z, the proxy's share of the last layer's bit, what else was dealt.

    The signs of z and r are not in that bit yet.
    """
    # hop 1: z = x + r
    mine = next(masks)
    mine += x
    del x  # as all blocks wait in a hop, none keeps what it has used
    z = mine + (yield mine).reshape(mine.shape)
    del mine
    shapes = comparison.dealt_shapes(length)
    cropped = [(cropped_words(planes, rows, length),) for planes, rows, _ in shapes]
    dealt = party.dealt(*cropped, *more_dealt)
    values = evaluate_on_nibbles(
        comparison.leaf, party.role, z[0], comparison.mask, uncrop(next(dealt), shapes[0], length)
    )

    # hops 2 and 3: each layer opens its masked wires
    layers = ((comparison.join, shapes[1]), (comparison.last, shapes[2]))
    for gate, shape in layers:
        shares = next(masks)
        wires = comparison.arrange(values, shares)
        public = wires ^ uncrop((yield crop(wires, length)), wires.shape, length)
        del wires
        values = evaluate(gate, party.role, public, uncrop(next(dealt), shape, length), shares)
        del public, shares
    return z, values[0][None], dealt


def _with_signs(comparison: Comparison, bits: Words, words: Words) -> OpenedBits:
    """The bits of a plane, xor the signs of the words where signs are compared."""
    return OpenedBits(bits.reshape(-1), words if comparison.with_sign else None, words.size)


def masked_comparison(
    party: Party, length: int, *vectors: Words | None, comparison: Comparison, tail: Tail[Output]
) -> Program[Sequence[Output] | None]:
    """Compare one block's first vector with zero and return the results of `tail`. Four hops."""
    shapes = (*comparison.mask_shapes(length, len(vectors)), (columns(length),))
    if party.is_helper:
        _deal_masked(party, length, shapes, comparison, tail)
        yield from in_step(EXCHANGES)
        return None
    masks = party.masks(*shapes)
    tail_shapes = [(length,)] * tail.words
    joined = _joined(party, length, rows(vectors), comparison, masks, tail_shapes)
    del vectors
    z, bit, dealt = yield from joined
    # e = c xor λ
    bit ^= next(masks)
    opened = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    e = _with_signs(comparison, opened, z[0])
    return tail.combine(party.role, e, z, tuple(dealt))


def _deal_masked(
    party: Party, length: int, shapes: Sequence[Shape], comparison: Comparison, tail: Tail[Any]
) -> None:
    """The helper's part where the bit stays masked."""
    (r, r1), *wire_masks, (of_p0, of_p1) = party.both_masks(*shapes)
    r += r1
    planes = _products_of_masks(comparison, r[0], iter(wire_masks))
    wanted = _with_signs(comparison, of_p0 ^ of_p1, r[0]).words()
    party.deal(xor=[crop(plane, length) for plane in planes], add=tail.deal(wanted, r))


def opened_comparison(
    party: Party, length: int, vector: Words | None, *, comparison: Comparison
) -> Program[Sequence[Words] | None]:
    """The bit c itself as words 0 or 1 on one block; both proxies learn it. Four hops."""
    shapes = comparison.mask_shapes(length, 1)
    if party.is_helper:
        _deal_opened(party, length, shapes, comparison)
        yield from in_step(EXCHANGES)
        return None
    more = [(cropped_words(1, 1, length),)] if comparison.with_sign else []
    masks = party.masks(*shapes)
    z, bit, dealt = yield from _joined(party, length, rows([vector]), comparison, masks, more)
    if comparison.with_sign:
        bit ^= uncrop(next(dealt), bit.shape, length)
        if party.role is Role.P0:
            bit ^= pack(signs(z[0]))
    opened = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    return [unpack(opened.reshape(-1), length)]


def _deal_opened(
    party: Party, length: int, shapes: Sequence[Shape], comparison: Comparison
) -> None:
    """The helper's part where the bit is opened."""
    (r, r1), *wire_masks = party.both_masks(*shapes)
    r += r1
    planes = _products_of_masks(comparison, r[0], iter(wire_masks))
    of_signs = [pack(signs(r[0]))[None, None]] if comparison.with_sign else []
    party.deal(xor=[crop(plane, length) for plane in (*planes, *of_signs)])
