"""Opened comparisons of pairs (key, place), on one block: four hops, or three.

Keys are numbers below 2^63, shared mod 2^64, or below 2^31 and shared mod 2^32; places are public
numbers below 2^(K - 1), shared mod 2^K after a shuffle has hidden them. No two places are equal, so
that pairs are never equal either.
For the differences x of two keys and y of their places,

    [(x, y) < 0] = [x < 0] xor [x = 0]·[y < 0].

As in `ppaurora.mpc.primitives.comparison` the masked z = x + r and z = y + r are opened, and the
borrow of each is found in nibbles, then in groups of four nibbles. The last layer joins the groups
of both: where all groups of the keys are equal, those of the places decide. x lies in
(-2^63, 2^63), so that it is 0 if its lower 63 bits are, and likewise in 32 bits.

A comparison of which z is public already, with an r that the helper knows, begins with the leaves
(`comparison_of_opened`) and takes three hops. It may be the difference of two numbers that were
opened beneath masks before: x stays hidden, since one word of a mask hides one number, in however
many differences that is used; all else that is dealt and masked in a comparison is new.

Both proxies learn the outcome, as their callers declare, and nothing else: all other words that
they see are masked by words and bits of their own.

A `Stock` serves rounds of which only the proxies know how many comparisons they have. The helper
deals to it in advance, blocks of one fixed length. A round of comparisons is

    helper    deals as many blocks as the public plan says
    proxies   use what they need; P0 tells the helper how many blocks are missing, mostly none
    helper    deals these as well

and takes four hops, or five where blocks are missing. What is left over is for the next rounds.
Comparisons of which everybody knows how many they are, of differences that are public beneath masks
that the helper knows, may be dealt before these are opened; they take three hops more.

The proxies learn the outcomes, as the caller declares, and the helper how many blocks are missing
in each round. All three count the same rounds, so that other programs can run beside.

Whoever deviates: every message but the last is masked as in `ppaurora.mpc.primitives.comparison`,
and the last shows the outcome of the difference that it has made of it. Of a stock, outcomes are
opened, of differences that it can shift. A proxy that adds δ to each of them sees how many keys lie
closer together than δ, and which. No claim is made where this runs
(`ppaurora.protocols.sorting.shuffled`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.bits import NIBBLES, columns, pack, unpack
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.gates import Gate, Wire, horner
from ppaurora.mpc.kernels import (
    evaluate,
    evaluate_on_nibbles,
    products,
    products_of_nibbles,
    transpose,
)
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.comparison import (
    EXCHANGES,
    GROUPS,
    NEGATIVE,
    arrange_less,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Column, Shape, Words, split

GROUP_BITS = 16
KEY_BITS = (64, 32)
"""The numbers of bits that a key may have."""
PLACE_BITS = (16, 32)
"""The numbers of bits that a place may have."""
_IN_WORDS = {3: "three", 4: "four", 5: "five", 6: "six"}


@cache
def _last_gate(groups: int) -> Gate:
    """lt of the first group + its eq·(lt of the second + ...), those of the keys first.

    Wires: the eq of all groups but the last, the most significant first; then the lt of all.
    """
    spine = tuple(range(groups - 1))
    less = horner(spine, [Wire(groups - 1 + g) for g in range(groups)])
    return Gate(2 * groups - 1, [less], name=f"join_{_IN_WORDS[groups]}_less")


@dataclass(frozen=True, slots=True)
class Packed:
    """`length` numbers of `bits` bits, several of which share a word; they fill whole planes."""

    bits: int
    length: int

    @property
    def lanes(self) -> int:
        """Numbers in a word."""
        return 64 // self.bits

    @property
    def groups(self) -> int:
        """Groups of four nibbles in a number."""
        return self.bits // GROUP_BITS

    @property
    def columns(self) -> int:
        """The words of a plane of these words."""
        return columns(self.length) // self.lanes

    @property
    def join(self) -> Gate:
        """A single group needs no [equal]: nothing comes after it."""
        return NEGATIVE.last if self.groups == 1 else NEGATIVE.join

    @property
    def type(self) -> np.dtype[np.unsignedinteger[Any]]:
        return np.dtype(f"u{self.bits // 8}")

    @property
    def mask(self) -> np.uint64:
        """The bits of the numbers in a word, without their signs."""
        without_sign = (1 << self.bits - 1) - 1
        return np.uint64(sum(without_sign << self.bits * lane for lane in range(self.lanes)))

    def words(self, numbers: Column) -> Words:
        """The numbers in words such that those of one word become the same bit of neighbouring
        parts of a plane of `length` elements."""
        apart = numbers.reshape(64, self.lanes, self.columns).transpose(0, 2, 1)
        return np.ascontiguousarray(apart).reshape(-1).view(np.uint64)

    def signs(self, numbers: Column) -> Words:
        """The signs as a plane (1, m)."""
        return pack((numbers >> (self.bits - 1)).astype(np.uint64))[None]

    def by_group(self, values: Words) -> Words:
        """The results of a join, (4, m), as a plane for each group, the most significant first."""
        rows = transpose(values, GROUP_BITS).reshape(self.lanes, self.groups, -1)
        return rows.transpose(1, 0, 2).reshape(self.groups, -1)[::-1]


@dataclass(frozen=True, slots=True)
class Packing:
    """A block of `length` comparisons of keys and of places, with so many bits each."""

    key_bits: int
    place_bits: int
    length: int

    @property
    def keys(self) -> Packed:
        return Packed(self.key_bits, self.length)

    @property
    def places(self) -> Packed:
        return Packed(self.place_bits, self.length)

    @property
    def both(self) -> tuple[Packed, Packed]:
        return self.keys, self.places

    @property
    def last(self) -> Gate:
        return _last_gate(sum(each.groups for each in self.both))

    @property
    def mask_shapes(self) -> tuple[Shape, ...]:
        """The masks of keys and places, then those of both joins' and of the last layer's wires."""
        return (
            *((each.length // each.lanes,) for each in self.both),
            *((each.join.wires, GROUPS, each.columns) for each in self.both),
            (self.last.wires, 1, columns(self.length)),
        )

    @property
    def wire_shapes(self) -> tuple[Shape, ...]:
        """The masks of the wires alone, where those of keys and places are there already."""
        return self.mask_shapes[2:]

    @property
    def dealt_shapes(self) -> tuple[Shape, ...]:
        """The shapes of the deal: to leaves, joins and last gate, then the signs of the masks."""
        m = columns(self.length)
        return (
            *((NEGATIVE.leaf.dealt, NIBBLES, each.columns) for each in self.both),
            *((each.join.dealt, GROUPS, each.columns) for each in self.both),
            (self.last.dealt, 1, m),
            (2, 1, m),
        )

    @property
    def dealt_payload(self) -> int:
        """Bytes that the helper sends for a block."""
        return 8 * sum(map(prod, self.dealt_shapes))

    @property
    def opened_payload(self) -> int:
        """Bytes that the proxies exchange for a block: all masked wires, and the outcome."""
        return 16 * sum(map(prod, self.mask_shapes[:2])) + self.wires_payload

    @property
    def wires_payload(self) -> int:
        """The same without keys and places."""
        return 16 * (sum(map(prod, self.wire_shapes)) + columns(self.length))


def deal_placed(party: Party, packing: Packing) -> None:
    """The helper's part of one block."""
    of_keys, of_places, *wire_masks = party.both_masks(*packing.mask_shapes)
    r, s = (
        ours.view(each.type) + theirs.view(each.type)
        for each, (ours, theirs) in zip(packing.both, (of_keys, of_places), strict=True)
    )
    _deal(party, packing, r, s, wire_masks)


