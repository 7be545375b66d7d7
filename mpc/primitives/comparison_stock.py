"""Opened comparisons, round by round, where only the proxies know how many a round has.

The helper deals in advance, to a stock of blocks of one fixed length. A round of comparisons is

    helper    deals as many blocks as the public plan says
    proxies   use what they need; P0 tells the helper how many blocks are missing, mostly none
    helper    deals these as well

and takes four hops, or five where blocks are missing. What is left over is for the next rounds.

The proxies learn the outcomes, as the caller declares, and the helper how many blocks are missing
in each round. All three count the same rounds, so that other programs can run beside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.comparison import EXCHANGES
from ppaurora.mpc.primitives.placed_comparison import (
    Packing,
    Places,
    deal_placed,
    placed_comparison,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


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

    # -- the proxies ---------------------------------------------------------------------------

    def compare(self, supply: int, x: Words, y: Places) -> NDArray[np.bool_]:
        """[(x, y) < 0] for shares of differences of keys and of places, opened to both proxies."""
        party, length = self._party, self._packing.length
        party.step()
        needed = -(-x.size // length)
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
        parts = party.advance_together(
            (
                placed_comparison(
                    party.role,
                    self._packing,
                    self._filled_up(x[start : start + length]),
                    self._filled_up(y[start : start + length]),
                    party.masks(*self._packing.mask_shapes),
                    self._next_block,
                )
                for start in range(0, x.size, length)
            ),
            one_by_one=True,
        )
        return np.concatenate(parts)[: x.size].astype(np.bool_)

    def _next_block(self) -> Iterator[Words]:
        self._receive()
        return self._blocks.popleft()

    def _receive(self) -> None:
        """Take in what the helper dealt in the round before; P0 knows it from the stream."""
        for _ in range(self._under_way):
            self._blocks.append(self._party.dealt(*self._packing.dealt_shapes))
        self._under_way = 0

    def _filled_up(self, shares: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        """As many shares as a block compares, with zeros behind."""
        filled = np.zeros(self._packing.length, shares.dtype)
        filled[: shares.size] = shares
        return filled
