"""A shared x compared with zero through a mask r that only the helper knows: one block at a time.

z = x + r is opened, where r = r0 + r1 comes from the streams. Since x = z - r, what is asked of x
is answered by the public z and the helper's r:

    [x < 0] = sign of z xor sign of r xor [z' < r'],    z' and r' the lower 63 bits,
    [x = 0] = [z = r].

Both are taken in digits of a few bits. Of each digit the helper deals shares of the products of its
bits of r; with them a proxy computes its shares of [digit of z < digit of r] and [digit of z =
digit of r] without a message. The layers of a tree then join the digits to the whole
(`ppaurora.mpc.comparison_tree`), a hop each. Each bit that is multiplied is a wire, opened masked.

More layers take fewer bits, since small digits and joins of few neighbours do: 388 bits a number of
63 in two layers, 319 in three, 304 in four. So the more numbers are compared, the more layers pay.

The last hop opens e = c xor λ, where c is the wanted bit and the helper knows the random bit λ.
Whatever is wanted of c, such as c itself as a word or c·x = c·(z - r), each proxy then computes
from e, z and words that the helper deals, such as λ and λ·r: a `Tail` says which.

Numbers mod 2^32 are compared likewise, of 31 bits and a sign, for half the bytes. Two of them share
a word.

Everybody sees uniformly random words only: z is masked by r, each wire and c by bits of their own.
`opened_comparison` leaves λ out: both proxies learn c, as its callers declare.

Whoever deviates receives z1, wires and the last bit, each beneath a word or bit of P1's stream that
is read once, so that P0 sees random words whatever it sent before; what is dealt lies beneath the
other's stream. Without λ the last hop shows the bit of what x has become by then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from math import prod
from typing import Any, Generic

import numpy as np

from ppaurora.mpc.bits import columns, crop, cropped_words, pack, uncrop, unpack
from ppaurora.mpc.comparison_tree import MOST_BITS, WORD_BITS, Tree
from ppaurora.mpc.cost import CostFunction
from ppaurora.mpc.kernels import (
    LayerInput,
    OpenedBits,
    digits_to_wires,
    join_layer,
    products_of_all_digits,
    products_of_layer,
    signs,
)
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import AddTo, Output
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, WORD_BYTES, Column, ColumnLayout, Shape, Words, blocks

SIGN, HALF_SIGN = 63, 31
ARITIES_TRIED = ((3, 3), (4, 5), (2, 2, 3), (2, 3, 4), (2, 2, 2, 3))
"""The layers of the trees that comparisons choose from: those of fewest bits for 31, 63 or 64 bits,
in two, three and four layers."""
HOP_BITS = 5_000_000
"""The bits that are worth a hop: so many pass in 5 ms at 1 Gb/s."""


@cache
def _trees(bits: int, numbers: int, less: bool) -> list[Tree]:
    """The trees of numbers of so many bits, those that have digits enough for them."""
    enough = (arities for arities in ARITIES_TRIED if bits <= MOST_BITS * prod(arities))
    return [Tree(arities, bits, numbers, less) for arities in enough]


def best_tree(n: int, bits: int, *, numbers: int = 1, less: bool = True) -> Tree:
    """The tree that suits so many numbers of so many bits."""
    trees = _trees(bits, numbers, less)
    return min(trees, key=lambda tree: n * tree.bits_sent + HOP_BITS * len(tree.arities))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question about the lowest bits of z and r, answered by a tree.

    With `with_sign` the signs of z and r are added to the result.
    """

    tree: Tree
    with_sign: bool = False

    def of(self, n: int) -> Comparison:
        """The same question, by the tree that suits so many numbers."""
        tree = self.tree
        best = best_tree(n, tree.bits, numbers=tree.numbers, less=tree.less)
        return self if best is tree else Comparison(best, self.with_sign)

    @property
    def lanes(self) -> int:
        """The numbers that share a word."""
        return self.tree.numbers

    @property
    def exchanges(self) -> int:
        """z is opened, then the wires of each layer, and last e."""
        return len(self.tree.arities) + 2

    @property
    def block(self) -> int:
        """The numbers of a block: as many words of them, whatever their size."""
        return BLOCK * self.lanes

    def words_of(self, length: int) -> int:
        """The words that hold so many numbers."""
        return -(-length // self.lanes)

    def mask_shapes(self, length: int, opened: int) -> list[Shape]:
        """The shapes of r, so many words, and of the masks of all layers' wires."""
        return [(opened,), *self.tree.mask_shapes(self.words_of(length))]

    def bit_shape(self, length: int) -> Shape:
        """The shape of the planes of one bit a number."""
        return (self.lanes, columns(self.words_of(length)))

    def gate_words(self, length: int) -> int:
        """Words over all links for the gates of one block, and for e."""
        words = self.words_of(length)
        return self.tree.words(words) + 2 * cropped_words(self.lanes, words)


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


NEGATIVE = Comparison(best_tree(1, SIGN), with_sign=True)
"""[x < 0]."""

HALF_NEGATIVE = Comparison(best_tree(1, HALF_SIGN, numbers=2), with_sign=True)
"""[x < 0] of numbers mod 2^32."""

ZERO = Comparison(best_tree(1, WORD_BITS, less=False))
"""[x = 0]."""


def gates_cost(
    chosen: Callable[[int], Comparison],
    *,
    opened: tuple[int, ...],
    dealt: tuple[int, ...] = (),
    signs: bool = False,
) -> CostFunction:
    """The cost of a comparison where columns of so many bytes a number are opened and dealt.

    `chosen` says by which tree so many numbers are compared. Of an opened bit the sign of r
    is dealt as a bit.
    """

    def of_block(comparison: Comparison, length: int) -> int:
        of_signs = cropped_words(1, length) if signs else 0
        words = 2 * ColumnLayout(length, opened).words + ColumnLayout(length, dealt).words
        return WORD_BYTES * (words + comparison.gate_words(length) + of_signs)

    def payload(n: int) -> int:
        comparison = chosen(n)
        lengths = (part.stop - part.start for part in blocks(n, comparison.block))
        return sum(of_block(comparison, length) for length in lengths) if n else 0

    return CostFunction(lambda n: chosen(n).exchanges if n else 0, payload)


def products_of_masks(
    comparison: Comparison, layout: ColumnLayout, masks: Iterator[tuple[Words, Words]]
) -> tuple[Words, list[Words]]:
    """The helper's r of all columns, and the words that it deals to the digits and the layers."""
    of_p0, of_p1 = next(masks)
    r, key, words = np.empty_like(of_p0), slice(layout.sizes[0]), comparison.words_of(layout.n)
    of_digits = products_of_all_digits(comparison.tree, r[key], (of_p0[key], of_p1[key]))
    _add_up_the_others(layout, of_p0, of_p1, r)
    return r, [crop(of_digits, words), *products_of_layers(comparison.tree, masks, words)]


def products_of_layers(
    tree: Tree, masks: Iterator[tuple[Words, Words]], length: int
) -> Iterator[Words]:
    """The helper's deal to all layers."""
    for layer in tree.layers:
        yield crop(products_of_layer(layer, *next(masks)), length)


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
    """All hops but the last: the opened z, a share of the bit, what else was dealt.

    `mine` are the proxy's masked columns, those first that are compared. The signs of z and r are
    not in that bit yet.
    """
    # z = x + r
    theirs, z = (yield mine), np.empty_like(mine)
    words, tree = comparison.words_of(length), comparison.tree
    dealt = party.dealt(*tree.dealt_shapes(words), *more_dealt)
    of_digits, own = uncrop(next(dealt), tree.dealt[0], words), next(masks)
    sent = mine[:words], theirs[:words]
    given = digits_to_wires(tree, party.role, z[:words], of_digits, own, sent)
    _add_up_the_others(layout, mine, theirs, z)
    del mine, theirs, sent, of_digits  # as all blocks wait in a hop, none keeps what it has used
    bits = yield from through_tree(party, words, tree, given, own, masks, dealt)
    return z, bits, dealt


def through_tree(
    party: Party,
    length: int,
    tree: Tree,
    given: LayerInput,
    own: Words,
    masks: Iterator[Words],
    dealt: Iterator[Words],
) -> Generator[Words, Words, Words]:
    """The proxy's shares of the bits asked for, planes (numbers, m): a hop a layer.

    `own` are its shares of the masks of the first layer's wires.
    """
    for layer, then in zip_longest(tree.layers, tree.layers[1:]):
        theirs = uncrop((yield crop(given.wires, length)), layer.wires, length)
        of_layer = uncrop(next(dealt), layer.dealt, length)
        of_then = own[:0] if then is None else next(masks)
        given = join_layer(layer, party.role, given, theirs, of_layer, own, then, of_then)
        own = of_then
        del theirs, of_layer
    return given.addends


def _with_signs(comparison: Comparison, planes: Words, signed: Words, length: int) -> OpenedBits:
    """The bits of planes, xor the signs of the words where signs are compared."""
    return OpenedBits(planes, signed if comparison.with_sign else None, length)


def masked_comparison(
    party: Party, length: int, *vectors: Column | None, comparison: Comparison, tail: Tail[Output]
) -> Program[Sequence[Output] | None]:
    """Compare one block's first vector with zero and return the results of `tail`."""

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
    shapes = [*comparison.mask_shapes(length, layout.words), comparison.bit_shape(length)]
    if party.is_helper:
        _deal_masked(party, layout, shapes, comparison, tail)
        yield from in_step(comparison.exchanges)
        return None
    masks = party.masks(*shapes)
    more_dealt = [(size,) for size in more.sizes]
    # no name for what is opened: it is kept by `joined` alone, which is through with it before the
    # layers
    opening = joined(
        party,
        length,
        _with_added(next(masks), layout, add_to),
        layout,
        comparison,
        masks,
        more_dealt,
    )
    del add_to
    z, bit, dealt = yield from opening
    # e = c xor λ
    words = comparison.words_of(length)
    bit ^= next(masks)
    opened = bit ^ uncrop((yield crop(bit, words)), len(bit), words)
    e = _with_signs(comparison, opened, z[:words], length)
    return tail.combine(party.role, e, layout.columns(z), more.of_sections(dealt))


def _with_added(masks: Words, layout: ColumnLayout, add_to: AddTo) -> Words:
    """The masks, to whose columns the vectors have been added."""
    add_to(layout.columns(masks))
    return masks


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
    """The bit c itself as words 0 or 1 on one block; both proxies learn it."""
    layout = ColumnLayout(length, (WORD_BYTES,))
    shapes = comparison.mask_shapes(length, layout.words)
    if party.is_helper or vector is None:
        _deal_opened(party, length, shapes, comparison)
        yield from in_step(comparison.exchanges)
        return None
    more = [(cropped_words(1, length),)] if comparison.with_sign else []
    masks = party.masks(*shapes)
    mine = next(masks)
    mine += vector
    z, bit, dealt = yield from joined(party, length, mine, layout, comparison, masks, more)
    if comparison.with_sign:
        bit ^= uncrop(next(dealt), 1, length)
        if party.role is Role.P0:
            bit ^= pack(signs(z))
    [opened] = bit ^ uncrop((yield crop(bit, length)), 1, length)
    return [unpack(opened, length)]


def _deal_opened(
    party: Party, length: int, shapes: Sequence[Shape], comparison: Comparison
) -> None:
    """The helper's part where the bit is opened."""
    layout = ColumnLayout(length, (WORD_BYTES,))
    r, dealt = products_of_masks(comparison, layout, party.both_masks(*shapes))
    of_signs = [crop(pack(signs(r))[None], length)] if comparison.with_sign else []
    party.deal(xor=[*dealt, *of_signs])