def deal_for_opened(party: Party, packing: Packing, r: Column, s: Column) -> None:
    """The helper's part of one block of differences that are public beneath these masks."""
    _deal(party, packing, r, s, party.both_masks(*packing.wire_shapes))


def _deal(
    party: Party,
    packing: Packing,
    r: Column,
    s: Column,
    wire_masks: Iterable[tuple[Words, Words]],
) -> None:
    *joins, last = (of_p0 ^ of_p1 for of_p0, of_p1 in wire_masks)
    masks = list(zip(packing.both, (r, s), strict=True))
    party.deal(
        xor=[
            *(
                products_of_nibbles(NEGATIVE.leaf, each.words(own), each.mask)
                for each, own in masks
            ),
            *(products(each.join, own) for each, own in zip(packing.both, joins, strict=True)),
            products(packing.last, last),
            np.stack([each.signs(own) for each, own in masks]),
        ]
    )


def placed_comparison(
    role: Role,
    packing: Packing,
    x: Column,
    y: Column,
    masks: Iterator[Words],
    dealt: Callable[[], Iterator[Words]],
) -> Program[Words]:
    """[(x, y) < 0] as words 0 or 1, opened to both proxies.

    `dealt` is asked after the first exchange for what the helper dealt to this block.
    """
    # hop 1: z = x + r for the keys and for the places
    z, w = (
        own + next(masks).view(each.type) for each, own in zip(packing.both, (x, y), strict=True)
    )
    received = yield np.concatenate([z.view(np.uint64), w.view(np.uint64)])
    others = split(received, *packing.mask_shapes[:2])
    z, w = (own + other.view(own.dtype) for own, other in zip((z, w), others, strict=True))
    return (yield from comparison_of_opened(role, packing, z, w, masks, dealt))


