"""Least cells of cuts at places that nobody knows: those by a rank or by a rate.

The rule is that of `ppaurora.protocols.grid.least_cell`, without a public order of the cuts and
without owners' eyes: how many of its own samples an owner has above such a cut is not known to
anybody. With q the least cell, two cuts are *far* from each other if their TP and their FP both
differ by q or more, *the same* if neither differs, and else *near*. Cuts stand in the order in
which the study asks for them, behind its thresholds. One is *a candidate* if it is far from both
ends, nothing and everything, and near to no threshold that is shown. It is shown if it is a
candidate and near to no candidate before it, or if it is the same as one that is shown for that
reason. So any two cuts that are shown are far from each other or the same, whatever is computed of
them, and no walk along the cuts is needed.

A reading between two corners of the curve shows a number about both of them. It is shown if both
may be, and if they are far from each other or differ in one class only, as if at the first one.

With d the difference of a count between two cuts, far = [d² >= q²] for both classes, and the
same is [the sum of both squares = 0]. Twenty-two hops, twelve of a single cut. Which cuts are shown
stays shared; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, is_zero, multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side

Places = NDArray[np.intp]
Cut = tuple[int, int]
"""TP and FP of a cut, in the clear."""


@dataclass(frozen=True, slots=True)
class Corners:
    """TP and FP at the cuts of some readings: first the first of each, then the second if any."""

    TP: Shared
    FP: Shared


@dataclass(frozen=True, slots=True)
class Reading:
    """The cuts that a statistic reads, and 1 for each of its readings that may be shown, else 0."""

    corners: Corners
    shown: Shared


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The pairs of cuts that are compared, of readings with so many cuts each.

    Cuts are counted reading by reading; behind them come the thresholds and the two ends.

    >>> one = Comparisons((1, 2), thresholds=1)
    >>> one.with_thresholds, one.of_one, one.of_two
    ([(0, 3), (1, 3), (2, 3)], [(1, 2)], [(0, 1), (0, 2)])
    """

    cuts: tuple[int, ...]
    thresholds: int

    @property
    def _own(self) -> list[range]:
        """The cuts of each reading."""
        return [range(*ends) for ends in pairwise(accumulate(self.cuts, initial=0))]

    @property
    def with_ends(self) -> list[tuple[int, int]]:
        count = sum(self.cuts)
        ends = (count + self.thresholds, count + self.thresholds + 1)
        return [*product(range(count), ends)]

    @property
    def with_thresholds(self) -> list[tuple[int, int]]:
        count = sum(self.cuts)
        return [*product(range(count), range(count, count + self.thresholds))]

    @property
    def of_one(self) -> list[tuple[int, int]]:
        """The first and the second cut of those readings that have two."""
        return [(own[0], own[1]) for own in self._own if len(own) > 1]

    @property
    def of_two(self) -> list[tuple[int, int]]:
        """The cuts of each reading with those of every later one."""
        return [pair for earlier, later in self.readings for pair in product(earlier, later)]

    @property
    def readings(self) -> list[tuple[range, range]]:
        """The cuts of every two readings, in the order of `of_two`."""
        return [*combinations(self._own, 2)]

    @property
    def squared(self) -> int:
        """The number of pairs of which both counts are compared."""
        return len(self.with_ends + self.with_thresholds + self.of_one + self.of_two)


