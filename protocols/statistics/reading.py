"""The contract of statistics that read the curve at a rank or a rate, where the cut stays secret.

A reading is a ratio of the counts at a corner of the curve, (TP, FP), or between two corners. Where
the study has a least cell, which readings may be shown is found for all of them together
(`ppaurora.protocols.grid.hidden_cuts`), beside its thresholds. Of one that may not N and D are both
multiplied by 0, which the division tells as `undefined`, and 1 is added to that.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, multiply, undefined
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.grid.cuts import HeldByLeastCell
from ppaurora.protocols.grid.hidden_cuts import Corners, Cut
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, WITHHELD, Released, Table, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic

RATIO = PublicRange()
OF_LEAST_CELL = (
    "which of them are withheld, because the least cell of the study is not reached in the counts "
    "of all owners together"
)


class AtCorners(Statistic[Ranked, Pooled], HeldByLeastCell):
    """A table of ratios, one for each rank or rate that is asked for."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[SortedList]] = SortedList
    columns: ClassVar[tuple[str, str]]
    """The names of what is given and of the ratio."""

    @property
    @abstractmethod
    def given(self) -> tuple[str, ...]:
        """The ranks or rates in words."""

    @property
    def cuts(self) -> int:
        """The number of corners that a reading is about."""
        return 1

    @property
    @abstractmethod
    def in_turn(self) -> tuple[str, ...]:
        """The readings in words, in the order in which the least cell takes them."""

    def readings(self) -> frozenset[str]:
        return frozenset(self.in_turn)

    @abstractmethod
    def corners(self, party: Party, data: Ranked) -> Corners:
        """The corners of the curve that are read."""

    @abstractmethod
    def corners_cost(self, n: int) -> Cost:
        """The cost of `corners`."""

    @abstractmethod
    def ratio(self, party: Party, data: Ranked, corners: Corners) -> Ratio:
        """One ratio for each reading, all undefined or none."""

    @abstractmethod
    def ratio_cost(self) -> Cost:
        """The cost of `ratio`."""

    @abstractmethod
    def bound(self, n: int) -> int:
        """An upper bound of the denominators for n samples, as `ratio` states it."""

    @abstractmethod
    def corners_in(self, data: Pooled) -> Sequence[Sequence[Cut]]:
        """The corners of each reading in the clear."""

    @abstractmethod
    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        """The ratios in the clear, None where they are undefined."""

    @abstractmethod
    def told(self, decimals: int) -> str:
        """The facts that receivers learn of the readings that are shown."""

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        if data.reading is None:
            ratio = self.ratio(party, data, self.corners(party, data))
            return divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)
        shown, count = data.reading.shown, len(self.given)
        ratio = self.ratio(party, data, data.reading.corners)
        kept = multiply(party, concatenate([ratio.N, ratio.D]), concatenate([shown, shown]))
        found = divide(party, kept[:count], kept[count:], digits=decimals, bound=ratio.bound)
        return found + (1 - shown)

    def cost(self, n: int, decimals: int) -> Cost:
        count = len(self.given)
        division = divide.cost(digits=decimals, bound=self.bound(n)).of(count)
        if self.study.withholds:
            return self.ratio_cost() + multiply.cost().of(2 * count) + division
        return self.corners_cost(n) + self.ratio_cost() + division

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        shown = data.shown or [True] * len(self.given)
        found = self.found(data)
        words = [undefined(decimals)] * len(shown)
        if found is not None:
            words = [half_up(value * 10**decimals) for value in found]
        return [
            word if fine else RATIO.withheld(decimals)
            for word, fine in zip(words, shown, strict=True)
        ]

    def words(self, decimals: int) -> int:
        return len(self.given)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [RATIO.cell(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(self.columns, undefined=self.undefined)
        withheld = self.study.few if WITHHELD in cells else ""
        return Table(self.columns, tuple(zip(self.given, cells, strict=True)), withheld=withheld)

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def leaks(self, decimals: int) -> str:
        told = self.told(decimals)
        return f"{told}; and {OF_LEAST_CELL}" if self.study.withholds else told
