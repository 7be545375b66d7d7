"""Tables of one ratio for each of several given rates, such as the sensitivity at a specificity.

The rate is reached at a place of the sorted list that stays secret. Each ratio is exact and
correctly rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, lcm
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, undefined
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.decimal_fraction import decimal
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.decimals import ratio_text
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.parameters import OPTION
from ppaurora.protocols.statistics.statistic import Statistic


class AtRates(Statistic[Ranked, Pooled]):
    """A table of ratios, one for each given rate above 0."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    columns: ClassVar[tuple[str, str]]
    """What is given and what is found."""

    @property
    @abstractmethod
    def rates(self) -> tuple[Fraction, ...]:
        """The given rates."""

    @abstractmethod
    def ratios(self, party: Party, data: Ranked) -> Ratio:
        """One ratio for each rate, all undefined or none."""

    @abstractmethod
    def ratios_cost(self, n: int) -> Cost:
        """The cost of `ratios`."""

    @abstractmethod
    def bound(self, n: int) -> int:
        """What the denominators of n samples are at most, as `ratios` states it."""

    @abstractmethod
    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        """The ratios in the clear, None where they are undefined."""

    def __post_init__(self) -> None:
        if 0 in self.rates:
            given, found = self.columns
            raise OptionRefused(
                OPTION,
                f"asks for the {found} at a {given} of 0, which every threshold reaches",
                advice=f"Name a {given} above 0.",
            )

    @property
    def ends(self) -> list[Fraction]:
        """The rates as they are met along the curve: how much of it may lie on the wrong side."""
        return [1 - rate for rate in self.rates]

    @property
    def scale(self) -> int:
        """s: the ends are multiples of 1/s."""
        return lcm(*(rate.denominator for rate in self.rates))

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        ratio = self.ratios(party, data)
        return divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)

    def cost(self, n: int, decimals: int) -> Cost:
        division = divide.cost(digits=decimals, bound=self.bound(n)).of(len(self.rates))
        return self.ratios_cost(n) + division

    def in_clear(self, data: Pooled, decimals: int) -> Sequence[int]:
        found = self.found(data)
        if found is None:
            return [undefined(decimals)] * len(self.rates)
        return [half_up(value * 10**decimals) for value in found]

    def words(self, decimals: int) -> int:
        return len(self.rates)

    def released(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(self.columns, undefined=self.undefined)
        rates = map(decimal, self.rates)
        return Table(self.columns, tuple(zip(rates, cells, strict=True)))

    def nothing(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def readings(self) -> frozenset[str]:
        given, found = self.columns
        return frozenset(f"{found} at a {given} of {decimal(rate)}" for rate in self.rates)

    def leaks(self, decimals: int) -> str:
        # different fractions with denominators up to D are more than 1/D² apart
        return (
            "the released decimals, which tell a ratio of counts exactly, in its lowest terms, "
            f"where its denominator is at most {isqrt(10**decimals)}, and whether the metric is "
            f"undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
