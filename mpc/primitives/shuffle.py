"""A shuffle by a permutation that no single party knows: two hops, 24 bytes a word.

Three permutations, of which every party misses one. One pair of parties after the other holds the
shares and permutes them by a permutation drawn from its own stream: P0 and P1, then P0 and the
helper, then P1 and the helper. After each permutation both add fresh shares of zero from the same
stream, and one of the two sends its share to the third party, which receives uniformly random words
only. The first two of these messages are under way at once: P0 sends its share without waiting for
anyone. After the last permutation the helper sends its share to P0. The helper receives shares,
though never both shares of a word.

`masked_shuffle` opens the rows beneath masks that the helper knows: two hops, 40 bytes a word.
Comparisons behind it then need no message to open their operands, and the helper can deal for them
before the shuffle has ended. After the last permutation
P1 holds the share a + ζ of a row x, the helper b - ζ, where a + b = x and ζ is known to both. With
r = r0 + r1, drawn by P0 and P1 each with the helper,

    P1       sends  a + ζ          to P0
    helper   sends  b - ζ + r      to both proxies

and both add up z = x + r. P0 does not know ζ: it sees random words whose sum is z. P1 does not know
r0, so that what it is sent is random, too. The helper is sent nothing more than by `shuffle`. z
hides x from either proxy by the other one's mask. The shares of x are z - r0 and -r1.

A new connection carries ten packets in its first round trip and twice as many in each that follows.
So that no line is new when the rounds after the shuffle need it, each proxy sends zeros in the
first hop (`zeros_for`), for which nobody waits.

Whoever deviates: each of the three messages is masked by words that its two holders share and its
receiver has not, whatever rows were permuted. Wrong rows stay in the shares, unseen, until
something behind the shuffle is opened: then a mark tells where its row came from, or went.

In a masked shuffle a + ζ is masked by ζ, which P0 has not, b - ζ + r by the mask of the other
proxy, and what the helper receives by the proxies' stream: all random, whatever rows were permuted.
What compares the rows behind it shows what became of marked ones, see
`ppaurora.mpc.primitives.placed_comparison`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost, CostFunction, costs
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import same_length
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.shares import InRing, is_narrow
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import HALF_BYTES, WORD_BYTES, Column, ColumnLayout

Holders = tuple[Role, Role]

# who holds the shares for each permutation; the second sends its own to the third party
OF_THE_PROXIES: Holders = (Role.P0, Role.P1)
OF_P0: Holders = (Role.HELPER, Role.P0)
OF_P1: Holders = (Role.P1, Role.HELPER)


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
        """The rows as P1 and the helper hold them before their own permutation; P0 gives its share
        away.

        `prepare` is called before anything is waited for.
        """
        party = self.party
        if party.role is Role.P1:
            self.send(Role.HELPER, self.permuted(OF_THE_PROXIES, rows))
        elif party.role is Role.P0:
            self.send(Role.P1, self.permuted(OF_P0, self.permuted(OF_THE_PROXIES, rows)))
        prepare()
        party.end_round()
        if party.is_helper:
            return self.permuted(OF_P0, self.receive(Role.P1))
        return self.receive(Role.P0) if party.role is Role.P1 else []

    def permuted(self, holders: Holders, rows: Sequence[Column]) -> list[Column]:
        """The rows permuted, plus the first one's or minus the second one's copy of random ones."""
        first, second = holders
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


def shuffle_cost(*, columns: int = 1, narrow: int = 0) -> CostFunction:
    """The cost of so many columns, of which `narrow` ones are shared mod 2^32."""
    each = (HALF_BYTES,) * narrow + (WORD_BYTES,) * (columns - narrow)
    return CostFunction.fixed(2, lambda n: 24 * ColumnLayout(n, each).words)


@costs(shuffle_cost)
def shuffle(
    party: Party, columns: Sequence[InRing], *, lengths: Sequence[int] | None = None
) -> list[InRing]:
    """The columns' rows in one common order, random and unknown to everyone.

    With `lengths`, those of consecutive parts, the rows of each part stay among themselves.
    """
    party.step()
    n = same_length(columns)
    if n == 0:
        return list(columns)
    layout = ColumnLayout(n, tuple(HALF_BYTES if is_narrow(x) else WORD_BYTES for x in columns))
    parts = [n] if lengths is None else lengths
    shuffling = Shuffling(party, layout, party.unique_name("shuffle"), parts)
    own: list[Column] = [] if party.is_helper else [column.words for column in columns]
    rows = shuffling.first_hop(own)
    if party.role is not Role.P0:
        rows = shuffling.permuted(OF_P1, rows)
    if party.is_helper:
        shuffling.send(Role.P0, rows)
    party.end_round()
    if party.is_helper:
        return list(columns)
    if party.role is Role.P0:
        rows = shuffling.receive(Role.HELPER)
    return [column.having(row, n) for column, row in zip(columns, rows, strict=True)]


MOST_ZEROS = 1 << 15
"""The most words of zeros on a line: what is longer hardly notices how its lines begin."""


def zeros_for(peer: Role, layout: ColumnLayout) -> int:
    """The words of zeros that a proxy sends this peer: as many as the rows take, and four times as
    many to the helper, which is told about so much in a round."""
    return min((4 if peer is Role.HELPER else 1) * layout.words, MOST_ZEROS)


def masked_shuffle_cost(layout: ColumnLayout) -> Cost:
    zeros = sum(zeros_for(peer, layout) for role in PROXIES for peer in role.others)
    return Cost(2, 40 * layout.words + 8 * zeros)


def masked_shuffle(
    party: Party,
    layout: ColumnLayout,
    columns: Sequence[Column],
    *,
    prepare: Callable[[list[Column]], None],
) -> tuple[list[Column], list[Column]]:
    """The rows in one common order, random and unknown to everyone: z, and a share of x.

    The helper, for whom there are none, calls `prepare` with r before it waits for anything; the
    proxies call it with nothing in the round after that, to receive what the helper deals there.
    """
    party.step()
    shuffling = Shuffling(party, layout, party.unique_name("shuffle"), [layout.n])
    if party.is_helper:
        _helped(shuffling, prepare)
        return [], []
    [drawn] = party.masks((layout.words,))
    r = layout.columns(drawn)

    def warm_up() -> None:
        for peer in party.role.others:
            party.send(peer, Kind.PERMUTED, np.zeros(zeros_for(peer, layout), np.uint64))

    rows = shuffling.first_hop(columns, warm_up)
    if party.role is Role.P1:
        rows = shuffling.permuted(OF_P1, rows)
        shuffling.send(Role.P0, rows)
    prepare([])
    party.receive(party.other_proxy, Kind.PERMUTED, zeros_for(party.role, layout))
    party.end_round()
    if party.role is Role.P0:
        rows = shuffling.receive(Role.P1)
    z = _sums(rows, shuffling.receive(Role.HELPER))
    minuends = z if party.role is Role.P0 else [np.zeros_like(column) for column in z]
    return z, [one - mask for one, mask in zip(minuends, r, strict=True)]


def _helped(shuffling: Shuffling, prepare: Callable[[list[Column]], None]) -> None:
    """The helper's part."""
    party, layout = shuffling.party, shuffling.layout
    [drawn] = party.both_masks((layout.words,))
    r = _sums(*map(layout.columns, drawn))
    rows = shuffling.first_hop([], partial(prepare, r))
    masked = _sums(shuffling.permuted(OF_P1, rows), r)
    for proxy in PROXIES:
        shuffling.send(proxy, masked)
    for proxy in PROXIES:
        party.receive(proxy, Kind.PERMUTED, zeros_for(party.role, layout))
    party.end_round()


def _sums(first: Sequence[Column], second: Sequence[Column]) -> list[Column]:
    return [x + y for x, y in zip(first, second, strict=True)]
