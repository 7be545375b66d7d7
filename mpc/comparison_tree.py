"""The tree of a comparison: digits are joined to groups, and groups to whole numbers.

A number is cut into digits of a few bits. Of each digit the helper deals shares of the products of
its bits of r, by which the proxies have shares of lt, "less there", and of eq, "equal there",
without a message: a digit of w bits takes 2^w - 1 products, so that small digits are cheap, and
few of them are joined in few layers. A layer of the tree joins neighbours to a group
[Garay, Schoenmakers, Villegas, Practical and secure solutions for integer comparison, PKC 2007],
four of them by

    LT = lt3 + eq3·lt2 + eq3·eq2·lt1 + eq3·eq2·eq1·lt0,    EQ = eq3·eq2·eq1·eq0,

or two by LT = lt1 + eq1·lt0 and EQ = eq1·eq0. Each bit that is multiplied is a wire; lt3 is only
added. EQ of a number's lowest group is in no LT, so that neither its eq0 nor the products for that
are sent.

All values of a layer lie in rows, planes of one bit a number: number by number of those that share
a word, and of each its groups, the lowest first. So do the wires of a layer, those of one group
after those of another, and what is dealt to it; and so do the products that are dealt to digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.bits import columns, cropped_words
from ppaurora.mpc.gates import Addend, Gate, Masked, Wire, chain, horner
from ppaurora.mpc.words import Shape

WORD_BITS = 64
MOST_BITS = 4
"""The most bits of a digit."""
ARITIES = {2: "two", 3: "three", 4: "four", 5: "five"}
"""Names of the numbers of neighbours that are joined."""
Places = NDArray[np.int64]
NOWHERE = -(1 << 32)
"""The place of the equality of a lowest group."""


@cache
def join(arity: int, *, less: bool, equal: bool) -> Gate:
    """The gate of a group: the wires are eq3, eq2, eq1, then lt2, lt1, lt0, and last eq0."""
    spine, wires, polynomials = range(arity - 1), arity - 1, []
    if less:
        polynomials = [horner(spine, [Addend(0), *(Wire(wires + i) for i in spine)])]
        wires += arity - 1
    if equal:
        polynomials.insert(0, chain(spine, wires))
        wires += 1
    return Gate(wires, polynomials)


@cache
def digit(bits: int, *, less: bool) -> Gate:
    """The gate of a digit of z and of the helper's r: its equality, and with `less` its less.

    A wire is the bit's [z = r], the most significant first, so that its public bit is the
    complement of z's, and its mask λ the bit of r, dealt as its products are. z < r at this bit if
    z is 0 and r is 1: the public bit times λ.
    """
    bits_of_it = range(bits)
    polynomials = [chain(bits_of_it[:-1], bits - 1)]
    if less:
        polynomials.append(horner(bits_of_it[:-1], [Masked(bit) for bit in bits_of_it]))
    return Gate(bits, polynomials, masks_dealt=True)


@dataclass(frozen=True)
class Digits:
    """The lowest `bits` of each of the `numbers` in a word, cut into `count` digits.

    They are compared for `less` and equality, or for equality alone.
    """

    bits: int
    count: int
    numbers: int
    less: bool

    def __post_init__(self) -> None:
        if self.bits > MOST_BITS * self.count:
            raise ValueError(f"{self.bits} bits in {self.count} digits of at most {MOST_BITS}")

    @cached_property
    def ranges(self) -> NDArray[np.int64]:
        """The bits of a word in each digit, from one up to another, as even as they can be.

        Number by number, and of each the lowest digit first.
        """
        ends = [self.bits * end // self.count for end in range(self.count + 1)]
        firsts = range(0, WORD_BITS, WORD_BITS // self.numbers)
        return np.array(
            [(first + low, first + high) for first in firsts for low, high in pairwise(ends)],
            np.int64,
        )

    @cached_property
    def dealt(self) -> int:
        """The rows that the helper deals."""
        return sum((1 << high - low) - 1 for low, high in self.ranges.tolist())


@dataclass(frozen=True)
class Layer:
    """Joins of `arity` neighbours each to `groups` groups of each of the `numbers` in a word.

    Groups are compared for `less`, and for equality but for the lowest of each number; without
    `less` for equality alone.
    """

    arity: int
    groups: int
    numbers: int
    less: bool

    def equal(self, group: int) -> bool:
        """True if this one of all groups is compared for equality."""
        return not self.less or group % self.groups > 0

    @cached_property
    def gates(self) -> list[Gate]:
        """The gate of each group."""
        return [
            join(self.arity, less=self.less, equal=self.equal(group))
            for group in range(self.numbers * self.groups)
        ]

    @cached_property
    def wires(self) -> int:
        """The rows that a proxy opens."""
        return sum(gate.wires for gate in self.gates)

    @cached_property
    def dealt(self) -> int:
        """The rows that the helper deals."""
        return sum(gate.dealt for gate in self.gates)

    @property
    def addends(self) -> int:
        """The rows that are added, unopened."""
        return self.numbers * self.groups if self.less else 0


@dataclass(frozen=True)
class Tree:
    """Digits of the lowest `bits` of each of the `numbers` in a word, and what joins them.

    A layer joins as many neighbours as `arities` says, for `less` and equality or that alone.
    Numbers of more than 64 bits fill several words each.
    """

    arities: tuple[int, ...]
    bits: int
    numbers: int = 1
    less: bool = True

    @cached_property
    def digits(self) -> list[Digits]:
        """The digits of each word of a number, of the lowest one first."""
        firsts = range(0, self.bits, WORD_BITS)
        return [
            Digits(
                min(WORD_BITS, self.bits - first),
                prod(self.arities) // len(firsts),
                self.numbers,
                self.less,
            )
            for first in firsts
        ]

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers, the one that joins digits first."""
        left = (prod(self.arities[place + 1 :]) for place in range(len(self.arities)))
        return [
            Layer(arity, groups, self.numbers, self.less)
            for arity, groups in zip(self.arities, left, strict=True)
        ]

    @cached_property
    def dealt(self) -> list[int]:
        """The rows that the helper deals to the digits, and to each layer."""
        return [sum(digits.dealt for digits in self.digits), *(each.dealt for each in self.layers)]

    def mask_shapes(self, length: int) -> list[Shape]:
        """The shapes of the masks of each layer's wires, for so many words of numbers."""
        return [(layer.wires, columns(length)) for layer in self.layers]

    def dealt_shapes(self, length: int) -> list[Shape]:
        """The shapes of the helper's deal, without what holds no number."""
        return [(cropped_words(rows, length),) for rows in self.dealt]

    def words(self, length: int) -> int:
        """Words over all links: dealt once, wires opened both ways."""
        opened = sum(cropped_words(layer.wires, length) for layer in self.layers)
        return sum(cropped_words(rows, length) for rows in self.dealt) + 2 * opened

    @cached_property
    def bits_sent(self) -> int:
        """The bits of a number of many over all links."""
        opened = sum(layer.wires for layer in self.layers)
        return (sum(self.dealt) + 2 * opened) // self.numbers


@cache
def places(layer: Layer | None, numbers: int) -> Places:
    """The places of all values in a layer, for each its eq and its lt: the row of a wire.

    Row k of the addends is -1 - k. The values of the last layer are kept as addends are.
    """
    if layer is None:
        return np.repeat(-1 - np.arange(numbers, dtype=np.int64), 2).reshape(numbers, 2)
    found: list[tuple[int, int]] = []
    row, arity = 0, layer.arity
    for group, gate in enumerate(layer.gates):
        spine = range(row + arity - 2, row - 1, -1)
        of_equal = [row + gate.wires - 1 if layer.equal(group) else NOWHERE, *spine]
        of_less = [*(at + arity - 1 for at in spine), -1 - group]
        found += zip(of_equal, of_less, strict=True)
        row += gate.wires
    return np.array(found, np.int64)
