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

Each bit that is multiplied is a wire, opened beneath a mask. lt3 is only added: the proxies keep
their shares of it and open nothing. EQ of the lowest group is in no LT, so that neither its eq0 nor
the products for that are sent; the planes that hold those of all groups are folded (`bits.fold`).

The last hop opens e = c xor λ, where c is the wanted bit and the helper knows the random bit λ.
Whatever is wanted of c, such as c itself as a word or c·x = c·(z - r), each proxy then computes
from e, z and words that the helper deals, such as λ and λ·r: a `Tail` says which.

Numbers mod 2^32 are compared likewise, of 31 bits and a sign, for half the bytes. Two of them share
a word, whose 16 nibbles become four groups as ever; the last layer joins the two groups of each
number, so that it has two planes of wires, for the lower and for the upper numbers of the words.

Everybody sees uniformly random words only: z is masked by r, each wire and c by bits of their own.
`opened_comparison` leaves λ out: both proxies learn c, as its callers declare.

Whoever deviates receives z1, wires and the last bit, each beneath a word or bit of P1's stream that
is read once, so that P0 sees random words whatever it sent before; what is dealt lies beneath the
other's stream. Without λ the last hop shows the bit of what x has become by then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np

from ppaurora.mpc.bits import (
    FOLDED_ROWS,
    GROUP_ROWS,
    NIBBLES,
    PlaneLayout,
    columns,
    crop,
    cropped_words,
    pack,
    uncrop,
    unpack,
)
from ppaurora.mpc.gates import Addend, Gate, Masked, Wire, chain, horner
from ppaurora.mpc.kernels import (
    OpenedBits,
    evaluate,
    folded_products,
    join_to_wires,
    nibbles_to_wires,
    products,
    signs,
    sum_and_products_of_nibbles,
)
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import AddTo, Output
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, WORD_BYTES, Column, ColumnLayout, Shape, Words

WORD_BITS = 64
SIGN, HALF_SIGN = 63, 31
SPINE = (0, 1, 2)
EXCHANGES = 4


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question about z and r, as the gates of three layers.

    `leaf` compares each nibble, `join` joins four nibbles to a group, `last` the groups of a number
    to one bit. `lanes` is how many numbers share a word, of which the lowest `bits` are compared;
    with `with_sign` the signs of z and r are added to the result.
    """

    leaf: Gate
    join: Gate
    last: Gate
    bits: int
    with_sign: bool
    lanes: int = 1

    @property
    def mask(self) -> np.uint64:
        """The compared bits of a word."""
        of_each, apart = (1 << self.bits) - 1, WORD_BITS // self.lanes
        return np.uint64(sum(of_each << apart * lane for lane in range(self.lanes)))

    @property
    def block(self) -> int:
        """The numbers of a block: as many words of them, whatever their size."""
        return BLOCK * self.lanes

    def words_of(self, length: int) -> int:
        """The words that hold so many numbers."""
        return -(-length // self.lanes)

    @property
    def less(self) -> bool:
        """True if numbers are compared for less, too; else for equality alone."""
        return len(self.leaf.polynomials) > 1

    def opened(self) -> tuple[PlaneLayout, PlaneLayout, PlaneLayout]:
        """The planes that a proxy sends: the wires of both joining layers, and the bit."""
        return (
            self._of_groups(self.join.wires, 1),
            self._of_numbers(self.last.wires),
            self._of_numbers(1),
        )

    def dealt(self) -> tuple[PlaneLayout, PlaneLayout, PlaneLayout]:
        """The planes that the helper deals to the three layers."""
        return (
            PlaneLayout(((self.leaf.dealt, NIBBLES),)),
            self._of_groups(self.join.dealt, self.join.dealt_with_last),
            self._of_numbers(self.last.dealt),
        )

    def _of_groups(self, planes: int, of_last_wire: int) -> PlaneLayout:
        """Planes of four groups; where the lowest need not be equal, the last ones are folded."""
        if not self.less:
            return PlaneLayout(((planes, GROUP_ROWS),))
        folded = of_last_wire, FOLDED_ROWS[self.lanes]
        return PlaneLayout(((planes - of_last_wire, GROUP_ROWS), folded))

    def _of_numbers(self, planes: int) -> PlaneLayout:
        return PlaneLayout(((planes * self.lanes, 1),))

    def mask_shapes(self, length: int, opened: int) -> tuple[Shape, ...]:
        """The shapes of r, so many words, and of the masks of both joining layers' wires."""
        words = self.words_of(length)
        of_join, _, _ = self.opened()
        return (opened,), of_join.shape(words), (self.last.wires, self.lanes, columns(words))

    def bit_shape(self, length: int) -> Shape:
        """The shape of the planes of one bit a number."""
        return (self.lanes, 1, columns(self.words_of(length)))

    def gate_words(self, length: int) -> int:
        """Words over all links for the gates of one block: dealt once, opened both ways."""
        words = self.words_of(length)
        dealt = sum(layer.words(words) for layer in self.dealt())
        return dealt + 2 * sum(layer.words(words) for layer in self.opened())


