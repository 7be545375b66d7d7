"""Least cells of a curve of times: between two times that are shown no small count comes out.

At a time of a Kaplan-Meier curve come out how many samples had their event until then and how
many are followed for longer, so how many were censored. Two times *conflict* if between them some
owner, which can subtract its own samples, sees 1 to q - 1 events, or 1 to q - 1 censored samples.
None is no conflict: a curve that does not fall is what it shows, and events without censoring are
usual early in a follow-up. A time conflicts with the beginning likewise, and with the end if some
owner sees 1 to q - 1 samples that are followed for longer: how many there are in all is public.

The times have a public order of priority, those in the middle first. A time is withheld if it
conflicts with any of higher priority, shown or not, with the beginning or with the end. So no two
that are shown conflict: of these one was held against the other. With

    [1 <= x < q] = [x - q < 0] - [x - 1 < 0]

over all pairs, owners and kinds, the number of conflicts of each time is a sum, and it is shown if
that is 0: one batch of comparisons and one test for zero, 8 hops. Which are shown stays shared;
nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, is_zero
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.grid.least_cell import Priorities, as_seen


def _pairs(order: Priorities) -> list[tuple[int, int, int]]:
    """Pairs of times, counted from 1, and of 0, the beginning, with the one that gives way.

    >>> _pairs(Priorities((1, 0)))
    [(0, 1, 1), (0, 2, 2), (1, 2, 1)]
    """
    found = []
    for one, other in combinations(range(order.end), 2):
        first = one == 0 or order.ranks[one - 1] < order.ranks[other - 1]
        found.append((one, other, other if first else one))
    return found


def shown_times(
    party: Party, counts: Sequence[Sequence[Shared]], order: Priorities, least: int
) -> Shared:
    """1 for each time that may be shown, else 0; then 1.

    `counts` holds the events and the censored samples of every owner: until the first time, between
    the first two and so on, and those behind the last.
    """
    k = len(order.ranks)
    pairs = _pairs(order)
    first, second = (np.array(ends, np.intp) for ends in list(zip(*pairs, strict=True))[:2])
    seen = []
    for kind in counts:
        up_to = [concatenate([Shared.zeros(party.role, 1), one.cumsum()]) for one in kind]
        seen += as_seen([one[second] - one[first] for one in up_to])
    whole = [events + censored for events, censored in zip(*counts, strict=True)]
    seen += as_seen([one.sum().repeat(k) - one.cumsum()[:k] for one in whole])
    x = concatenate(seen)
    below = is_negative(party, concatenate([x - least, x - 1]))
    small = below[: len(x)] - below[len(x) :]
    giving = _giving(order, len(seen) // 3)
    conflicts = concatenate(small[np.flatnonzero(giving == cut)].sum() for cut in range(1, k + 1))
    one = Shared.public(party.role, np.ones(1, np.uint64))
    return concatenate([is_zero(party, conflicts), one])


def _giving(order: Priorities, views: int) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Of each number that is compared, which time gives way; of so many owners' views."""
    of_pairs = [giving for _, _, giving in _pairs(order)]
    ends = [*range(1, order.end)]
    return np.array([*of_pairs * (2 * views), *ends * views], np.intp)


def shown_times_cost(order: Priorities, owners: int) -> Cost:
    """The cost of `shown_times` for so many owners."""
    compared = 2 * len(_giving(order, owners))
    return is_negative.cost().of(compared) + is_zero.cost().of(len(order.ranks))


def shown_times_plaintext(
    counts: Sequence[Sequence[Sequence[int]]], order: Priorities, least: int
) -> list[bool]:
    """`shown_times` from counts in the clear."""
    k = len(order.ranks)

    def small(of_owners: Sequence[int]) -> bool:
        total = sum(of_owners)
        alone = len(of_owners) == 1
        return any(0 < total - (0 if alone else own) < least for own in of_owners)

    shown = [True] * k
    for first, second, giving in _pairs(order):
        if any(small([sum(own[first:second]) for own in kind]) for kind in counts):
            shown[giving - 1] = False
    for cut in range(1, k + 1):
        events, censored = counts
        behind = [sum(e[cut:]) + sum(c[cut:]) for e, c in zip(events, censored, strict=True)]
        if small(behind):
            shown[cut - 1] = False
    return [*shown, True]
