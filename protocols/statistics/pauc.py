"""The partial area under the ROC curve, within a range of either rate.

[tpAUC, Eq. 5-8], by trapezoids as pROC and scikit-learn: between `min_fpr` and `max_fpr` under the
curve, or between `min_tpr` and `max_tpr` beside it, where pROC speaks of a focus on sensitivity.
`standardized` gives McClish's correction,

    1/2·(1 + (A - min) / (max - min)),    max = u1 - u0,    min = (u1² - u0²)/2,

1 for a perfect curve and 1/2 for the diagonal; with `max_fpr` alone it is what scikit-learn
releases. It is below 1/2 for a curve below the diagonal, where pROC gives none.

Exact and correctly rounded. Nobody learns anything. Ten hops and five for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.binned import CellCounts, PooledCounts
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.outline import (
    along_false_positives,
    along_true_positives,
    area_within,
)
from ppaurora.protocols.ranking.partial import (
    Areas,
    UpTo,
    areas,
    areas_cost,
    areas_fits,
    between,
    between_cost,
    largest_between,
)
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import OneWideRatio
from ppaurora.protocols.statistics.parameters import OPTION, flag, number
from ppaurora.protocols.statistics.statistic import NO_CLASS

WHOLE = (Fraction(0), Fraction(1))


@dataclass(frozen=True, slots=True)
class AreaWithin(OneWideRatio[CurveData, CurveClear]):
    """The area within a range of either rate, of a sorted list or a histogram."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "pauc"
    short: ClassVar[str] = "Partial AUROC"
    reference: ClassVar[str] = "McClish, Medical Decision Making 1989"
    title: ClassVar[str] = "partial area under the ROC curve"
    known_as: ClassVar[str] = "pROC auc(partial.auc), scikit-learn roc_auc_score(max_fpr)"
    undefined: ClassVar[str] = NO_CLASS
    min_fpr: Fraction = number("the least false positive rate", "0")
    max_fpr: Fraction = number("the largest false positive rate", "1")
    min_tpr: Fraction = number("the least true positive rate", "0")
    max_tpr: Fraction = number("the largest true positive rate", "1")
    standardized: bool = flag("McClish's correction")

    def __post_init__(self) -> None:
        by_fpr = (self.min_fpr, self.max_fpr) != WHOLE
        by_tpr = (self.min_tpr, self.max_tpr) != WHOLE
        if by_fpr and by_tpr:
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} within ranges of both rates",
                advice="Name one range.",
            )
        if not by_fpr and not by_tpr:
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} of the whole curve",
                advice="Name max_fpr or min_tpr, or ask for auroc.",
            )
        lower, upper = self._range
        if lower >= upper:
            raise OptionRefused(OPTION, f"asks for {self.name} within a range of no width")
        if self.standardized and lower + upper > 1:
            raise OptionRefused(
                OPTION,
                f"asks for a standardized {self.name} within a range for which it may be negative",
                advice="Ranges are standardized in which min_fpr + max_fpr <= 1 or "
                "min_tpr + max_tpr >= 1; or leave standardized=true out.",
            )

    @property
    def _by_tpr(self) -> bool:
        return (self.min_tpr, self.max_tpr) != WHOLE

    @property
    def _range(self) -> tuple[Fraction, Fraction]:
        """The range along the curve; along the true positive rate it is walked backwards."""
        if self._by_tpr:
            return 1 - self.max_tpr, 1 - self.min_tpr
        return self.min_fpr, self.max_fpr

    @property
    def _inner(self) -> list[Fraction]:
        """The ends of the range that are not ends of the curve."""
        return [end for end in self._range if 0 < end < 1]

    @property
    def _scale(self) -> int:
        """s: the ends are multiples of 1/s."""
        return lcm(*(end.denominator for end in self._range))

    @property
    def _correction(self) -> tuple[int, int, int]:
        """(a, b, c) with which the released ratio is (a·N + b·D) / (c·D), for an area N/D."""
        if not self.standardized:
            return 1, 0, 1
        lower, upper = self._range
        most, least = upper - lower, (upper**2 - lower**2) / 2
        scale = lcm((most - 2 * least).denominator, (2 * (most - least)).denominator)
        return scale, int(scale * (most - 2 * least)), int(scale * 2 * (most - least))

    def wide_ratio(self, party: Party, data: CurveData, decimals: int) -> WideRatio:
        pieces = data.pieces.backwards() if self._by_tpr else data.pieces
        found = areas(party, pieces, self._inner, self._scale)
        lower, upper = self._ends(party, found)
        part = between(party, lower, upper, data.PN, s=self._scale, bound=self._largest(data.n))
        return self._corrected(part)

    def _ends(self, party: Party, found: Areas) -> tuple[UpTo, UpTo]:
        """The areas up to the lower and up to the upper end."""
        lower, upper = self._range
        none = UpTo.whole(found.whole.before * 0)
        return found.parts[0] if lower else none, found.parts[-1] if upper < 1 else found.whole

    def _corrected(self, part: WideRatio) -> WideRatio:
        a, b, c = self._correction
        return WideRatio(part.N * a + part.D * b, part.D * c, part.bound * c)

    def _largest(self, n: int) -> int:
        return largest_between(n, self._scale, crossed=len(self._inner))

    def wide_ratio_cost(self, n: int, decimals: int, rows: int = 1) -> Cost:
        return areas_cost(n, ends=len(self._inner), rows=rows) + between_cost(rows)

    def largest(self, n: int, decimals: int) -> int:
        return self._largest(n) * self._correction[2]

    def scaled(self, data: CurveClear, scale: int) -> int | None:
        if not data.P * data.N:
            return None
        lower, upper = self._range
        points = along_true_positives(data) if self._by_tpr else along_false_positives(data)
        area = area_within(points, lower, upper)
        if self.standardized:
            most, least = upper - lower, (upper**2 - lower**2) / 2
            area = (1 + (area - least) / (most - least)) / 2
        return half_up(scale * area)

    def fits(self, n: int, decimals: int) -> bool:
        return areas_fits(n, self._scale) and OneWideRatio.fits(self, n, decimals)

    def readings(self) -> frozenset[str]:
        return frozenset({self.text})


@dataclass(frozen=True, slots=True)
class PartialAreaOfCells(AreaWithin[CellCounts, PooledCounts]):
    """The partial area from cells."""

    weighted: ClassVar[bool] = True
    resampled: ClassVar[bool] = True
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})


@dataclass(frozen=True, slots=True)
class PartialArea(AreaWithin[Ranked, Pooled]):
    """The partial area from the sorted list."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[PartialAreaOfCells]] = PartialAreaOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
