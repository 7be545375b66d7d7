"""The permutations of a shuffle, of which every party misses one.

Each pair of parties in turn holds the shares and permutes them by a permutation drawn from its own
stream: P0 and P1, then P0 and the helper, then P1 and the helper. After each permutation both add
fresh shares of zero from the same stream, and one of the two sends its share to the third party,
which receives uniformly random words only. The first two of these messages are under way at once:
P0 sends its share without waiting for anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Words, split

__all__ = ["OF_P1", "WORD_BYTES", "Column", "ColumnLayout", "Shuffling"]

WORD_BYTES = 8

Column: TypeAlias = "NDArray[np.unsignedinteger[Any]]"
"""Numbers mod 2^64, or mod 2^32 or 2^16 where several share a word."""
Turn = tuple[Role, Role]

# who holds the shares in each turn; the second sends its own to the third party
OF_THE_PROXIES: Turn = (Role.P0, Role.P1)
OF_P0: Turn = (Role.HELPER, Role.P0)
OF_P1: Turn = (Role.P1, Role.HELPER)


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Columns of `n` numbers each, as words: one column after the other, each in whole words.

    `bytes_each` says for every column how long its numbers are.
    """

    n: int
    bytes_each: tuple[int, ...]

    @property
    def sizes(self) -> list[int]:
        """How many words each column has."""
        return [-(-self.n * size // WORD_BYTES) for size in self.bytes_each]

    @property
    def words(self) -> int:
        return sum(self.sizes)

    def columns(self, words: Words) -> list[Column]:
        """The columns that these words hold."""
        parts = split(words, *((size,) for size in self.sizes))
        return [
            part.view(f"u{size}")[: self.n]
            for part, size in zip(parts, self.bytes_each, strict=True)
        ]

    def message(self, columns: Sequence[Column]) -> Words:
        """The words that hold these columns.

        >>> ColumnLayout(2, (8, 2)).message([np.array([5, 6]), np.array([7, 1])]).tolist()
        [5, 6, 65543]
        """
        words = np.zeros(self.words, np.uint64)
        for room, column in zip(self.columns(words), columns, strict=True):
            room[:] = column
        return words


@dataclass(frozen=True, slots=True)
class Shuffling:
    """One shuffle of this party: how its columns lie, and the lengths of the parts of the rows.

    The rows of each part stay among themselves.
    """

    party: Party
    layout: ColumnLayout
    name: str
    lengths: Sequence[int]

    def first_hop(
        self, rows: Sequence[Column], prepare: Callable[[], None] = lambda: None
    ) -> list[Column]:
        """The rows as P1 and the helper hold them before their own turn; P0 gives its share away.

        The helper has something to `prepare` before it waits.
        """
        party = self.party
        if party.is_helper:
            prepare()
        elif party.role is Role.P1:
            self.send(Role.HELPER, self.permuted(OF_THE_PROXIES, rows))
        else:
            self.send(Role.P1, self.permuted(OF_P0, self.permuted(OF_THE_PROXIES, rows)))
        party.end_round()
        if party.is_helper:
            return self.permuted(OF_P0, self.receive(Role.P1))
        return self.receive(Role.P0) if party.role is Role.P1 else []

    def permuted(self, turn: Turn, rows: Sequence[Column]) -> list[Column]:
        """The rows permuted, plus the first one's or minus the second one's copy of random ones."""
        first, second = turn
        adds = self.party.role is first
        stream = self.party.common(self.name, second if adds else first)
        order = _within(self.lengths, stream)
        zeros = self.layout.columns(stream.array((self.layout.words,)))
        return [
            row[order] + zero if adds else row[order] - zero
            for row, zero in zip(rows, zeros, strict=True)
        ]

    def send(self, receiver: Role, rows: Sequence[Column]) -> None:
        self.party.send(receiver, Kind.PERMUTED, self.layout.message(rows))

    def receive(self, giver: Role) -> list[Column]:
        return self.layout.columns(self.party.receive(giver, Kind.PERMUTED, self.layout.words))


def _within(lengths: Sequence[int], stream: Stream) -> NDArray[np.int64]:
    """A permutation of all places that leaves each place in its part."""
    ends = pairwise(accumulate(lengths, initial=0))
    parts = [start + stream.permutation(stop - start) for start, stop in ends]
    return np.concatenate(parts)