@dataclass(frozen=True, slots=True)
class Tail(Generic[Output]):
    """The end of a comparison: results of the bit c = e xor λ and of opened columns z = x + r.

    `opened` and `dealt` say how many bytes the numbers of each column have. `deal(λ, r)` lists the
    columns that the helper shares, of a λ as long as what is compared; `combine(role, e, z, dealt)`
    is a proxy's shares of the results, or of what makes them of x.
    """

    opened: tuple[int, ...]
    dealt: tuple[int, ...]
    deal: Callable[[Column, Sequence[Column]], Sequence[Column]]
    combine: Callable[[Role, OpenedBits, Sequence[Column], Sequence[Column]], Sequence[Output]]


_LT_OF_NIBBLE = horner(SPINE, [Masked(0), Masked(1), Masked(2), Masked(3)])
_LT = horner(SPINE, [Addend(0), Wire(3), Wire(4), Wire(5)])
_JOIN_EQUAL = Gate(4, [chain(SPINE, 3)], name="join_four_equal")


NEGATIVE = Comparison(
    leaf=Gate(4, [chain(SPINE, 3), _LT_OF_NIBBLE], masks_dealt=True, name="nibbles_less_equal"),
    join=Gate(7, [chain(SPINE, 6), _LT], name="join_four_less_equal"),
    last=Gate(6, [_LT], name="join_four_less"),
    bits=SIGN,
    with_sign=True,
)
"""[x < 0]."""

HALF_NEGATIVE = replace(
    NEGATIVE,
    last=Gate(2, [horner((0,), [Addend(0), Wire(1)])], name="join_two_less"),
    bits=HALF_SIGN,
    lanes=2,
)
"""[x < 0] of numbers mod 2^32."""

ZERO = Comparison(
    leaf=Gate(4, [chain(SPINE, 3)], masks_dealt=True, name="nibbles_equal"),
    join=_JOIN_EQUAL,
    last=_JOIN_EQUAL,
    bits=64,
    with_sign=False,
)
"""[x = 0]."""


def products_of_masks(
    comparison: Comparison, layout: ColumnLayout, masks: Iterator[tuple[Words, Words]]
) -> tuple[Words, list[Words]]:
    """The helper's r of all columns, and the words that it deals to the three layers."""
    (of_p0, of_p1), join, last = masks
    r, key, m = np.empty_like(of_p0), slice(layout.sizes[0]), last[0].shape[-1]
    of_leaves = sum_and_products_of_nibbles(
        comparison.leaf, of_p0[key], of_p1[key], r[key], comparison.mask, comparison.lanes
    )
    _add_up_the_others(layout, of_p0, of_p1, r)
    if comparison.less:
        of_groups = folded_products(comparison.join, *join, comparison.lanes)
    else:
        of_groups = products(comparison.join, *(rows.reshape(-1, GROUP_ROWS, m) for rows in join))
    words = comparison.words_of(layout.n)
    of_layers = of_leaves, of_groups, products(comparison.last, *last)
    return r, [
        sent.crop(planes, words) for sent, planes in zip(comparison.dealt(), of_layers, strict=True)
    ]


def _add_up_the_others(layout: ColumnLayout, words: Words, others: Words, sums: Words) -> None:
    """Write the sums of all columns but the first one, which is added up where it is compared."""
    beyond = slice(layout.sizes[0], None)
    if words[beyond].size:
        sums[beyond] = layout.beyond_the_first.sum(words[beyond], others[beyond])


def joined(
    party: Party,
    length: int,
    mine: Words,
    layout: ColumnLayout,
    comparison: Comparison,
    masks: Iterator[Words],
    more_dealt: Sequence[Shape],
) -> Generator[Words, Words, tuple[Words, Words, Iterator[Words]]]:
    """Hops 1 to 3: the opened z, the proxy's share of the last layer's bit, what else was dealt.

    `mine` are the proxy's masked columns, those first that are compared. The signs of z and r are
    not in that bit yet.
    """
    # hop 1: z = x + r
    theirs, z = (yield mine), np.empty_like(mine)
    words = comparison.words_of(length)
    (of_groups, of_numbers, _), layouts = comparison.opened(), comparison.dealt()
    dealt = party.dealt(*((layout.words(words),) for layout in layouts), *more_dealt)
    of_leaves = layouts[0].uncrop(next(dealt), words).reshape(-1, NIBBLES, columns(words))
    masks_of_join = next(masks)
    wires, addend = nibbles_to_wires(
        comparison.leaf,
        party.role,
        mine[:words],
        theirs[:words],
        z[:words],
        comparison.mask,
        of_leaves,
        masks_of_join,
        comparison.lanes,
    )
    _add_up_the_others(layout, mine, theirs, z)
    del mine, theirs, of_leaves  # as all blocks wait in a hop, none keeps what it has used

    # hop 2: the nibbles of each group
    theirs = of_groups.uncrop((yield of_groups.crop(wires, words)), words)
    of_join, masks_of_last = layouts[1].uncrop(next(dealt), words), next(masks)
    wires, addend = join_to_wires(
        comparison.join, party.role, wires, theirs, of_join, masks_of_join, addend, masks_of_last
    )
    del theirs, of_join, masks_of_join

    # hop 3: the groups of each number
    theirs = of_numbers.uncrop((yield of_numbers.crop(wires, words)), words).reshape(wires.shape)
    of_last = layouts[2].uncrop(next(dealt), words)
    of_last = of_last.reshape(comparison.last.dealt, *masks_of_last.shape[1:])
    [bit] = evaluate(comparison.last, party.role, wires, theirs, of_last, masks_of_last, addend)
    return z, bit[:, None], dealt