def shown_beside(
    party: Party,
    corners: Sequence[Corners],
    cuts: Sequence[int],
    thresholds: Reading | None,
    everything: Corners,
    least: int,
) -> Shared:
    """1 for each reading that may be shown, else 0.

    `corners` are those of several statistics, each with readings of so many `cuts`; `thresholds`
    those that are held by the least cell already, and `everything` is (P, N).
    """
    readings, order = _in_order(corners, cuts)
    asked = Comparisons(tuple(readings), len(thresholds.shown) if thresholds else 0)
    nothing = Shared.zeros(party.role, 1)
    TP, FP = (
        concatenate(
            [
                concatenate(getattr(one, kind) for one in corners)[order],
                *([getattr(thresholds.corners, kind)] if thresholds else []),
                nothing,
                getattr(everything, kind),
            ]
        )
        for kind in ("TP", "FP")
    )
    pairs = asked.with_ends + asked.with_thresholds + asked.of_one + asked.of_two
    ends, near_thresholds, of_one = (
        len(one) for one in (asked.with_ends, asked.with_thresholds, asked.of_one)
    )
    left, right = np.array(pairs, np.intp).T
    dTP, dFP = TP[left] - TP[right], FP[left] - FP[right]
    k, alone = len(pairs), slice(ends + near_thresholds, ends + near_thresholds + of_one)
    squares = multiply(
        party, concatenate([dTP, dFP, dTP[alone]]), concatenate([dTP, dFP, dFP[alone]])
    )
    sums = squares[:k] + squares[k : 2 * k]
    unlike = concatenate([sums[ends : alone.start], squares[2 * k :], sums[alone.stop :]])
    tested = [lambda own: is_negative(own, squares[: 2 * k] - least**2)]
    if len(unlike):
        tested.append(lambda own: is_zero(own, unlike))
    few, *rest = side_by_side(party, tested)
    far = multiply(party, 1 - few[:k], 1 - few[k:])
    near = 1 - far
    if rest:
        near = concatenate([near[:ends], near[ends:] - rest[0]])
    faults = [near[:ends], near[alone]]
    if thresholds:
        shown = concatenate([thresholds.shown] * sum(readings))
        faults.append(multiply(party, near[ends : alone.start], shown))
    candidates = is_zero(party, _by_reading(asked, *faults))
    if len(readings) == 1:
        return candidates
    starts = [*accumulate((len(a) * len(b) for a, b in asked.readings), initial=alone.stop)]
    between = concatenate(near[start:stop].sum() for start, stop in pairwise(starts))
    first, second = np.array([*combinations(range(len(readings)), 2)], np.intp).T
    held = multiply(party, between, candidates[first])
    before = [np.flatnonzero(second == place) for place in range(len(readings))]
    none = Shared.zeros(party.role, 1)

    def with_earlier(own: Shared, of_pairs: Shared) -> Shared:
        """Each entry with those of its reading's pairs with earlier ones."""
        sums = concatenate(of_pairs[at].sum() if at.size else none for at in before)
        return own + sums

    shown = is_zero(party, with_earlier(1 - candidates, held))
    same = rest[0][alone.stop - ends :]
    starts = [start - alone.stop for start in starts]
    equal = concatenate(
        same[start:stop].sum() if len(later) == 1 else none
        for (start, stop), (_, later) in zip(pairwise(starts), asked.readings, strict=True)
    )
    return 1 - is_zero(party, with_earlier(shown, multiply(party, equal, shown[first])))


def _in_order(corners: Sequence[Corners], cuts: Sequence[int]) -> tuple[list[int], Places]:
    """The number of cuts of each reading, and the place of each cut among all corners."""
    readings, order, start = [], [], 0
    for one, each in zip(corners, cuts, strict=True):
        count = len(one.TP) // each
        readings += [each] * count
        order += [start + count * which + place for place in range(count) for which in range(each)]
        start += each * count
    return readings, np.array(order, np.intp)


def _by_reading(
    asked: Comparisons, ends: Shared, of_one: Shared, thresholds: Shared | None = None
) -> Shared:
    """The faults of each reading: those of its cuts with the ends and thresholds, and its own."""
    found, start, own = [], 0, 0
    for each in asked.cuts:
        total = ends[2 * start : 2 * (start + each)].sum()
        if thresholds is not None:
            c = asked.thresholds
            total = total + thresholds[c * start : c * (start + each)].sum()
        if each > 1:
            total = total + of_one[own : own + 1]
            own += 1
        found.append(total)
        start += each
    return concatenate(found)


def shown_beside_cost(cuts: Sequence[int], thresholds: int) -> Cost:
    """The cost of `shown_beside` for readings with so many cuts each, beside so many thresholds."""
    asked = Comparisons(tuple(cuts), thresholds)
    pairs, of_one, readings = asked.squared, len(asked.of_one), len(cuts)
    spent = multiply.cost().of(2 * pairs + of_one)
    spent += is_negative.cost().of(2 * pairs) | is_zero.cost().of(pairs - len(asked.with_ends))
    spent += multiply.cost().of(pairs)
    if thresholds:
        spent += multiply.cost().of(len(asked.with_thresholds))
    spent += is_zero.cost().of(readings)
    if readings > 1:
        of_two = multiply.cost().of(readings * (readings - 1) // 2)
        spent += of_two + is_zero.cost().of(readings)
        spent += of_two + is_zero.cost().of(readings)
    return spent


def shown_beside_plaintext(
    readings: Sequence[Sequence[Cut]], thresholds: Sequence[Cut], everything: Cut, least: int
) -> list[bool]:
    """`shown_beside` in the clear, of these readings beside the thresholds that are shown."""

    def near(one: Cut, other: Cut) -> bool:
        differ = [abs(a - b) for a, b in zip(one, other, strict=True)]
        return any(differ) and min(differ) < least

    def candidate(cuts: Sequence[Cut]) -> bool:
        ends = [(0, 0), everything]
        if any(cut == end or near(cut, end) for cut in cuts for end in ends):
            return False
        if any(near(cut, other) for cut in cuts for other in thresholds):
            return False
        first, last = cuts[0], cuts[-1]
        return not near(first, last) or first[0] == last[0] or first[1] == last[1]

    candidates: list[Sequence[Cut]] = []
    shown: list[Cut] = []
    found = []
    for cuts in readings:
        fine = candidate(cuts)
        earlier = [other for one in candidates for other in one]
        first = fine and not any(near(cut, other) for cut in cuts for other in earlier)
        found.append(first or (len(cuts) == 1 and cuts[0] in shown))
        if fine:
            candidates.append(cuts)
        if first:
            shown += cuts
    return found
