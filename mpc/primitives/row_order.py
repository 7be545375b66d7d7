"""From another order back to the rows' own: three hops, 40 + 24 bytes a row and column.

Row numbers and columns are shuffled together, the numbers are opened, and each row is put in its
place. The opened numbers are 0 to n - 1 in a uniformly random order, so that they tell nothing of
the order in which the rows came; numbers that are not complete are found out.

Whoever deviates: the numbers are opened, and a proxy that adds marks to its shares of them before
the shuffle reads which mark came with which number: the order that the numbers count. By then
nobody has noticed. No claim is made where this runs (`ppaurora.protocols.pipelines.models`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import open_words
from ppaurora.mpc.primitives.shuffle import shuffle
from ppaurora.mpc.shares import InRing, SharedNumbers
from ppaurora.mpc.words import Column, Words

Positions = NDArray[np.int64]


def row_order_cost(*, columns: int = 1, narrow: int = 0) -> CostFunction:
    """The cost for so many columns; of numbers and columns the first `narrow` ones are shared mod
    2^32."""
    shuffled = shuffle.cost(columns=columns + 1, narrow=narrow).payload
    opened = open_words.cost(narrow=narrow > 0).payload
    return CostFunction.fixed(3, lambda n: shuffled(n) + opened(n))


@costs(row_order_cost)
def row_order(party: Party, numbers: SharedNumbers, columns: Sequence[InRing]) -> list[InRing]:
    """The columns' rows in the order of their numbers, which are 0 to n - 1, each once.

    P0 and P1 learn that the numbers are complete, and nothing else. Where they are not, both
    raise `RemoteProtocolError`: the party that shared them did not keep to the protocol.
    """
    complete, rows = row_orders(party, numbers, columns, lengths=[len(numbers)])
    if not all(complete):
        raise RemoteProtocolError(
            f"the numbers of {len(numbers)} shared rows are not those from 0 to "
            f"{len(numbers) - 1}, each once",
            advice="The party that shared the rows has to number them anew; nothing was computed.",
        )
    return rows


@costs(row_order_cost)
def row_orders(
    party: Party,
    numbers: SharedNumbers,
    columns: Sequence[InRing],
    *,
    lengths: Sequence[int],
) -> tuple[list[bool], list[InRing]]:
    """For each part whether its numbers are complete, and the columns in the parts' orders.

    The parts are consecutive and of these lengths; each is numbered from 0 by itself. Where its
    numbers are not complete, P0 and P1 learn them, and its rows stay in a random order. The helper
    sees no number and takes all parts to be complete.
    """
    each: list[Any] = [numbers, *columns]
    shuffled, *rows = shuffle(party, each, lengths=lengths)
    opened = open_words(party, shuffled)
    if opened is None:
        return [True] * len(lengths), rows
    parts = [slice(*ends) for ends in pairwise(accumulate(lengths, initial=0))]
    complete = [_complete(opened[part]) for part in parts]
    places = np.arange(opened.size)
    for part, is_complete in zip(parts, complete, strict=True):
        if is_complete:
            places[part] = opened[part].astype(np.int64) + part.start
    placed = [row.having(_placed(row.words, places), len(row)) for row in rows]
    return complete, placed


def _complete(numbers: Words) -> bool:
    if np.any(numbers >= numbers.size):
        return False
    seen = np.zeros(numbers.size, np.bool_)
    seen[numbers] = True
    return bool(seen.all())


def _placed(words: Column, places: Positions) -> Column:
    placed = np.empty_like(words)
    placed[places] = words
    return placed
