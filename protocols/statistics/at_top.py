"""Ratios at the top of the list: the positives among the first k places.

TP_k is a share that everybody holds once the list is sorted, at a public place. Within tied scores
the positives come first, so a k inside a group of ties counts them in favour. Where there are fewer
than k samples, all of them are meant. Four hops for every two decimals.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, largest_denominator
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic


def at_ranks(places: Iterable[int]) -> frozenset[str]:
    """The numbers of positives among the first so many places, in words."""
    return frozenset(f"rank {place}" for place in places)


@dataclass(frozen=True, slots=True)
class AtTop(Statistic[Ranked, Pooled]):
    """A table of ratios TP_k/D_k, one for each k."""

    topic: ClassVar[Topic] = Topic.PRECISION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[SortedList]] = SortedList
    column: ClassVar[str]
    """The column's name in the table."""
    k: tuple[int, ...] = whole("how many of the highest scores", least=1, several=True)

    @abstractmethod
    def denominators(self, party: Party, data: Ranked, places: Sequence[int]) -> Shared:
        """D_k for the first so many places."""

    def _places(self, n: int) -> list[int]:
        return [min(k, n) for k in self.k]

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        places = self._places(data.n)
        TP = data.labels.TP[np.array(places) - 1]
        D = self.denominators(party, data, places)
        return divide(party, TP, D, digits=decimals, bound=data.n)

    def cost(self, n: int, decimals: int) -> Cost:
        return divide.cost(digits=decimals, bound=n).of(len(self.k))

    def found(self, data: Pooled) -> list[tuple[int, int]]:
        """In the clear: the positives among the first places, and how many places these are."""
        return [(int(data.labels[:place].sum()), place) for place in self._places(data.n)]

    def words(self, decimals: int) -> int:
        return len(self.k)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(("k", self.column), undefined=self.undefined)
        rows = tuple((str(k), cell) for k, cell in zip(self.k, cells, strict=True))
        return Table(("k", self.column), rows)

    def value_without_samples(self) -> Released:
        return Table(("k", self.column), undefined=NO_SAMPLES)

    def readings(self) -> frozenset[str]:
        return at_ranks(self.k)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= largest_denominator()
