"""Comparisons of pairs (key, place) whose outcomes all three parties learn: two hops.

Keys are numbers below 2^63, shared mod 2^64, or below 2^31 and shared mod 2^32; places are public
numbers below n, shared mod 2^16 or mod 2^32 after a shuffle has hidden them. No two places are
equal, so that pairs are never equal either. The shuffle has opened all of them beneath masks: the
proxies know z = x + r of each number x, the helper knows r (`masked_shuffle`). All three know which
rows meet, and so have z or r of the differences x of two keys and y of their places. Of these

    [(x, y) < 0] = [x < 0] xor [x = 0]·[y < 0].

The borrow of each z - r is found in digits of four bits or three. As in
`ppaurora.mpc.primitives.comparison` the helper deals shares of the products of its bits of each
digit of r, by which a proxy computes its shares of [digit of z < digit of r] and of [digit of z =
digit of r] without a message. The first digit that differs decides: those of the key, then those of
the place, and what the first digit of each says is turned by the signs of z and r. x lies in
(-2^63, 2^63), or in (-2^31, 2^31), so that it is 0 if all its lower bits are; y lies in
(-2^b, 2^b), 2^b the first power that is not below n, and its higher bits are left out.

    helper    deals the products for the pairs that meet
    proxies   send the helper what tells it the outcomes and nothing else (`first_difference`)
    helper    tells both proxies the outcomes

A proxy receives what is dealt, masked by the other one's stream, and outcomes. The helper receives
two messages for each pair, uniformly random but for the outcome. A z hides x from the proxies in
however many differences it is used, since one word of a mask hides one number; the helper, which
knows r, never sees z. So each party sees outcomes, as the callers declare, and random words.

Whoever deviates: nothing is claimed where this runs (`ppaurora.protocols.sorting.shuffled`), since
outcomes are told. A helper that adds δ to the r for which it deals sees how many keys lie closer
together than δ, and which. A proxy that turns a digit in its message turns the outcomes of those
keys that agree before that digit, and sees where they are no order any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.bits import columns, pack, unpack
from ppaurora.mpc.comparison_tree import MOST_BITS, Digits
from ppaurora.mpc.first_difference import decoded, encoded, message_planes, random_planes
from ppaurora.mpc.kernels import products_of_digits, values_of_digits
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.words import Column, Shape, Words, split

UNIT = 256
"""Pairs of which words of numbers of 16 bits fill whole planes."""
LARGEST_BLOCK, SMALLEST_HALF = 1 << 14, 1 << 11
"""Pairs of one block; from so many in each on a round has two, one dealt to each proxy."""


def block_lengths(pairs: int) -> list[int]:
    """The lengths of the blocks of so many pairs, filled up to whole planes.

    >>> block_lengths(300), block_lengths(8000), sum(block_lengths(35_000))
    ([512], [4096, 4096], 35840)
    """
    if not pairs:
        return []
    blocks = -(-pairs // LARGEST_BLOCK)
    if pairs >= 2 * SMALLEST_HALF:
        # as many for one proxy as for the other
        blocks += blocks % 2
    each = -(-pairs // (blocks * UNIT)) * UNIT
    blocks = -(-pairs // each)
    return [each] * blocks


@cache
def _fewest_digits(bits: int, numbers: int) -> Digits:
    """The digits of so many bits, as few as can be: a message grows with their square."""
    return Digits(bits, -(-bits // MOST_BITS), numbers, less=True)


@dataclass(frozen=True, slots=True)
class Packed:
    """Numbers of `bits` bits, several of which share a word, of which the lowest `compared` and
    the one above them, their sign, count."""

    bits: int
    compared: int

    @property
    def lanes(self) -> int:
        """Numbers in a word."""
        return 64 // self.bits

    @property
    def digits(self) -> Digits:
        """The digits that are compared."""
        return _fewest_digits(self.compared, self.lanes)

    def columns(self, length: int) -> int:
        """The words of a plane of the words of so many numbers."""
        return columns(length) // self.lanes

    @property
    def type(self) -> np.dtype[np.unsignedinteger[Any]]:
        return np.dtype(f"u{self.bits // 8}")

    def words(self, numbers: Column) -> Words:
        """The numbers in words such that those of one word become the same bit of neighbouring
        parts of a plane of all."""
        apart = numbers.reshape(64, self.lanes, -1).transpose(0, 2, 1)
        return np.ascontiguousarray(apart).reshape(-1).view(np.uint64)

    def signs(self, numbers: Column) -> Words:
        """The signs as a plane."""
        return pack((numbers >> self.compared & 1).astype(np.uint64))

    def values(self, role: Role, z: Column, dealt: Words) -> Words:
        """A proxy's shares of eq and lt of all digits, the most significant first: (digits, m)."""
        values = values_of_digits(self.digits, role, self.words(z), dealt)
        of_lanes = values.reshape(self.lanes, self.digits.count, 2, -1).transpose(2, 1, 0, 3)
        planes: Words = of_lanes.reshape(2, self.digits.count, -1)[:, ::-1]
        return planes