def comparison_of_opened(
    role: Role,
    packing: Packing,
    z: Column,
    w: Column,
    masks: Iterator[Words],
    dealt: Callable[[], Iterator[Words]],
) -> Program[Words]:
    """[(x, y) < 0] as words 0 or 1, of public z = x + r and w = y + s; opened to both proxies."""
    sections = dealt()
    both = packing.both
    values = [
        evaluate_on_nibbles(NEGATIVE.leaf, role, each.words(own), each.mask, next(sections))
        for each, own in zip(both, (z, w), strict=True)
    ]
    # hop 2: the joins of both
    shares = [next(masks), next(masks)]
    wires = [arrange_less(value, share) for value, share in zip(values, shares, strict=True)]
    received = yield np.concatenate([wire.reshape(-1) for wire in wires])
    others = split(received, *(wire.shape for wire in wires))
    of_keys, of_places = [
        evaluate(each.join, role, one ^ other, next(sections), share)
        for each, one, other, share in zip(both, wires, others, shares, strict=True)
    ]
    # hop 3: the last layer
    last, share = packing.last, next(masks)
    of_last = next(sections)
    key_signs, place_signs = next(sections)
    if role is Role.P0:
        key_signs = key_signs ^ packing.keys.signs(z)
        place_signs = place_signs ^ packing.places.signs(w)
    final = _last_wires(packing, of_keys, of_places, place_signs) ^ share
    public = final ^ (yield final.reshape(-1)).reshape(final.shape)
    [bit] = evaluate(last, role, public, of_last, share)[0]
    # hop 4: the outcome
    bit ^= key_signs[0]
    return unpack(bit ^ (yield bit), packing.length)


def _last_wires(packing: Packing, keys: list[Words], places: list[Words], sign: Words) -> Words:
    """The wires of the last gate, (wires, 1, m), from the groups that the joins made."""
    eq, lt = map(packing.keys.by_group, keys)
    *place_eq, place_lt = map(packing.places.by_group, places)
    first = place_lt[:1] ^ sign
    return np.concatenate([eq, *(eqs[:-1] for eqs in place_eq), lt, first, place_lt[1:]])[:, None]


_Comparison = Callable[
    [Role, Packing, Column, Column, Iterator[Words], Callable[[], Iterator[Words]]],
    Program[Words],
]


