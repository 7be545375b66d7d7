"""Opened comparisons, round by round, where only the proxies know how many a round has.

The helper deals in advance, to a stock of blocks of one fixed length. A round of comparisons is

    helper    deals as many blocks as the public plan says
    proxies   use what they need; P0 tells the helper how many blocks are missing, mostly none
    helper    deals these as well

and takes four hops, or five where blocks are missing. What is left over is for the next rounds.
Comparisons of which everybody knows how many they are, of differences that are public beneath masks
that the helper knows, may be dealt before these are opened; they take three hops more.

The proxies learn the outcomes, as the caller declares, and the helper how many blocks are missing
in each round. All three count the same rounds, so that other programs can run beside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.comparison import EXCHANGES
from ppaurora.mpc.primitives.placed_comparison import (
    Packing,
    Places,
    comparison_of_opened,
    deal_for_opened,
    deal_placed,
    placed_comparison,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Shape, Words

Number = TypeVar("Number", bound=np.unsignedinteger[Any])
_Comparison = Callable[
    [Role, Packing, Words, Places, Iterator[Words], Callable[[], Iterator[Words]]], Program[Words]
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

    def deal_for(self, r: Words, s: Places) -> None:
        """Blocks for differences that will be public beneath these masks."""
        for masks in self._by_blocks(r, s):
            deal_for_opened(self._party, self._packing, *masks)

    def pass_by(self) -> None:
        """The helper's part of their round."""
        self._party.step()
        for _ in range(EXCHANGES - 1):
            self._party.end_round()

    # -- the proxies ---------------------------------------------------------------------------

    def compare(self, supply: int, x: Words, y: Places) -> NDArray[np.bool_]:
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

    def compare_opened(self, z: Words, w: Places) -> NDArray[np.bool_]:
        """[(x, y) < 0] for differences that are public as z and w, with blocks taken in for them;
        opened to both proxies."""
        self._party.step()
        return self._opened(z, w, comparison_of_opened, self._packing.wire_shapes)

    def _opened(
        self, x: Words, y: Places, comparison: _Comparison, mask_shapes: Sequence[Shape]
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

    def _by_blocks(self, x: Words, y: Places) -> Iterator[tuple[Words, Places]]:
        length = self._packing.length
        for start in range(0, x.size, length):
            part = slice(start, start + length)
            yield self._filled_up(x[part]), self._filled_up(y[part])

    def _next_block(self) -> Iterator[Words]:
        self._receive()
        return self._blocks.popleft()

    def _receive(self) -> None:
        """Take in what the helper dealt in the round before; P0 knows it from the stream."""
        for _ in range(self._under_way):
            self._blocks.append(self._party.dealt(*self._packing.dealt_shapes))
        self._under_way = 0

    def _filled_up(self, numbers: NDArray[Number]) -> NDArray[Number]:
        """As many numbers as a block compares, with zeros behind."""
        filled = np.zeros(self._packing.length, numbers.dtype)
        filled[: numbers.size] = numbers
        return filled
