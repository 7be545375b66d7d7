"""The sort that suits the sizes and the network: `network` or `shuffled`, neither of which leaks.

Both are predicted from the public sizes, `shuffled` for each number of rounds that it knows,
together with the scan that follows, whichever scan suits (`Conditions.nanoseconds`). Of those that
take the least time within a hundredth, the one that moves the fewest bytes is run; `shuffled`
only where `network` would take a fifth more: the prediction is hardly better than that, and
`network` moves fewer bytes still. The rule is one pure function of whole numbers that all three
servers know before the session, so that all choose alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops, extend
from ppaurora.mpc.shares import InRing, is_narrow
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.shuffled import TENTHS, ShuffledSort
from ppaurora.protocols.sorting.sort import SCANNING, USUAL, Conditions, Rows, Sort, Work, anew

WORK = {"network": SCANNING, "shuffled": Work(20_000, 2500, 6000)}
"""By the processor seconds of measured studies (CROSSOVER.md), rounded."""
MARGIN = Fraction(6, 5)
HARDLY = Fraction(101, 100)
CANDIDATES: tuple[Sort, ...] = (NetworkSort(), *(ShuffledSort(rounds) for rounds in TENTHS))
"""The sorts to choose from, `network` first."""
MOST_PLANNED = 1 << 11
"""More rows in any order are shuffled: by `network` they take more hops and more bytes, and a plan
that is long in the making."""


def nanoseconds(
    sort: Sort,
    sizes: Sequence[int],
    conditions: Conditions,
    *,
    columns: int = 0,
    beside: int = 1,
    narrow: bool = False,
) -> int:
    """The predicted time of so many sorts of this kind and their scans together."""
    sorting = sort.cost(sizes, columns=columns, narrow=narrow)
    return _scanning(sum(sizes), conditions, beside) + conditions.nanoseconds(
        sorting, WORK[sort.name], beside=beside
    )


def _scanning(n: int, conditions: Conditions, beside: int) -> int:
    """The predicted time of the scans, the same whatever sorts before."""
    counts = carry.cost(columns=1, narrow=True).of(n) + extend.cost().of(n)
    scans = counts, carry_in_few_hops.cost(columns=1).of(n)
    return min(conditions.nanoseconds(scan, SCANNING, beside=beside) for scan in scans)


def best_sort(
    sizes: Sequence[int],
    conditions: Conditions = USUAL,
    *,
    columns: int = 0,
    beside: int = 1,
    narrow: bool = False,
) -> Sort:
    """The candidate that takes hardly more than the least time, if the network takes more by the
    margin.

    >>> best_sort([1000] * 8).name, best_sort([1000] * 8, Conditions(round_trip_us=200)).name
    ('shuffled', 'network')
    """
    return _best(tuple(sizes), conditions, columns, beside, narrow)


@lru_cache(maxsize=64)
def _best(
    sizes: tuple[int, ...], conditions: Conditions, columns: int, beside: int, narrow: bool
) -> Sort:
    """`best_sort`, which one session asks for several times, computed once."""

    network, *_ = CANDIDATES
    costs = {sort: sort.cost(sizes, columns=columns, narrow=narrow) for sort in CANDIDATES}
    scanning = _scanning(sum(sizes), conditions, beside)
    times = {
        sort: scanning + conditions.nanoseconds(cost, WORK[sort.name], beside=beside)
        for sort, cost in costs.items()
    }
    least = min(times.values())
    best = min(
        (sort for sort in CANDIDATES if times[sort] <= HARDLY * least),
        key=lambda sort: costs[sort].payload,
    )
    return best if MARGIN * times[best] < times[network] else network


@dataclass(frozen=True, slots=True)
class AutoSort(Sort):
    """Chooses; whatever is asked of it without sizes holds for all that it may choose."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "network or shuffled, whichever suits the sizes and the network"

    def chosen(
        self,
        sizes: Sequence[int],
        conditions: Conditions,
        *,
        columns: int = 0,
        beside: int = 1,
        narrow: bool = False,
    ) -> Sort:
        return best_sort(sizes, conditions, columns=columns, beside=beside, narrow=narrow)

    def chosen_anew(self, rows: int, conditions: Conditions, *, narrow: bool = False) -> Sort:
        if rows <= MOST_PLANNED:
            return best_sort(anew(rows), conditions, narrow=narrow)
        _, *shuffled = CANDIDATES
        return min(
            shuffled,
            key=lambda sort: nanoseconds(sort, [1, rows - 1], conditions, narrow=narrow),
        )

    @property
    def cost_is_exact(self) -> bool:
        return False

    def sorted_rows(self, party: Party, lists: Sequence[Rows[InRing]]) -> list[InRing]:
        columns, narrow = len(lists[0]) - 1, is_narrow(lists[0][0])
        best = best_sort([len(keys) for keys, *_ in lists], columns=columns, narrow=narrow)
        return best.sorted_rows(party, lists)

    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        best = best_sort(sizes, columns=columns, narrow=narrow)
        return best.cost(sizes, columns=columns, narrow=narrow)

    def most_cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        best = best_sort(sizes, columns=columns, narrow=narrow)
        return best.most_cost(sizes, columns=columns, narrow=narrow)

    def can_be_turned(self) -> tuple[str, ...]:
        return tuple(f"if the sort is shuffled, {text}" for text in ShuffledSort().can_be_turned())

    def helper_sees(self) -> tuple[str, ...]:
        return tuple(
            f"if the sort is {sort.name}: {text}"
            for sort in (NetworkSort(), ShuffledSort())
            for text in sort.helper_sees()
        )
