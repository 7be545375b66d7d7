"""From the sorted order back to the rows' own order: three hops, 40 + 24 bytes a row and column.

Row numbers and columns are shuffled together, the numbers are opened, and each row is put in its
place. The opened numbers are 0 to n - 1 in a uniformly random order, so that they tell nothing of
the order in which the rows came; numbers that are not complete end the session, as they would.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.opening import open_words
from ppaurora.mpc.primitives.shuffle import shuffle
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


def row_order_cost(*, columns: int = 1) -> Cost:
    shuffled = shuffle.cost(columns=columns + 1).payload
    return Cost.fixed(3, lambda n: shuffled(n) + open_words.cost().payload(n))


@costs(row_order_cost)
def row_order(party: Party, numbers: Shared, columns: Sequence[Shared]) -> list[Shared]:
    """The columns' rows in the order of their numbers, which are 0 to n - 1, each once.

    P0 and P1 learn that the numbers are complete, and nothing else. Where they are not, both
    raise `RemoteProtocolError`: whoever shared them did not keep to the protocol.
    """
    shuffled, *rows = shuffle(party, [numbers, *columns])
    opened = open_words(party, shuffled)
    if opened is None:
        return rows
    if not _complete(opened):
        raise RemoteProtocolError(
            f"the numbers of {opened.size} shared rows are not those from 0 to {opened.size - 1}, "
            "each once",
            advice="Whoever shared the rows has to number them anew; nothing was computed.",
        )
    return [Shared.from_words(party.role, _placed(row.words, opened)) for row in rows]


def _complete(numbers: Words) -> bool:
    if np.any(numbers >= numbers.size):
        return False
    seen = np.zeros(numbers.size, np.bool_)
    seen[numbers] = True
    return bool(seen.all())


def _placed(words: Words, places: Words) -> Words:
    placed = np.empty_like(words)
    placed[places] = words
    return placed
