"""A shuffle that opens the rows beneath masks which the helper knows: two hops, 40 bytes a word.

For comparisons behind it that then need no message to open their operands, and that the helper can
deal for before the shuffle has ended. The permutations are those of `shuffle`. After the last one
P1 holds the share a + ζ of a row x, the helper b - ζ, where a + b = x and ζ is known to both. With
r = r0 + r1, drawn by P0 and P1 each with the helper,

    P1       sends  a + ζ          to P0
    helper   sends  b - ζ + r      to both proxies

and both add up z = x + r. P0 does not know ζ: it sees random words whose sum is z. P1 does not know
r0, so that what it is sent is random, too. The helper is sent nothing more than by `shuffle`. z
hides x from either proxy by the other one's mask. The shares of x are z - r0 and -r1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.shuffling import OF_P1, Column, ColumnLayout, Shuffling
from ppaurora.mpc.role import Role

__all__ = ["masked_shuffle", "masked_shuffle_cost"]


def masked_shuffle_cost(layout: ColumnLayout) -> Spent:
    return Spent(2, 40 * layout.words)


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
    rows = shuffling.first_hop(columns)
    if party.role is Role.P1:
        rows = shuffling.permuted(OF_P1, rows)
        shuffling.send(Role.P0, rows)
    prepare([])
    party.end_round()
    if party.role is Role.P0:
        rows = shuffling.receive(Role.P1)
    z = _sums(rows, shuffling.receive(Role.HELPER))
    minuends = z if party.role is Role.P0 else [np.zeros_like(one) for one in z]
    return z, [one - mask for one, mask in zip(minuends, r, strict=True)]


def _helped(shuffling: Shuffling, prepare: Callable[[list[Column]], None]) -> None:
    """The helper's part."""
    party, layout = shuffling.party, shuffling.layout
    [drawn] = party.both_masks((layout.words,))
    r = _sums(*map(layout.columns, drawn))
    rows = shuffling.first_hop([], partial(prepare, r))
    masked = _sums(shuffling.permuted(OF_P1, rows), r)
    for proxy in (Role.P0, Role.P1):
        shuffling.send(proxy, masked)
    party.end_round()


def _sums(one: Sequence[Column], other: Sequence[Column]) -> list[Column]:
    return [x + y for x, y in zip(one, other, strict=True)]