class Stock:
    """The stock of one party; nobody else may read the party's streams while it is in use."""

    def __init__(self, party: Party, packing: Packing, *, most: int) -> None:
        """`most` is how many blocks a round can lack at the very most."""
        self._party = party
        self._packing = packing
        self._most = most
        self._blocks: deque[Iterator[Words]] = deque()
        self._under_way = 0

    def __repr__(self) -> str:
        return f"<Stock of {len(self._blocks)} blocks at {self._party.role}>"

    # -- the helper ----------------------------------------------------------------------------

    def deal(self, supply: int) -> None:
        """The helper's part of a round: so many blocks, and those that P0 says are missing."""
        party = self._party
        party.step()
        self._deal(supply)
        party.end_round()
        [missing] = party.receive(Role.P0, Kind.TELL, 1).tolist()
        if missing > self._most:
            raise RemoteProtocolError(
                f"P0 asks for {missing} blocks of comparisons, and {self._most} are all there are",
                advice="All three servers must run the same version.",
            )
        if missing:
            self._deal(missing)
            party.end_round()
        for _ in range(EXCHANGES - 1):
            party.end_round()

    def _deal(self, blocks: int) -> None:
        for _ in range(blocks):
            deal_placed(self._party, self._packing)

    def deal_for(self, r: Column, s: Column) -> None:
        """Blocks for differences that will be public beneath these masks."""
        for masks in self._by_blocks(r, s):
            deal_for_opened(self._party, self._packing, *masks)

    def pass_by(self) -> None:
        """The helper's part of their round."""
        self._party.step()
        for _ in range(EXCHANGES - 1):
            self._party.end_round()

    # -- the proxies ---------------------------------------------------------------------------

    def compare(self, supply: int, x: Column, y: Column) -> NDArray[np.bool_]:
        """[(x, y) < 0] for shares of differences of keys and of places, opened to both proxies."""
        party, packing = self._party, self._packing
        party.step()
        needed = -(-x.size // packing.length)
        missing = max(0, needed - len(self._blocks) - supply)
        if party.role is Role.P0:
            party.send(Role.HELPER, Kind.TELL, np.array([missing], np.uint64))
        self._under_way = supply
        if missing:
            party.end_round()
            self._receive()
            self._under_way = missing
        if not needed:
            for exchange in range(EXCHANGES):
                party.end_round()
                if exchange == 0:
                    self._receive()
            return np.empty(0, np.bool_)
        return self._opened(x, y, placed_comparison, packing.mask_shapes)

    def take_in(self, count: int) -> None:
        """Receive blocks for so many differences, which the helper dealt in the round before."""
        self._under_way = -(-count // self._packing.length)
        self._receive()

    def compare_opened(self, z: Column, w: Column) -> NDArray[np.bool_]:
        """[(x, y) < 0] for differences that are public as z and w, with blocks taken in for them;
        opened to both proxies."""
        self._party.step()
        return self._opened(z, w, comparison_of_opened, self._packing.wire_shapes)

    def _opened(
        self, x: Column, y: Column, comparison: _Comparison, mask_shapes: Sequence[Shape]
    ) -> NDArray[np.bool_]:
        party, packing = self._party, self._packing
        parts = party.advance_together(
            (
                comparison(
                    party.role, packing, keys, places, party.masks(*mask_shapes), self._next_block
                )
                for keys, places in self._by_blocks(x, y)
            ),
            one_by_one=True,
        )
        return np.concatenate(parts)[: x.size].astype(np.bool_)

    def _by_blocks(self, x: Column, y: Column) -> Iterator[tuple[Column, Column]]:
        length = self._packing.length
        for start in range(0, x.size, length):
            part = slice(start, start + length)
            yield self._filled_up(x[part]), self._filled_up(y[part])

    def _next_block(self) -> Iterator[Words]:
        self._receive()
        return self._blocks.popleft()

    def _receive(self) -> None:
        """Receive what the helper dealt in the round before; P0 reads it from the stream."""
        for _ in range(self._under_way):
            self._blocks.append(self._party.dealt(*self._packing.dealt_shapes))
        self._under_way = 0

    def _filled_up(self, numbers: Column) -> Column:
        """As many numbers as a block compares, with zeros behind."""
        filled = np.zeros(self._packing.length, numbers.dtype)
        filled[: numbers.size] = numbers
        return filled