def _with_signs(comparison: Comparison, planes: Words, signed: Words, length: int) -> OpenedBits:
    """The bits of planes, xor the signs of the words where signs are compared."""
    flat = planes.reshape(comparison.lanes, -1)
    return OpenedBits(flat, signed if comparison.with_sign else None, length)


def masked_comparison(
    party: Party, length: int, *vectors: Column | None, comparison: Comparison, tail: Tail[Output]
) -> Program[Sequence[Output] | None]:
    """Compare one block's first vector with zero and return the results of `tail`. Four hops."""

    def add_to(columns: Sequence[Column]) -> None:
        for column, vector in zip(columns, vectors, strict=True):
            assert vector is not None
            column += vector

    return comparison_of(party, length, add_to, comparison=comparison, tail=tail)


def comparison_of(
    party: Party, length: int, add_to: AddTo, *, comparison: Comparison, tail: Tail[Output]
) -> Program[Sequence[Output] | None]:
    """`masked_comparison` of vectors that a function adds to their masks, but at the helper."""
    layout, more = ColumnLayout(length, tail.opened), ColumnLayout(length, tail.dealt)
    shapes = (*comparison.mask_shapes(length, layout.words), comparison.bit_shape(length))
    if party.is_helper:
        _deal_masked(party, layout, shapes, comparison, tail)
        yield from in_step(EXCHANGES)
        return None
    masks = party.masks(*shapes)
    mine = next(masks)
    add_to(layout.columns(mine))
    del add_to
    more_dealt = [(size,) for size in more.sizes]
    z, bit, dealt = yield from joined(party, length, mine, layout, comparison, masks, more_dealt)
    # e = c xor λ
    words = comparison.words_of(length)
    bit ^= next(masks)
    opened = bit ^ uncrop((yield crop(bit, words)), bit.shape, words)
    e = _with_signs(comparison, opened, z[:words], length)
    return tail.combine(party.role, e, layout.columns(z), more.of_sections(dealt))


def _deal_masked(
    party: Party,
    layout: ColumnLayout,
    shapes: Sequence[Shape],
    comparison: Comparison,
    tail: Tail[Any],
) -> None:
    """The helper's part where the bit stays masked."""
    *masks, (of_p0, of_p1) = party.both_masks(*shapes)
    words = comparison.words_of(layout.n)
    r, dealt = products_of_masks(comparison, layout, iter(masks))
    wanted = _with_signs(comparison, of_p0 ^ of_p1, r[:words], layout.n).numbers()
    of_tail = ColumnLayout(layout.n, tail.dealt).sections(tail.deal(wanted, layout.columns(r)))
    party.deal(xor=dealt, add=of_tail)


def opened_comparison(
    party: Party, length: int, vector: Words | None, *, comparison: Comparison
) -> Program[Sequence[Words] | None]:
    """The bit c itself as words 0 or 1 on one block; both proxies learn it. Four hops."""
    layout = ColumnLayout(length, (WORD_BYTES,))
    shapes = comparison.mask_shapes(length, layout.words)
    if party.is_helper or vector is None:
        _deal_opened(party, length, shapes, comparison)
        yield from in_step(EXCHANGES)
        return None
    more = [(cropped_words(1, 1, length),)] if comparison.with_sign else []
    masks = party.masks(*shapes)
    mine = next(masks)
    mine += vector
    z, bit, dealt = yield from joined(party, length, mine, layout, comparison, masks, more)
    if comparison.with_sign:
        bit ^= uncrop(next(dealt), bit.shape, length)
        if party.role is Role.P0:
            bit ^= pack(signs(z))
    opened = bit ^ uncrop((yield crop(bit, length)), bit.shape, length)
    return [unpack(opened.reshape(-1), length)]


def _deal_opened(
    party: Party, length: int, shapes: Sequence[Shape], comparison: Comparison
) -> None:
    """The helper's part where the bit is opened."""
    layout = ColumnLayout(length, (WORD_BYTES,))
    r, dealt = products_of_masks(comparison, layout, party.both_masks(*shapes))
    of_signs = [crop(pack(signs(r))[None, None], length)] if comparison.with_sign else []
    party.deal(xor=[*dealt, *of_signs])
