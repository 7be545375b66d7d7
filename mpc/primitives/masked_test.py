"""The heart of every comparison: test a shared x against zero through a mask that the helper knows.

z = x + r is opened, r = r0 + r1 from the streams; then x = z - r, and questions about x become
questions about the public z and the helper's r: the sign of x is the sign of z, xor the sign of r,
xor the borrow [z' < r'] of the lower 63 bits; x = 0 where z = r. The bits are taken in 16 nibbles.
For each the helper deals shares of the 15 monomials of r's bits, so that [nibble of z < nibble of
r] and [equal] follow without speaking; two layers of gates of fan-in 4 join the nibbles:

    LT = lt3 + eq3·lt2 + eq3·eq2·lt1 + eq3·eq2·eq1·lt0,    EQ = eq3·eq2·eq1·eq0.

A last opening shows e = c xor λ of the wanted bit c, with λ known to the helper. What is wanted of
c, be it c itself or c·x = c·(z - r), is then local given dealt words (λ, λ·r): a `Tail` says which.

Everybody sees uniformly random words only: z is masked by r, each wire and c by bits of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from mpc.bits import columns, crop, cropped_words, pack, slice_bits, uncrop, unpack
from mpc.gates import Gate, Masked, Wire, chain, horner
from mpc.party import Party, Program
from mpc.primitives.blockwise import rows
from mpc.role import Role
from mpc.words import Shape, Words

NIBBLES = 16
GROUPS = 4
SIGN = 63
SPINE = (0, 1, 2)
_ONES = np.uint64((1 << 64) - 1)


@dataclass(frozen=True, slots=True)
class Test:
    """The gates that join the nibbles, how many low bits are compared, whether signs come in."""

    leaf: Gate
    join: Gate
    last: Gate
    bits: int
    with_sign: bool
    arrange: Callable[[list[Words], int], Words]


@dataclass(frozen=True, slots=True)
class Tail:
    """What is wanted of the bit c = e xor λ and of the opened z = x + r, each with a row a vector.

    `deal(λ, r)` lists the words that the helper shares; `combine(role, e, z, x, dealt)` is a
    proxy's shares of the results.
    """

    words: int
    deal: Callable[[Words, Words], Sequence[Words]]
    combine: Callable[[Role, Words, Words, Words, Words], Sequence[Words]]


def _most_significant_first(values: Words, groups: int) -> Words:
    """(4·groups, m) in ascending significance -> (4, groups, m) in descending."""
    return values.reshape(groups, 4, -1).transpose(1, 0, 2)[::-1]


def _arrange_less(values: list[Words], groups: int) -> Words:
    """Wires eq3, eq2, eq1, lt3, lt2, lt1, lt0, and eq0 where a further layer follows."""
    eq, lt = (_most_significant_first(value, groups) for value in values)
    return np.concatenate([eq[:3], lt, eq[3:]] if groups > 1 else [eq[:3], lt])


def _arrange_equal(values: list[Words], groups: int) -> Words:
    return np.ascontiguousarray(_most_significant_first(values[0], groups))


_LT_OF_NIBBLE = horner(SPINE, [Masked(0), Masked(1), Masked(2), Masked(3)])
_LT = horner(SPINE, [Wire(3), Wire(4), Wire(5), Wire(6)])
_JOIN_EQUAL = Gate(4, [chain(SPINE, 3)])


NEGATIVE = Test(
    leaf=Gate(4, [chain(SPINE, 3), _LT_OF_NIBBLE], masks_dealt=True),
    join=Gate(8, [chain(SPINE, 7), _LT]),
    last=Gate(7, [_LT]),
    bits=SIGN,
    with_sign=True,
    arrange=_arrange_less,
)
ZERO = Test(
    leaf=Gate(4, [chain(SPINE, 3)], masks_dealt=True),
    join=_JOIN_EQUAL,
    last=_JOIN_EQUAL,
    bits=64,
    with_sign=False,
    arrange=_arrange_equal,
)


def _nibble_wires(planes: Words) -> Words:
    """(64, m) planes -> (4, 16, m): the four bits of each nibble, the highest first."""
    return planes.reshape(NIBBLES, 4, -1)[:, ::-1].transpose(1, 0, 2)


def _ignore(planes: Words, bits: int, value: np.uint64) -> None:
    """Fill the planes above the lowest bits that are compared."""
    planes[bits:] = value


def _mask_shapes(test: Test, length: int, vectors: int) -> tuple[Shape, ...]:
    """r; the masks of both layers' wires."""
    m = columns(length)
    return (vectors, length), (test.join.wires, GROUPS, m), (test.last.wires, 1, m)


def _plane_shapes(test: Test, length: int) -> tuple[Shape, ...]:
    """What the helper deals to the three gates."""
    m = columns(length)
    return (test.leaf.dealt, NIBBLES, m), (test.join.dealt, GROUPS, m), (test.last.dealt, 1, m)


