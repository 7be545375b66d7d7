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
`opened_test` leaves out that last mask: both proxies learn c, as its callers declare.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.bits import columns, crop, cropped_words, load, pack, turn, uncrop, unpack
from ppaurora.mpc.gates import Gate, Masked, Wire, chain, horner
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import rows
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Shape, Words

NIBBLES = 16
GROUPS = 4
SIGN = 63
SPINE = (0, 1, 2)
EXCHANGES = 4


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
    combine: Callable[[Role, Words, Words, Words, Sequence[Words]], Sequence[Words]]


def _most_significant_first(values: Words, groups: int) -> Words:
    """The values of four nibbles or groups, side by side in a word's bits, apart from each other.

    (4·groups, m) -> (4, groups, m), the most significant first; spends `values`.
    """
    turn(values, 16 // groups)
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


def _nibble_wires(words: Words, bits: int) -> Words:
    """The lowest bits of the words as wires, (4, 16, m): a nibble's four bits, the highest first.

    Each of the 16 rows holds all nibbles of a sixteenth of the elements; the other bits are zero.
    """
    planes = turn(load(words, np.uint64((1 << bits) - 1)), 1)
    return planes.reshape(NIBBLES, 4, -1)[:, ::-1].transpose(1, 0, 2)


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
    join, last = (of_p0 ^ of_p1 for of_p0, of_p1 in masks)
    return (
        test.leaf.products(_nibble_wires(r, test.bits)),
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

    For a test with signs those of z and r still have to come in.
    """
    # hop 1: z = x + r
    mine = next(masks)
    mine += x
    z = mine + (yield mine).reshape(x.shape)
    shapes = _plane_shapes(test, length)
    cropped = [(cropped_words(planes, rows, length),) for planes, rows, _ in shapes]
    dealt = party.dealt(*cropped, *more_dealt)
    # a wire says "equal at this bit": w = 1 xor z xor r, so its public bit is the complement of z's
    public = _nibble_wires(z[0], test.bits)
    np.invert(public, out=public)
    leaf = uncrop(next(dealt), shapes[0], length)
    values = test.leaf.evaluate(party.role, public, leaf)

    # hops 2 and 3: two layers of gates
    for gate, groups, shape in ((test.join, GROUPS, shapes[1]), (test.last, 1, shapes[2])):
        shares = next(masks)
        wires = test.arrange(values, groups)
        wires ^= shares
        public = wires ^ uncrop((yield crop(wires, length)), wires.shape, length)
        table = gate.table_of(uncrop(next(dealt), shape, length), shares)
        values = gate.evaluate(party.role, public, table)
    return z, values[0][None], dealt


def _opened(length: int, bit: Words) -> Generator[Words, Words, Words]:
    """Hop 4: a shared bit is opened."""
    opened = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    return unpack(opened.reshape(-1), length)


def _signs(z: Words) -> Words:
    return z >> np.uint64(SIGN)


def masked_test(
    party: Party, length: int, *vectors: Words | None, test: Test, tail: Tail
) -> Program[Sequence[Words] | None]:
    """One block: test the first vector; the tail may use all of them. Four hops."""
    shapes = (*_mask_shapes(test, length, len(vectors)), (columns(length),))
    if party.is_helper:
        _deal_masked(party, length, shapes, test, tail)
        yield from in_step(EXCHANGES)
        return None
    x = rows(vectors)
    masks = party.masks(*shapes)
    z, bit, dealt = yield from _joined(party, length, x, test, masks, [(length,)] * tail.words)
    # e = c xor λ
    bit ^= next(masks)
    e = yield from _opened(length, bit)
    if test.with_sign:
        e ^= _signs(z[0])
    return tail.combine(party.role, e, z, x, tuple(dealt))


def _deal_masked(
    party: Party, length: int, shapes: Sequence[Shape], test: Test, tail: Tail
) -> None:
    """The helper's part where the bit stays masked."""
    (r, r1), *gate_masks, (of_p0, of_p1) = party.both_masks(*shapes)
    r += r1
    planes = _gate_masks(test, r[0], iter(gate_masks))
    wanted = unpack(of_p0 ^ of_p1, length)
    if test.with_sign:
        wanted ^= _signs(r[0])
    party.deal(xor=[crop(plane, length) for plane in planes], add=tail.deal(wanted, r))


def opened_test(
    party: Party, length: int, vector: Words | None, *, test: Test
) -> Program[Sequence[Words] | None]:
    """One block: open the bit itself to both proxies, unmasked. Four hops."""
    shapes = _mask_shapes(test, length, 1)
    if party.is_helper:
        _deal_opened(party, length, shapes, test)
        yield from in_step(EXCHANGES)
        return None
    more = [(cropped_words(1, 1, length),)] if test.with_sign else []
    masks = party.masks(*shapes)
    z, bit, dealt = yield from _joined(party, length, rows([vector]), test, masks, more)
    if test.with_sign:
        bit ^= uncrop(next(dealt), bit.shape, length)
        if party.role is Role.P0:
            bit ^= pack(_signs(z[0]))
    return [(yield from _opened(length, bit))]


def _deal_opened(party: Party, length: int, shapes: Sequence[Shape], test: Test) -> None:
    """The helper's part where the bit is opened."""
    (r, r1), *gate_masks = party.both_masks(*shapes)
    r += r1
    planes = _gate_masks(test, r[0], iter(gate_masks))
    signs = [pack(_signs(r[0]))[None, None]] if test.with_sign else []
    party.deal(xor=[crop(plane, length) for plane in (*planes, *signs)])


def tested_words(test: Test, length: int) -> int:
    """Words over all links for one block's gates: dealt once, masked wires and bit both ways."""
    dealt = ((test.leaf.dealt, NIBBLES), (test.join.dealt, GROUPS), (test.last.dealt, 1))
    opened = ((test.join.wires, GROUPS), (test.last.wires, 1), (1, 1))
    return sum(cropped_words(planes, rows, length) for planes, rows in dealt) + 2 * sum(
        cropped_words(planes, rows, length) for planes, rows in opened
    )
