"""The heart of every wide comparison: is a number mod 2^256 negative?

As in `mpc.primitives.comparison`, z = x + r is opened and the sign of x is that of z, xor that of
r, xor the borrow [z' < r'] of the lower 255 bits. Each of the four limbs goes through the gates of
a 64-bit comparison, up to [limb of z < limb of r] and [equal]; one more gate of fan-in 4 joins the
limbs: three layers of gates, a hop each.

Everybody sees uniformly random words only: each wire is masked by a bit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc import kernels
from ppaurora.mpc.bits import NIBBLES, columns, crop, cropped_words, load, nibble_wires, uncrop
from ppaurora.mpc.gates import Gate
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.comparison import NEGATIVE
from ppaurora.mpc.wide_words import LIMBS
from ppaurora.mpc.words import Shape, Words

_COMPARED = [np.uint64(2**64 - 1)] * (LIMBS - 1) + [np.uint64(2**63 - 1)]
"""The bits of each limb that are compared: all but the sign."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A gate on so many rows for each of so many limbs, and the layout of its four inputs.

    `unit` is the digit of the bit number that holds them (`mpc.bits.transpose`); None where
    they lie in rows already.
    """

    gate: Gate
    limbs: int
    rows: int
    unit: int | None

    def shape(self, planes: int, length: int) -> Shape:
        return planes, self.limbs * self.rows, columns(length)

    def words(self, planes: int, length: int) -> int:
        return cropped_words(self.limbs * planes, self.rows, length)

    def crop(self, planes: Words, length: int) -> Words:
        return crop(planes.reshape(-1, self.rows, columns(length)), length)

    def uncrop(self, words: Words, planes: int, length: int) -> Words:
        shape = (self.limbs * planes, self.rows, columns(length))
        return uncrop(words, shape, length).reshape(self.shape(planes, length))

    def wires(self, values: Sequence[Words]) -> Words:
        """eq3, eq2, eq1, lt3, lt2, lt1, lt0, and eq0 where the gate asks for it."""
        eq, lt = map(self._most_significant_first, values)
        return np.concatenate([eq[:3], lt, eq[3:]])[: self.gate.wires]

    def _most_significant_first(self, values: Words) -> Words:
        """(4·rows, m) -> (4, rows, m); spends `values`."""
        if self.unit is not None:
            kernels.transpose(values, self.unit)
        return values.reshape(self.limbs * self.rows, 4, -1).transpose(1, 0, 2)[::-1]


LEAF = Layer(NEGATIVE.leaf, LIMBS, NIBBLES, 1)
JOINS = (
    Layer(NEGATIVE.join, LIMBS, 4, 4),
    Layer(NEGATIVE.join, LIMBS, 1, 16),
    Layer(NEGATIVE.last, 1, 1, None),
)
LAYERS = (LEAF, *JOINS)


def _nibble_wires(words: Words) -> Words:
    """The lower 255 bits of numbers, (4, n), as wires (4, 64, m), a nibble's highest bit first."""
    return np.concatenate(
        [
            nibble_wires(load(limb, compared), compared)
            for limb, compared in zip(words, _COMPARED, strict=True)
        ],
        axis=1,
    )


def borrow(
    party: Party, length: int, z: Words, masks: Iterator[Words], dealt: Iterator[Words]
) -> Program[Words]:
    """This proxy's share of [z' < r'], a plane of shape (1, 1, m): three hops."""
    # a wire says "equal at this bit": w = 1 xor z xor r, so its public bit is the complement of z's
    public = np.invert(_nibble_wires(z))
    table = LEAF.uncrop(next(dealt), LEAF.gate.dealt, length)
    values = kernels.evaluate(LEAF.gate, party.role, public, table)
    for layer in JOINS:
        shares = next(masks)
        wires = layer.wires(values)
        wires ^= shares
        opened = yield layer.crop(wires, length)
        public = wires ^ layer.uncrop(opened, layer.gate.wires, length)
        planes = layer.uncrop(next(dealt), layer.gate.dealt, length)
        values = kernels.evaluate(layer.gate, party.role, public, planes, shares)
    return values[0][None]


def borrow_products(length: int, r: Words, masks: Iterator[tuple[Words, Words]]) -> list[Words]:
    """On the helper: what the gates need of r and of the wires' masks, ready to be dealt."""
    planes = [LEAF.crop(kernels.products(LEAF.gate, _nibble_wires(r)), length)]
    for layer in JOINS:
        of_p0, of_p1 = next(masks)
        planes.append(layer.crop(kernels.products(layer.gate, of_p0 ^ of_p1), length))
    return planes


def mask_shapes(length: int) -> list[Shape]:
    """The masks of the wires, layer by layer."""
    return [layer.shape(layer.gate.wires, length) for layer in JOINS]


def dealt_shapes(length: int) -> list[Shape]:
    """What the helper deals to the four gates."""
    return [(layer.words(layer.gate.dealt, length),) for layer in LAYERS]


def borrow_words(length: int) -> int:
    """Words over all links for the gates: dealt once, masked wires both ways."""
    dealt = sum(layer.words(layer.gate.dealt, length) for layer in LAYERS)
    return dealt + 2 * sum(layer.words(layer.gate.wires, length) for layer in JOINS)