def _gate_masks(test: Test, r: Words, masks: Iterator[tuple[Words, Words]]) -> tuple[Words, ...]:
    """The helper's products for the three gates."""
    planes = slice_bits(r)
    _ignore(planes, test.bits, np.uint64(0))
    join, last = (of_p0 ^ of_p1 for of_p0, of_p1 in masks)
    return (
        test.leaf.products(_nibble_wires(planes)),
        test.join.products(join),
        test.last.products(last),
    )


def _joined(
    party: Party,
    length: int,
    x: Words,
    test: Test,
    masks: Iterator[Words],
    more_dealt: Sequence[Shape],
) -> Generator[Words, Words, tuple[Words, Words, Iterator[Words]]]:
    """Hops 1 to 3: the opened z, the proxy's share of the joined bit, what else was dealt.

    For a test with signs the sign of z is in P0's share, the sign of r still has to come in.
    """
    # hop 1: z = x + r
    mine = next(masks)
    mine += x
    z = mine + (yield mine).reshape(x.shape)
    shapes = _plane_shapes(test, length)
    dealt = party.dealt(
        *((cropped_words(prod(shape) // shape[-1], length),) for shape in shapes), *more_dealt
    )
    planes = slice_bits(z[0])
    sign = planes[SIGN].copy()
    # a wire says "equal at this bit": w = 1 xor z xor r, so its public bit is the complement of z's
    np.invert(planes, out=planes)
    _ignore(planes, test.bits, _ONES)
    leaf = uncrop(next(dealt), shapes[0], length)
    values = test.leaf.evaluate(party.role, _nibble_wires(planes), leaf)

    # hops 2 and 3: two layers of gates
    for gate, groups, shape in ((test.join, GROUPS, shapes[1]), (test.last, 1, shapes[2])):
        shares = next(masks)
        wires = test.arrange(values, groups)
        wires ^= shares
        public = wires ^ uncrop((yield crop(wires, length)), wires.shape, length)
        table = gate.table_of(uncrop(next(dealt), shape, length), shares)
        values = gate.evaluate(party.role, public, table)
    bit = values[0][0]
    if test.with_sign and party.role is Role.P0:
        bit ^= sign
    return z, bit, dealt


def masked_test(
    party: Party, length: int, *vectors: Words | None, test: Test, tail: Tail
) -> Program[Sequence[Words] | None]:
    """One block: test the first vector; the tail may use all of them. Four hops."""
    shapes = (*_mask_shapes(test, length, len(vectors)), (columns(length),))
    if party.is_helper:
        (r, r1), *gate_masks, (of_p0, of_p1) = party.both_masks(*shapes)
        r += r1
        planes = _gate_masks(test, r[0], iter(gate_masks))
        wanted = unpack(of_p0 ^ of_p1, length)
        if test.with_sign:
            wanted ^= r[0] >> np.uint64(SIGN)
        party.deal(
            xor=[crop(plane, length) for plane in planes],
            add=[np.stack(tail.deal(wanted, r))],
        )
        return None
    x = rows(vectors)
    masks = party.masks(*shapes)
    z, bit, dealt = yield from _joined(party, length, x, test, masks, [(tail.words, length)])
    # hop 4: e = c xor λ
    bit ^= next(masks)
    e = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    return tail.combine(party.role, unpack(e, length), z, x, next(dealt))


def opened_test(
    party: Party, length: int, vector: Words | None, *, test: Test
) -> Program[Sequence[Words] | None]:
    """One block: open the bit itself to both proxies, unmasked. Four hops."""
    shapes = _mask_shapes(test, length, 1)
    if party.is_helper:
        (r, r1), *gate_masks = party.both_masks(*shapes)
        r += r1
        planes = _gate_masks(test, r[0], iter(gate_masks))
        signs = [pack(r[0] >> np.uint64(SIGN))] if test.with_sign else []
        party.deal(xor=[crop(plane, length) for plane in (*planes, *signs)])
        return None
    more = [(cropped_words(1, length),)] if test.with_sign else []
    masks = party.masks(*shapes)
    _, bit, dealt = yield from _joined(party, length, rows([vector]), test, masks, more)
    if test.with_sign:
        bit ^= uncrop(next(dealt), bit.shape, length)
    # hop 4: c
    c = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    return [unpack(c, length)]


def tested_words(test: Test, length: int) -> int:
    """Words over all links for one block's gates: dealt once, masked wires and bit both ways."""
    dealt = ((NIBBLES, test.leaf.dealt), (GROUPS, test.join.dealt), (1, test.last.dealt))
    opened = ((GROUPS, test.join.wires), (1, test.last.wires), (1, 1))
    return sum(cropped_words(groups * planes, length) for groups, planes in dealt) + 2 * sum(
        cropped_words(groups * planes, length) for groups, planes in opened
    )
