"""Shuffle, then open: a sort whose comparisons are public, of elements that nobody can tell apart.

The rows are shuffled by a permutation that no party knows. Then comparisons of keys are opened, and
all data movement is public, the same for a key and the columns beside it: R rounds of two hops, in
which many pairs meet at once (`ppaurora.protocols.sorting.opened_order`).

Nobody learns anything, for two reasons that are both needed.

- **Ties are broken by the place before the shuffle.** Each key travels with its place in the
  concatenated lists, and pairs (key, place) are compared. All pairs differ, so that the ranks of
  the shuffled pairs are a permutation of 0 .. n - 1; whatever the keys are, it is uniformly random,
  since a fixed ranking is shuffled by a uniformly random permutation. Broken by the place after the
  shuffle instead, all equal keys would always open as an ascending list, distinct ones hardly ever:
  the outcomes would tell how many ties there are.
- **Nothing but outcomes steers which pairs meet**, and no order of the owners' lists does.

So all outcomes follow from one uniformly random permutation of public length. Somebody who sees
them can draw such a permutation and make them up. That holds for one server and any number of
owners together: of the three permutations that make up the shuffle each server misses one, which is
uniformly random given all that it and the owners know, and the rest of what a server sees is masked
by words that it does not know. All three servers see the outcomes, the helper too: so it knows who
meets next, and deals for differences of numbers that the shuffle has opened beneath masks which it
knows (`masked_shuffle`). Nothing is opened for a comparison but its outcome
(`ppaurora.mpc.primitives.placed_comparison`).

The first round begins before the shuffle has ended, since who meets in it is public. What is dealt
for it fills new connections while the rows are on their way.

The cost depends on that permutation and on nothing else: its mean and a bound that it exceeds in
less than one of a thousand runs are declared. Hops: 2 for the shuffle and 2 for each round, none in
a round in which nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.placed_comparison import UNIT, Packing, ToldOrder
from ppaurora.mpc.primitives.shuffle import masked_shuffle, masked_shuffle_cost
from ppaurora.mpc.shares import InRing, Shared, concatenate, is_narrow
from ppaurora.mpc.words import Column, ColumnLayout
from ppaurora.protocols.sorting.opened_order import Indices, OpenedOrder, first_meetings
from ppaurora.protocols.sorting.sort import Rows, Sort

MEASURED_AT = tuple(1 << bits for bits in range(4, 21, 2))
TENTHS: dict[int, tuple[int, ...]] = {
    3: (43, 91, 181, 326, 534, 952, 1570, 2600, 4220),
    4: (39, 79, 141, 232, 359, 575, 840, 1220, 1780),
    5: (38, 75, 123, 191, 273, 407, 567, 785, 1075),
    6: (38, 69, 114, 169, 232, 331, 445, 570, 765),
    8: (37, 67, 102, 150, 194, 261, 339, 410, 560),
    10: (36, 66, 99, 136, 183, 227, 291, 343, 441),
    12: (32, 65, 97, 132, 168, 214, 266, 307, 371),
}
"""By rounds: tenths of a comparison an element, the mean of simulated sorts of so many elements;
extrapolated where 3 to 5 rounds sort more than 2^14 elements."""
MOST_OVER_MEAN = Fraction(17, 10)
"""All but less than one of a thousand sorts stay below so many times the mean."""
USUAL_ROUNDS = 8
HALVES = (slice(0, 1), slice(1, None))
"""Two parts of rows in any order: of one list alone it would be taken to be sorted."""


def comparisons(n: int, rounds: int) -> int:
    """The mean number of comparisons of n elements in so many rounds, estimated.

    >>> comparisons(8000, 6), comparisons(1, 6)
    (210762, 0)
    """
    pairs = n * (n - 1) // 2
    if rounds == 1:
        return pairs
    sizes, tenths = (1, *MEASURED_AT), (0, *TENTHS[rounds])
    after = next((at for at, size in enumerate(sizes) if 1 < n <= size), len(MEASURED_AT))
    (a, b), (low, high) = sizes[after - 1 : after + 1], tenths[after - 1 : after + 1]
    estimate = n * (low * (b - a) + (high - low) * (n - a)) // (10 * (b - a))
    return min(estimate, pairs)


ALL_AT_ONCE = 256
"""The most pairs a round of elements so few that all of them meet in one round."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for n elements: the rounds, and how pairs are packed."""

    n: int
    packing: Packing
    rounds: int

    @classmethod
    def of(cls, n: int, rounds: int, *, narrow: bool = False) -> Plan:
        if n * (n - 1) // 2 <= ALL_AT_ONCE * rounds:
            rounds = 1
        return cls(n, Packing(32 if narrow else 64, n), rounds)

    def layout(self, *, columns: int) -> ColumnLayout:
        """Keys, places, and so many columns of the keys' ring beside them."""
        keys, places = (each.bits // 8 for each in self.packing.both)
        return ColumnLayout(self.n, (keys, places, *[keys] * columns))

    def spent(self, compared: int, *, columns: int, filled: int = 0) -> Cost:
        """The cost of so many comparisons, about as many in each round but the first, to which so
        many are added that fill a block up."""
        first = first_meetings(self.n, self.rounds)
        payload = self.packing.payload(first)
        if later := self.rounds - 1:
            payload += later * self.packing.payload(-(-(compared - first) // later) + filled)
        shuffled = masked_shuffle_cost(self.layout(columns=columns))
        return shuffled + Cost(2 * self.rounds, payload)


@dataclass(frozen=True, slots=True)
class ShuffledSort(Sort):
    """Shuffle, then open, in so many rounds."""

    name: ClassVar[str] = "shuffled"
    title: ClassVar[str] = "shuffles, then opens comparisons: few hops, more bytes"
    rounds: int = USUAL_ROUNDS

    def __post_init__(self) -> None:
        if self.rounds not in TENTHS:
            raise ValueError(f"{self.rounds} rounds, of which nothing was measured")

    @property
    def cost_is_exact(self) -> bool:
        return False

    def sorted_rows(self, party: Party, lists: Sequence[Rows[InRing]]) -> list[InRing]:
        filled = [rows for rows in lists if len(rows[0])]
        if len(filled) < 2:
            return list((filled or lists)[0])
        keys, *columns = (concatenate(column) for column in zip(*filled, strict=True))
        plan = Plan.of(len(keys), self.rounds, narrow=is_narrow(keys))
        # streams of its own
        lane = party.lane(party.end_round)
        order, rows = _opened(lane, plan, [keys, *columns])
        party.join_lanes([lane])
        return [column[order[::-1]] for column in rows]

    def sorted_anew(self, party: Party, rows: Rows[InRing]) -> list[InRing]:
        # it asks for no order within the lists
        if len(rows[0]) < 2:
            return list(rows)
        return self.sorted_rows(party, [[column[part] for column in rows] for part in HALVES])

    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        return self._spent(sizes, Fraction(1), columns, narrow)

    def most_cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        return self._spent(sizes, MOST_OVER_MEAN, columns, narrow, filled=UNIT)

    def _spent(
        self,
        sizes: Sequence[int],
        times: Fraction,
        columns: int,
        narrow: bool,
        *,
        filled: int = 0,
    ) -> Cost:
        """The cost of so many times the mean number of comparisons."""
        n = sum(sizes)
        if sum(size > 0 for size in sizes) < 2:
            return Cost()
        plan = Plan.of(n, self.rounds, narrow=narrow)
        compared = min(int(times * comparisons(n, plan.rounds)), n * (n - 1) // 2)
        # the first round has as many as it has, whatever the mean
        compared = max(compared, first_meetings(n, plan.rounds))
        return plan.spent(compared, columns=columns, filled=filled)

    def can_be_turned(self) -> tuple[str, ...]:
        return (
            "comparisons are opened after a shuffle, and a server that deals for other keys, or "
            "sends other digits of them, can learn by them how far apart they are",
        )

    def helper_sees(self) -> tuple[str, ...]:
        return (
            "the outcomes of the sort's comparisons, as the other two do: they follow a uniformly "
            "random order and tell nothing of the lists",
        )


def _opened(lane: Party, plan: Plan, rows: Sequence[InRing]) -> tuple[Indices, list[InRing]]:
    """The ascending order of the shuffled rows, by rounds of opened comparisons, and these rows."""
    known, told = OpenedOrder(plan.n), ToldOrder(lane, plan.packing)
    i, j = known.pairs(plan.rounds)
    masks: list[Column] = []

    def prepare(r: list[Column]) -> None:
        masks.extend(r)
        if lane.is_helper:
            keys, places, *_ = r
            told.deal(keys[i] - keys[j], places[i] - places[j])
        else:
            told.take_in_now(i.size)

    given: list[Column] = []
    if not lane.is_helper:
        keys, *columns = (column.words for column in rows)
        # public until they are shuffled
        places = Shared.public(lane.role, np.arange(plan.n)).words.astype(plan.packing.places.type)
        given = [keys, places, *columns]
    layout = plan.layout(columns=len(rows) - 1)
    opened, shares = masked_shuffle(lane, layout, given, prepare=prepare)
    # z at the proxies, r at the helper
    keys, places, *_ = masks if lane.is_helper else opened
    lane.step()
    for left in reversed(range(plan.rounds)):
        if not lane.is_helper:
            told.ask(keys[i] - keys[j], places[i] - places[j])
            lane.end_round()
        lane.end_round()
        known.learn(told.told(i.size))
        if left:
            i, j = known.pairs(left)
        if not left or not i.size:
            if lane.is_helper:
                lane.end_round()
            break
        lane.step()
        if lane.is_helper:
            told.deal(keys[i] - keys[j], places[i] - places[j])
            lane.end_round()
        else:
            told.take_in(i.size)
    like = rows[0]
    if lane.is_helper:
        return known.order, list(rows)
    key, _, *columns = shares
    return known.order, [like.having(column, len(like)) for column in (key, *columns)]
