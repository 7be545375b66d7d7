"""A shuffle by a permutation that no single party knows: two hops, 24 bytes a word.

Everyone misses one of its three permutations and receives uniformly random words only, as
`ppaurora.mpc.primitives.shuffling` says. After the last one the helper sends its share to P0. Here
it receives shares, though never both shares of a word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import same_length
from ppaurora.mpc.primitives.shuffling import OF_P1, WORD_BYTES, Column, ColumnLayout, Shuffling
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared


def shuffle_cost(*, columns: int = 1) -> Cost:
    return Cost.fixed(2, lambda n: 24 * columns * n)


@costs(shuffle_cost)
def shuffle(
    party: Party, columns: Sequence[Shared], *, lengths: Sequence[int] | None = None
) -> list[Shared]:
    """The columns' rows in one common order, random and unknown to everyone.

    With `lengths`, those of consecutive parts, the rows of each part stay among themselves.
    """
    party.step()
    n = same_length(columns)
    if n == 0:
        return list(columns)
    layout = ColumnLayout(n, (WORD_BYTES,) * len(columns))
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
        return [Shared.absent(n) for _ in columns]
    if party.role is Role.P0:
        rows = shuffling.receive(Role.HELPER)
    return [Shared.from_words(party.role, row.view(np.uint64)) for row in rows]
