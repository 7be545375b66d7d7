"""The sort that suits the sizes and the network: `network` or `shuffled`, neither of which leaks.

Both are predicted from the public sizes, `shuffled` for each number of rounds that it knows,
together with the scan that follows:

    seconds = hops · round trip / 2 + bytes / throughput

and the one that takes the fewest seconds is run. The rule is one pure function of whole numbers
that all three servers know before the session, so that all choose alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.shuffled import TENTHS, ShuffledSort
from ppaurora.protocols.sorting.sort import USUAL, Conditions, Sort

CANDIDATES: tuple[Sort, ...] = (NetworkSort(), *(ShuffledSort(rounds) for rounds in TENTHS))


def nanoseconds(sort: Sort, sizes: Sequence[int], conditions: Conditions) -> int:
    """How long the sort and its scan take, as far as hops and bytes tell."""
    scan = carry_in_few_hops if sort.few_hops else carry
    spent = sort.cost(sizes) + scan.cost(columns=1).of(sum(sizes))
    waiting = spent.hops * conditions.round_trip_us * 500
    moving = spent.payload * 8000 // conditions.megabits
    return waiting + moving


def best_sort(sizes: Sequence[int], conditions: Conditions = USUAL) -> Sort:
    """The candidate that takes the least time; the first of several.

    >>> best_sort([1000] * 8).name, best_sort([1000] * 8, Conditions(round_trip_us=200)).name
    ('shuffled', 'network')
    """
    return min(CANDIDATES, key=lambda sort: nanoseconds(sort, sizes, conditions))


@dataclass(frozen=True, slots=True)
class AutoSort(Sort):
    """Chooses; whatever is asked of it without sizes holds for all that it may choose."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "network or shuffled, whichever suits the sizes and the network"

    @classmethod
    def of(cls, delta: int) -> AutoSort:
        if delta != 1:
            raise OptionRefused("delta", 'belongs to the merge "delta" only')
        return cls()

    def chosen(self, sizes: Sequence[int], conditions: Conditions) -> Sort:
        return best_sort(sizes, conditions)

    @property
    def cost_is_exact(self) -> bool:
        return False

    def sorted(self, party: Party, lists: Sequence[Shared]) -> Shared:
        return best_sort([len(one) for one in lists]).sorted(party, lists)

    def cost(self, sizes: Sequence[int]) -> Spent:
        return best_sort(sizes).cost(sizes)

    def most_cost(self, sizes: Sequence[int]) -> Spent:
        return best_sort(sizes).most_cost(sizes)

    def helper_learns(self) -> tuple[str, ...]:
        return tuple(
            f"if the sort is {sort.name}: {text}"
            for sort in (NetworkSort(), ShuffledSort())
            for text in sort.helper_learns()
        )
