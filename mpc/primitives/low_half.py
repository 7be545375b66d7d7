"""The lower 32 bits of a shared number: shares mod 2^32 lifted to Z_2^64, in four hops.

The lower halves x0 and x1 of a word's shares are shares of x mod 2^32, two of which travel in a
word. They are masked mod 2^32 by r0 and r1, which the proxies draw and the helper knows, and opened
as z = x + r. As in `ppaurora.mpc.primitives.comparison` the proxies find shares of the borrow
c = [z < r], in nibbles, in groups of four nibbles and then of the two groups of each number; they
open e = c xor λ. With r = r0 + r1 - 2^32·k and c = e + (1 - 2e)·λ,

    x = z - r + 2^32·c = z - r0 - r1 + 2^32·(k + e + (1 - 2e)·λ).

Of k and λ only shares mod 2^32 are needed, as they are multiplied by 2^32. So a number takes 42
bytes, and two comparisons of 64 bits, which would tell whether it is below 2^32, 154.

Nobody learns anything. Whatever the word was, the result is below 2^32: its owner can have chosen
no other number.

Whoever deviates: z1, each wire and e lie beneath a word or bit of P1's stream that is read once, so
that P0 sees random words whatever it sent before, and the same the other way round; what is dealt
lies beneath the other's stream. A wrong message makes another number, which nothing here shows.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.bits import NIBBLES, columns, crop, cropped_words, uncrop, unpack
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.gates import Gate, Wire, horner
from ppaurora.mpc.kernels import (
    evaluate,
    evaluate_on_nibbles,
    products,
    products_of_nibbles,
    transpose,
)
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.primitives.comparison import EXCHANGES, GROUPS, NEGATIVE, arrange_less
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Halves, Shape, Words, blocks

ALL_BITS = np.uint64((1 << 64) - 1)
HALF = np.uint64(32)
_PAIR = Gate(3, [horner((0,), [Wire(1), Wire(2)])])
"""lt1 + eq1·lt0, of the two groups of a number. Wires: eq1, lt1, lt0."""


def _mask_shapes(words: int) -> tuple[Shape, ...]:
    """The masks of the numbers, of both joining layers' wires, and of the bit."""
    m = columns(words)
    return (words,), (NEGATIVE.join.wires, GROUPS, m), (_PAIR.wires, 2, m), (2, 1, m)


def _dealt_shapes(words: int) -> tuple[Shape, Shape, Shape]:
    """The deals to the three layers: a plane of the last one is cropped by itself."""
    m = columns(words)
    return (
        (NEGATIVE.leaf.dealt, NIBBLES, m),
        (NEGATIVE.join.dealt, GROUPS, m),
        (2 * _PAIR.dealt, 1, m),
    )


def _of_block(length: int) -> int:
    words = (length + 1) // 2
    dealt = sum(cropped_words(planes, rows, words) for planes, rows, _ in _dealt_shapes(words))
    opened = (
        cropped_words(NEGATIVE.join.wires, GROUPS, words)
        + cropped_words(2 * _PAIR.wires, 1, words)
        + cropped_words(2, 1, words)
    )
    # the numbers both ways, then λ and k
    return 8 * (2 * words + 2 * words + dealt + 2 * opened)


def _payload(n: int) -> int:
    return sum(_of_block(part.stop - part.start) for part in blocks(n)) if n else 0


@costs(CostFunction.fixed(EXCHANGES, _payload))
def low_half(party: Party, x: Shared) -> Shared:
    """x mod 2^32, as a number of Z_2^64."""
    [half] = over_blocks(party, _lifted, x)
    return half


def _deal(party: Party, words: int) -> None:
    """The helper's part for so many pairs of numbers."""
    (r0, r1), *wires, (of_p0, of_p1) = party.both_masks(*_mask_shapes(words))
    r = _halves(r0) + _halves(r1)
    join, last = (ours ^ theirs for ours, theirs in wires)
    planes = (
        products_of_nibbles(NEGATIVE.leaf, r.view(np.uint64), ALL_BITS),
        products(NEGATIVE.join, join),
        products(_PAIR, last).reshape(2 * _PAIR.dealt, 1, -1),
    )
    bits = _interleaved(of_p0 ^ of_p1, words).astype(np.uint32)
    overflows = (r < _halves(r0)).astype(np.uint32)
    party.deal(xor=[crop(plane, words) for plane in planes], add=[bits, overflows])


def _lifted(party: Party, length: int, x: Words | None) -> Program[list[Words] | None]:
    """`low_half` on one block."""
    words = (length + 1) // 2
    if party.is_helper or x is None:
        _deal(party, words)
        yield from in_step(EXCHANGES)
        return None
    masks = party.masks(*_mask_shapes(words))

    # hop 1: z = x + r
    r = _halves(next(masks))
    mine = r.copy()
    mine[:length] += x.astype(np.uint32)
    z = mine + _halves((yield mine.view(np.uint64)))
    shapes = _dealt_shapes(words)
    cropped = [(cropped_words(planes, rows, words),) for planes, rows, _ in shapes]
    dealt = party.dealt(*cropped, (words,), (words,))
    leaves = uncrop(next(dealt), shapes[0], words)
    values = evaluate_on_nibbles(NEGATIVE.leaf, party.role, z.view(np.uint64), ALL_BITS, leaves)

    # hop 2: the nibbles of each group
    shares = next(masks)
    wires = arrange_less(values, shares)
    public = wires ^ uncrop((yield crop(wires, words)), wires.shape, words)
    of_join = uncrop(next(dealt), shapes[1], words)
    values = evaluate(NEGATIVE.join, party.role, public, of_join, shares)

    # hop 3: the two groups of each number, the lower number of a word first
    shares = next(masks)
    equal, less = (transpose(value, 16) for value in values)
    wires = np.stack([equal[1::2], less[1::2], less[0::2]]) ^ shares
    public = (wires ^ _opened((yield _cropped(wires, words)), wires, words)).reshape(wires.shape)
    of_last = uncrop(next(dealt), shapes[2], words).reshape(_PAIR.dealt, 2, -1)
    [borrow] = evaluate(_PAIR, party.role, public, of_last, shares)

    # hop 4: e = c xor λ
    bit = borrow[:, None] ^ next(masks)
    e = _interleaved(bit ^ _opened((yield _cropped(bit, words)), bit, words), words)
    of_bit, of_overflow = (_halves(share).astype(np.uint64) for share in dealt)
    borrows = of_overflow + np.where(e, np.negative(of_bit), of_bit)
    half = np.negative(r.astype(np.uint64))
    if party.role is Role.P0:
        borrows += e
        half += z
    half += borrows << HALF
    return [half[:length]]


def _halves(words: Words) -> Halves:
    """Words as the numbers mod 2^32 that they hold."""
    return np.ascontiguousarray(words).view(np.uint32)


def _cropped(planes: Words, words: int) -> Words:
    """The used words of planes that hold one bit of every second number."""
    return crop(planes.reshape(-1, 1, planes.shape[-1]), words)


def _opened(received: Words, planes: Words, words: int) -> Words:
    """The planes, in their shape, that `_cropped` made these words of."""
    shape = (planes.size // planes.shape[-1], 1, planes.shape[-1])
    return uncrop(received, shape, words).reshape(planes.shape)


def _interleaved(planes: Words, words: int) -> Words:
    """The bits of the two planes, those of lower and of higher halves, number by number."""
    return np.stack([unpack(plane.reshape(-1), words) for plane in planes], axis=1).reshape(-1)
