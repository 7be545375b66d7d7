"""Least cells: which cuts may be shown, so that no small part of the samples lies between two.

A cut divides the samples into those above it and the rest; it is the pair (TP, FP) of what lies
above. Nothing at all, (0, 0), and everything, (P, N), are cuts, too. Two cuts are *far* from each
other if at least q samples of each class lie between them as every owner sees it, which can
subtract its own samples, and *the same* if none does.

A cut that is not far from both ends could not be shown whatever else is; it is *out*. The others
lie beside each other. The cuts of a study have a public order of priority, in which the two ends
come first. A cut looks at the nearest one of higher priority on either side, its leaders. It is
shown if

    it is not out, and from each of its leaders far, or that one is out,
    or it is the same as one of them, which is shown; as the first of them, if as both.

So any two cuts that are shown are far from each other or the same: far from the nearest is far from
all behind it, what is behind a cut that is out is out, and a cut that is the same tells what the
other one does. That holds for whatever is computed of them, and no walk along the cuts is needed.

With few = Σ [samples between - q < 0] over owners and classes, far = [few = 0] and same = [no
samples between], each cut is s = in·far·far + same·s + same'·s', by one product a level of the
order. Twelve hops and one a level, about the logarithm of the number of cuts; eight where there are
none but the ends. Which cuts are shown stays shared; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, is_zero, multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side

Places = NDArray[np.intp]
LEAST_CELL = 5
"""The least cell of a study that says no other."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """The public order in which cuts are shown: the rank of each, from the first cut to the last.

    Places among the cuts begin with 0, nothing at all; the last one is everything.

    >>> Priorities((1, 0, 2)).leaders, Priorities((1, 0, 2)).levels
    ([(0, 2), (0, 4), (4, 2)], [[1], [0, 2]])
    """

    ranks: tuple[int, ...] = ()

    @classmethod
    def of(cls, cuts: Sequence[int], *classes: Sequence[int]) -> Priorities:
        """The priorities of sorted cuts: those of the first class, then the next, each by halves.

        >>> Priorities.of([1, 3, 5, 7], [5], [1, 3, 7]).ranks
        (2, 1, 0, 3)
        """
        ranked = [cut for each in classes for cut in by_halves(each)]
        rank = {cut: place for place, cut in enumerate(ranked)}
        return cls(tuple(rank[cut] for cut in cuts))

    @property
    def end(self) -> int:
        """The place of the last cut, everything."""
        return len(self.ranks) + 1

    @property
    def leaders(self) -> list[tuple[int, int]]:
        """The nearest cuts of higher priority on both sides of each, the higher one first."""
        ranks = (-2, *self.ranks, -1)
        found = []
        for place in range(1, self.end):
            above = next(k for k in range(place - 1, -1, -1) if ranks[k] < ranks[place])
            below = next(k for k in range(place + 1, self.end + 1) if ranks[k] < ranks[place])
            found.append((above, below) if ranks[above] < ranks[below] else (below, above))
        return found

    @property
    def pairs(self) -> tuple[Places, Places]:
        """The pairs that are compared: each cut with its leaders and both ends, and these two."""
        own = 4 * [*range(1, self.end)]
        cuts = len(self.ranks)
        leaders = [one for one, _ in self.leaders] + [one for _, one in self.leaders]
        others = [*leaders, *(cuts * [0]), *(cuts * [self.end])]
        pairs = np.array([*zip(own, others, strict=True), (0, self.end)], np.intp)
        return pairs.min(axis=1), pairs.max(axis=1)

    @property
    def levels(self) -> list[list[int]]:
        """The cuts in turn, counted from 0, each after both of its leaders."""
        leaders, depth = self.leaders, {0: -1, self.end: -1}
        for cut in sorted(range(len(self.ranks)), key=lambda cut: self.ranks[cut]):
            depth[cut + 1] = 1 + max(depth[leader] for leader in leaders[cut])
        count = 1 + max(depth.values())
        return [[cut for cut in range(len(leaders)) if depth[cut + 1] == k] for k in range(count)]


def by_halves(cuts: Sequence[int]) -> list[int]:
    """Sorted cuts from coarse to fine: the middle one, then the middles of both halves.

    >>> by_halves([1, 2, 3, 4, 5, 6, 7])
    [4, 2, 6, 1, 3, 5, 7]
    """
    found, level = [], [list(cuts)] if cuts else []
    while level:
        found += [part[len(part) // 2] for part in level]
        halves = [(part[: len(part) // 2], part[len(part) // 2 + 1 :]) for part in level]
        level = [half for pair in halves for half in pair if half]
    return found


def shown(
    party: Party,
    counts: Sequence[Sequence[Shared]],
    order: Priorities,
    least: int,
    *,
    nobodys: int = 0,
) -> Shared:
    """1 for each cut that may be shown, else 0; then 1 if there are enough samples in all.

    `counts` holds for each class the counts of every owner: the samples between the cuts, above the
    first, between the first two and so on to those below the last. The last `nobodys` counts are
    of samples that no owner knows.
    """
    above, below = order.pairs
    between = [[_up_to(own)[below] - _up_to(own)[above] for own in kind] for kind in counts]
    seen = [one - least for kind in between for one in as_seen(kind, nobodys)]
    total = between[0][0]
    for one in [own for kind in between for own in kind][1:]:
        total = total + one
    few, same = side_by_side(
        party,
        [lambda own: is_negative(own, concatenate(seen)), lambda own: is_zero(own, total)],
    )
    pairs = above.size
    some = few[:pairs]
    for start in range(pairs, len(few), pairs):
        some = some + few[start : start + pairs]
    far = is_zero(party, some)
    return _follow(party, far, same, order)


def _follow(party: Party, far: Shared, same: Shared, order: Priorities) -> Shared:
    """The cuts that are shown, from what was found of all pairs."""
    k, leaders = len(order.ranks), order.leaders
    ends = far[4 * k :]
    both = multiply(
        party,
        concatenate([far[2 * k : 3 * k], same[:k]]),
        concatenate([far[3 * k : 4 * k], same[k : 2 * k]]),
    )
    inside, follows = both[:k], concatenate([same[:k], same[k : 2 * k] - both[k:]])
    # an end is never out
    one = Shared.public(party.role, np.ones(1, np.uint64))
    known = concatenate([one, inside, one])
    of_leaders = np.array([*(one for one, _ in leaders), *(one for _, one in leaders)], np.intp)
    out = 1 - known[of_leaders]
    fine = far[: 2 * k] + out - multiply(party, out, far[: 2 * k])
    free = multiply(party, inside, multiply(party, fine[:k], fine[k:]))
    found: dict[int, Shared] = {0: ends, order.end: ends}
    for level in order.levels:
        places = np.array(level, np.intp)
        shown_leaders = concatenate(found[leaders[cut][which]] for which in (0, 1) for cut in level)
        given = multiply(party, follows[np.concatenate([places, k + places])], shown_leaders)
        s = free[places] + given[: len(level)] + given[len(level) :]
        found |= {cut + 1: s[row : row + 1] for row, cut in enumerate(level)}
    return concatenate([*(found[place] for place in range(1, order.end)), ends])


def _up_to(own: Shared) -> Shared:
    """The samples above each cut, from nothing to everything."""
    return concatenate([Shared.zeros(own.role, 1), own.cumsum()])


def as_seen(own: Sequence[Shared], nobodys: int = 0) -> list[Shared]:
    """The sum less each owner's own part, as that owner sees it; of a single count, the sum.

    The last `nobodys` counts are no owner's.
    """
    total = own[0]
    for one in own[1:]:
        total = total + one
    return [total] if len(own) == 1 else [total - one for one in own[: len(own) - nobodys]]


def shown_cost(order: Priorities, rows: int) -> Cost:
    """The cost of `shown` for so many counts of each of so many owners and classes."""
    k = len(order.ranks)
    pairs = 4 * k + 1
    compared = is_negative.cost().of(rows * pairs) | is_zero.cost().of(pairs)
    spent = compared + is_zero.cost().of(pairs)
    for products in (2 * k, 2 * k, k, k):
        spent += multiply.cost().of(products)
    for level in order.levels:
        spent += multiply.cost().of(2 * len(level))
    return spent


def shown_plaintext(
    counts: Sequence[Sequence[Sequence[int]]],
    order: Priorities,
    least: int,
    *,
    nobodys: int = 0,
) -> list[bool]:
    """`shown` from counts in the clear, cut by cut in the order of priority."""
    parts = order.end

    def far(above: int, below: int) -> bool:
        for kind in counts:
            own = [sum(count[above:below]) for count in kind]
            known = own[: len(own) - nobodys]
            others = own if len(own) == 1 else [sum(own) - one for one in known]
            if min(others) < least:
                return False
        return True

    def same(above: int, below: int) -> bool:
        return not any(sum(count[above:below]) for kind in counts for count in kind)

    ranks = (-2, *order.ranks, -1)
    found = {0: far(0, parts), parts: far(0, parts)}
    inside = {cut: far(0, cut) and far(cut, parts) for cut in range(1, parts)}
    inside |= {0: True, parts: True}
    for cut in sorted(range(1, parts), key=lambda cut: ranks[cut]):
        above = max(place for place in found if place < cut)
        below = min(place for place in found if place > cut)
        leaders = sorted((above, below), key=lambda place: ranks[place])
        equal = [place for place in leaders if same(min(place, cut), max(place, cut))]
        if equal:
            found[cut] = found[equal[0]]
        else:
            found[cut] = inside[cut] and all(
                far(min(place, cut), max(place, cut)) or not inside[place] for place in leaders
            )
    return [found[cut] for cut in range(1, parts + 1)]
