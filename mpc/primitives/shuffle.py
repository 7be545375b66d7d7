"""A shuffle by a permutation that no single party knows: two hops, 24 bytes a word.

Each pair of parties in turn holds the shares and permutes them by a permutation drawn from its own
stream: P0 and P1, then P0 and the helper, then P1 and the helper. After each permutation both add
fresh shares of zero from the same stream, and one of the two sends its share to the third party.
Everyone misses one of the three permutations, and receives uniformly random words only. The first
two of the three messages are under way at once: P0 sends its share without waiting for anyone.

Here the helper receives shares, though never both shares of a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.link import Kind
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import same_length
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray

# who holds the shares in each turn; the second sends its own to the third party, in this hop
TURNS = (
    (Role.P0, Role.P1, Role.HELPER, 1),
    (Role.HELPER, Role.P0, Role.P1, 1),
    (Role.P1, Role.HELPER, Role.P0, 2),
)
HOPS = 2


def shuffle_cost(*, columns: int = 1) -> Cost:
    return Cost.fixed(HOPS, lambda n: 24 * columns * n)


@costs(shuffle_cost)
def shuffle(
    party: Party, columns: Sequence[Shared], *, lengths: Sequence[int] | None = None
) -> list[Shared]:
    """The columns' rows in one common order, random and unknown to everyone.

    With `lengths`, those of consecutive parts, the rows of each part stay among themselves.
    """
    party.step()
    shape = (len(columns), same_length(columns))
    if shape[1] == 0:
        return list(columns)
    name = party.unique_name("shuffle")
    parts = [shape[1]] if lengths is None else lengths
    words = None if party.is_helper else np.stack([column.words for column in columns])
    for keeper, giver, receiver, hop in TURNS:
        if party.role is receiver:
            _end_rounds(party, hop)
            words = party.receive(giver, Kind.PERMUTED, shape[0] * shape[1]).reshape(shape)
            continue
        assert words is not None
        words = _permuted(party, keeper, giver, name, words, parts)
        if party.role is giver:
            party.send(receiver, Kind.PERMUTED, words.reshape(-1))
    _end_rounds(party, HOPS - _hop_of(party.role))
    if party.is_helper:
        return [Shared.absent(shape[1]) for _ in columns]
    assert words is not None
    return [Shared.from_words(party.role, row) for row in words]


def _hop_of(role: Role) -> int:
    """In which hop this party receives."""
    return next(hop for _, _, receiver, hop in TURNS if receiver is role)


def _end_rounds(party: Party, count: int) -> None:
    for _ in range(count):
        party.end_round()


def _permuted(
    party: Party, keeper: Role, giver: Role, name: str, words: Words, lengths: Sequence[int]
) -> Words:
    """The words permuted, plus the keeper's or minus the giver's copy of a random array."""
    stream = party.common(name, giver if party.role is keeper else keeper)
    permuted = words[:, _within(lengths, stream)]
    zero = stream.array(words.shape)
    return permuted + zero if party.role is keeper else permuted - zero


def _within(lengths: Sequence[int], stream: Stream) -> NDArray[np.int64]:
    """A permutation of all places that leaves each place in its part."""
    ends = pairwise(accumulate(lengths, initial=0))
    parts = [start + stream.permutation(stop - start) for start, stop in ends]
    return np.concatenate(parts)