@dataclass(frozen=True, slots=True)
class Packing:
    """Pairs of keys of so many bits, of which one is a sign, and of places below `places`."""

    key_bits: int
    places_below: int

    @property
    def keys(self) -> Packed:
        return Packed(self.key_bits, self.key_bits - 1)

    @property
    def places(self) -> Packed:
        compared = max(1, (self.places_below - 1).bit_length())
        return Packed(16 if compared < 16 else 32, compared)

    @property
    def both(self) -> tuple[Packed, Packed]:
        return self.keys, self.places

    @property
    def digits(self) -> int:
        return sum(each.digits.count for each in self.both)

    def dealt_shapes(self, length: int) -> tuple[Shape, ...]:
        """The shapes of a deal for so many pairs: of both, then the signs of places' masks."""
        of_digits = ((each.digits.dealt, each.columns(length)) for each in self.both)
        return (*of_digits, (columns(length),))

    def payload(self, pairs: int) -> int:
        """Bytes of one round of so many pairs: what is dealt, sent to the helper, and told."""
        words = 0
        for length in block_lengths(pairs):
            dealt = sum(map(prod, self.dealt_shapes(length)))
            words += dealt + 2 * columns(length) * (message_planes(self.digits) + 1)
        return 8 * words


class ToldOrder:
    """One party's part of rounds of comparisons: z at a proxy, r at the helper, of each number.

    A round is `prepare`, `ask` in the round after that, and `told`. Frames of a step are read in
    the step in which they are sent, so that the caller begins one before each `ask`.
    """

    def __init__(self, party: Party, packing: Packing) -> None:
        self._party = party
        self._packing = packing
        self._common = None if party.is_helper else party.common(party.unique_name("told"))
        self._dealt: Iterable[Iterator[Words]] = ()
        self._signs: list[Words] = []

    def __repr__(self) -> str:
        return f"<ToldOrder at {self._party.role}>"

    def deal(self, r: Column, s: Column) -> None:
        """On the helper: deal for pairs that are public beneath these masks."""
        packing, self._signs = self._packing, []
        for key, place in _by_blocks(r, s):
            masks = list(zip(packing.both, (key, place), strict=True))
            self._signs.append(packing.keys.signs(key))
            self._party.deal(
                xor=[
                    *(products_of_digits(each.digits, each.words(own)) for each, own in masks),
                    packing.places.signs(place),
                ]
            )

    def take_in(self, pairs: int) -> None:
        """On a proxy: what is dealt for so many pairs arrives from now on."""
        self._dealt = (
            self._party.dealt(*self._packing.dealt_shapes(length))
            for length in block_lengths(pairs)
        )

    def take_in_now(self, pairs: int) -> None:
        """The same, where other frames of the helper are read before it is used."""
        self.take_in(pairs)
        self._dealt = list(self._dealt)

    def ask(self, z: Column, w: Column) -> None:
        """On a proxy: send the helper what tells it the outcomes."""
        assert self._common is not None
        digits = self._packing.digits
        for (key, place), dealt in zip(_by_blocks(z, w), self._dealt, strict=True):
            equal, less = self._digits(key, place, dealt)
            random = self._common.array((random_planes(digits), less.shape[1]))
            message = encoded(self._party.role, equal, less, random)
            self._party.send(Role.HELPER, Kind.TELL, message.reshape(-1))

    def _digits(self, z: Column, w: Column, dealt: Iterator[Words]) -> tuple[Words, Words]:
        """This proxy's shares of [equal] and [less] of each digit of a block."""
        role, both = self._party.role, self._packing.both
        values = []
        for each, own in zip(both, (z, w), strict=True):
            values.append(each.values(role, own, next(dealt)))
        equal, less = np.concatenate(values, axis=1)
        first_of_places = less[self._packing.keys.digits.count]
        first_of_places ^= next(dealt)
        if role is Role.P0:
            less[0] ^= self._packing.keys.signs(z)
            first_of_places ^= self._packing.places.signs(w)
        return equal, less

    def told(self, pairs: int) -> NDArray[np.bool_]:
        """[(x, y) < 0] of the pairs asked for: the helper hears it, and tells both proxies."""
        party, digits = self._party, self._packing.digits
        m = [columns(length) for length in block_lengths(pairs)]
        if not party.is_helper:
            outcomes = party.receive(Role.HELPER, Kind.TELL, sum(m))
        else:
            heard = [
                [
                    party.receive(proxy, Kind.TELL, message_planes(digits) * width)
                    for proxy in PROXIES
                ]
                for width in m
            ]
            outcomes = np.concatenate(
                [
                    decoded(digits, *(one.reshape(-1, width) for one in messages)) ^ sign
                    for messages, width, sign in zip(heard, m, self._signs, strict=True)
                ]
            )
            for proxy in PROXIES:
                party.send(proxy, Kind.TELL, outcomes)
        parts = [unpack(plane, 64 * plane.size) for plane in split(outcomes, *((w,) for w in m))]
        return np.concatenate(parts)[:pairs].astype(np.bool_)


def _by_blocks(*numbers: Column) -> Iterator[Sequence[Column]]:
    """The numbers block by block, with zeros behind the last."""
    start = 0
    for length in block_lengths(numbers[0].size):
        part = slice(start, start + length)
        yield [_filled_up(one[part], length) for one in numbers]
        start += length


def _filled_up(numbers: Column, length: int) -> Column:
    if numbers.size == length:
        return numbers
    filled = np.zeros(length, numbers.dtype)
    filled[: numbers.size] = numbers
    return filled
