"""Ratios at the top of the list: the positives among the first k places.

TP_k is a share that everybody holds once the list is sorted, at a public place. Within tied scores
the positives come first, so a k inside a group of ties counts them in favour. Where there are fewer
than k samples, all of them are meant. Four hops for every two decimals, and one where the study has
a least cell.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.grid.hidden_cuts import Corners, Cut
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.reading import AtCorners
from ppaurora.protocols.statistics.statistic import Topic


def at_ranks(places: Iterable[int]) -> tuple[str, ...]:
    """The numbers of positives among the first so many places, in words."""
    return tuple(f"rank {place}" for place in places)


@dataclass(frozen=True, slots=True)
class AtTop(AtCorners):
    """A table of ratios TP_k/D_k, one for each k."""

    topic: ClassVar[Topic] = Topic.PRECISION
    k: tuple[int, ...] = whole("how many of the highest scores", least=1, several=True)

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(map(str, self.k))

    @abstractmethod
    def denominators(self, party: Party, data: Ranked, places: Sequence[int]) -> Shared:
        """D_k for the first so many places."""

    @abstractmethod
    def whole(self, data: Pooled, place: int) -> int:
        """D_k in the clear."""

    def _places(self, n: int) -> list[int]:
        return [min(k, n) for k in self.k]

    def corners(self, party: Party, data: Ranked) -> Corners:
        places = np.array(self._places(data.n))
        TP = data.labels.TP[places - 1]
        return Corners(TP, places - TP)

    def corners_cost(self, n: int) -> Cost:
        return Cost()

    def ratio(self, party: Party, data: Ranked, corners: Corners) -> Ratio:
        D = self.denominators(party, data, self._places(data.n))
        return Ratio(corners.TP, D, self.bound(data.n))

    def ratio_cost(self) -> Cost:
        return Cost()

    def bound(self, n: int) -> int:
        return n

    def corners_in(self, data: Pooled) -> Sequence[Sequence[Cut]]:
        found = [(int(data.labels[:place].sum()), place) for place in self._places(data.n)]
        return [[(TP, place - TP)] for TP, place in found]

    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        corners = [cut for [cut] in self.corners_in(data)]
        wholes = [self.whole(data, TP + FP) for TP, FP in corners]
        if not all(wholes):
            return None
        return [Fraction(TP, whole) for (TP, _), whole in zip(corners, wholes, strict=True)]

    @property
    def in_turn(self) -> tuple[str, ...]:
        return at_ranks(self.k)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= largest_denominator()
