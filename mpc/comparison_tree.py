"""The tree of a comparison: nibbles are joined to groups, and groups to whole numbers.

Of each nibble of a number the proxies have shares of lt, "less there", and of eq, "equal there". A
layer of the tree joins neighbours to a group [Garay, Schoenmakers, Villegas, Practical and secure
solutions for integer comparison, PKC 2007], four of them by

    LT = lt3 + eq3·lt2 + eq3·eq2·lt1 + eq3·eq2·eq1·lt0,    EQ = eq3·eq2·eq1·eq0,

or two by LT = lt1 + eq1·lt0 and EQ = eq1·eq0. Each bit that is multiplied is a wire; lt3 is only
added. EQ of a number's lowest group is in no LT, so that neither its eq0 nor the products for that
are sent.

All values of a layer lie in rows, planes of one bit a number: number by number of those that share
a word, and of each its groups, the lowest first. So do the wires of a layer, those of one group
after those of another, and what is dealt to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.bits import columns, cropped_words
from ppaurora.mpc.gates import Addend, Gate, Wire, chain, horner
from ppaurora.mpc.words import Shape

ARITIES = {2: "two", 4: "four"}
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
    """The layers that join all nibbles of each of the `numbers` in a word.

    A layer joins as many neighbours as `arities` says, for `less` and equality or that alone.
    """

    arities: tuple[int, ...]
    numbers: int = 1
    less: bool = True

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers, the nibbles' own first."""
        left = (prod(self.arities[place + 1 :]) for place in range(len(self.arities)))
        return [
            Layer(arity, groups, self.numbers, self.less)
            for arity, groups in zip(self.arities, left, strict=True)
        ]

    def mask_shapes(self, length: int) -> list[Shape]:
        """The shapes of the masks of each layer's wires, for so many words of numbers."""
        return [(layer.wires, columns(length)) for layer in self.layers]

    def dealt_shapes(self, length: int) -> list[Shape]:
        """The shapes of the helper's deal to each layer, without what holds no number."""
        return [(cropped_words(layer.dealt, 1, length),) for layer in self.layers]

    def words(self, length: int) -> int:
        """Words over all links: dealt once, wires opened both ways."""
        return sum(
            cropped_words(layer.dealt, 1, length) + 2 * cropped_words(layer.wires, 1, length)
            for layer in self.layers
        )


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
