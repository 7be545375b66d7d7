"""Shuffle, then open: a sort whose comparisons are public, of elements that nobody can tell apart.

The rows are shuffled by a permutation that no party knows. Then comparisons of keys are opened, and
all data movement is public, the same for a key and the columns beside it: R rounds of four hops, in
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
by words that it does not know. The helper is told how many blocks of comparisons are missing from
those it dealt ahead; that, too, follows from the uniform permutation.

The first round begins before the shuffle has ended: who meets in it is public, and the shuffle
opens all keys and places beneath masks that the helper knows (`masked_shuffle`), so that it deals
for their differences at once. What it deals fills new connections while the rows are on their way.

The cost depends on that permutation and on nothing else: its mean and a bound that it exceeds in
less than one of a thousand runs are declared. Hops: 2 for the shuffle, 3 for the first round, 4 for
each of the others; one more in a round for which blocks are missing, none in a round in which
nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.placed_comparison import Packing, Stock
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
USUAL_ROUNDS = 6
BLOCKS_A_ROUND = 4
"""About so many at least: more of them waste fewer bytes in the last one, and take more time."""
LEAST_BLOCK, LARGEST_BLOCK = 256, 1 << 14
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


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for n elements: the rounds, the blocks, and how many of these are dealt ahead."""

    n: int
    packing: Packing
    supplies: tuple[int, ...]

    @classmethod
    def of(cls, n: int, rounds: int, *, narrow: bool = False) -> Plan:
        """A tenth more than the mean is dealt, half a round ahead of the mean.

        Where a block for each round holds all pairs, all meet in one round.
        """
        if n * (n - 1) // 2 <= LEAST_BLOCK * rounds:
            rounds = 1
        mean = comparisons(n, rounds)
        length = LEAST_BLOCK
        while length < LARGEST_BLOCK and 2 * length * BLOCKS_A_ROUND * rounds <= mean:
            length *= 2
        # places lie below half of what their bits hold
        packing = Packing(32 if narrow else 64, 16 if n <= 1 << 15 else 32, length)
        first = -(-first_meetings(n, rounds) // length)
        if rounds == 1:
            return cls(n, packing, (first,))
        # a round fills its last block half on average
        rest = max(0, -(-mean * 11 // (10 * length)) + rounds // 2 - first)
        # half a round ahead of the mean, in the rounds that need most: not in the last one, and of
        # many rounds in the first half and two more
        parts = 2 * min(rounds - 2, rounds // 2 + 1) + 1
        until = [rest * min(2 * done + 1, parts) // parts for done in range(1, rounds)]
        later = (stop - start for start, stop in pairwise([0, *until]))
        return cls(n, packing, (first, *later))

    def layout(self, *, columns: int) -> ColumnLayout:
        """Keys, places, and so many columns of the keys' ring beside them."""
        keys, places = (each.bits // 8 for each in self.packing.both)
        return ColumnLayout(self.n, (keys, places, *[keys] * columns))

    @property
    def most_blocks(self) -> int:
        """Blocks for all pairs: what a round can lack at the very most."""
        return self.n * (self.n - 1) // 2 // self.packing.length + 1

    def spent(self, compared: int, *, unfilled: int, columns: int) -> Cost:
        """The cost of so many comparisons, and of so many blocks more that are filled in part,
        where none are missing."""
        rounds, first = len(self.supplies), self.supplies[0]
        later = -(-compared // self.packing.length) + unfilled - first
        dealt = first + max(later, sum(self.supplies[1:]))
        payload = first * self.packing.wires_payload + later * self.packing.opened_payload
        payload += dealt * self.packing.dealt_payload + 8 * (rounds - 1)
        shuffled = masked_shuffle_cost(self.layout(columns=columns))
        return shuffled + Cost(4 * rounds - 1, payload)


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
        # streams of its own: those of the blocks that are left over end with it
        lane = party.lane(party.end_round)
        stock = Stock(lane, plan.packing, most=plan.most_blocks)
        layout = plan.layout(columns=len(columns))
        rows = [keys, *columns]
        if party.is_helper:
            _help(lane, stock, plan, layout)
        else:
            order, rows = _opened(lane, stock, plan, layout, rows)
            rows = [column[order[::-1]] for column in rows]
        party.join_lanes([lane])
        return rows

    def sorted_anew(self, party: Party, rows: Rows[InRing]) -> list[InRing]:
        # it asks for no order within the lists
        if len(rows[0]) < 2:
            return list(rows)
        return self.sorted_rows(party, [[column[part] for column in rows] for part in HALVES])

    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        return self._spent(sizes, Fraction(1), columns, narrow)

    def most_cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        return self._spent(sizes, MOST_OVER_MEAN, columns, narrow, most=True)

    def _spent(
        self,
        sizes: Sequence[int],
        times: Fraction,
        columns: int,
        narrow: bool,
        *,
        most: bool = False,
    ) -> Cost:
        """The cost of so many times the mean number of comparisons; at most, each round but the
        first wastes most of a block, and is late by a hop."""
        n = sum(sizes)
        if sum(size > 0 for size in sizes) < 2:
            return Cost()
        plan = Plan.of(n, self.rounds, narrow=narrow)
        rounds = len(plan.supplies)
        compared = min(int(times * comparisons(n, rounds)), n * (n - 1) // 2)
        # the first round has as many comparisons as it is dealt
        late, unfilled = (rounds - 1, rounds - 1) if most else (0, rounds // 2)
        return plan.spent(compared, unfilled=unfilled, columns=columns) + Cost(late)

    def can_be_turned(self) -> tuple[str, ...]:
        return (
            "comparisons are opened after a shuffle, and a proxy that adds to keys can learn by "
            "them how far apart they are",
        )

    def helper_sees(self) -> tuple[str, ...]:
        return (
            "how many comparisons the sort takes, in blocks: they follow a uniformly random order "
            "and tell nothing of the lists",
        )


def _help(lane: Party, stock: Stock, plan: Plan, layout: ColumnLayout) -> None:
    """The helper's part: it knows who meets in the first round, and deals for that at once."""
    i, j = OpenedOrder(plan.n).pairs(len(plan.supplies))

    def deal(masks: list[Column]) -> None:
        keys, places, *_ = masks
        stock.deal_for(keys[i] - keys[j], places[i] - places[j])

    masked_shuffle(lane, layout, [], prepare=deal)
    stock.pass_by()
    for supply in plan.supplies[1:]:
        stock.deal(supply)


def _opened(
    lane: Party, stock: Stock, plan: Plan, layout: ColumnLayout, rows: Sequence[InRing]
) -> tuple[Indices, list[InRing]]:
    """The ascending order of the shuffled rows, by rounds of opened comparisons, and these rows.

    On the proxies.
    """
    known = OpenedOrder(plan.n)
    i, j = known.pairs(len(plan.supplies))
    keys, *columns = (column.words for column in rows)
    # public until they are shuffled
    places = Shared.public(lane.role, np.arange(plan.n)).words.astype(plan.packing.places.type)
    opened, shares = masked_shuffle(
        lane, layout, [keys, places, *columns], prepare=lambda _: stock.take_in(i.size)
    )
    key, place, *_ = opened
    known.learn(stock.compare_opened(key[i] - key[j], place[i] - place[j]))
    key, place, *columns = shares
    for done, supply in enumerate(plan.supplies[1:], 1):
        i, j = known.pairs(len(plan.supplies) - done)
        known.learn(stock.compare(supply, key[i] - key[j], place[i] - place[j]))
    like = rows[0]
    return known.order, [like.having(column, len(like)) for column in (key, *columns)]
