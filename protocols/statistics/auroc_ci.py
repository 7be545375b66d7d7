"""The AUROC with its confidence interval.

`method=newcombe`, which is taken if nothing is said, is the score interval of the area and the
class counts (`ppaurora.protocols.ranking.score_limits`): it has a width where the classes are
separated, and holds its level in small ones. `method=delong` takes limits from DeLong's standard
error on the plain scale, as pROC does, and `method=logit` on the logit scale [ROC-GLM, "CI for the
empirical AUC", Eq. 2-3, erratum 1]; see `plain_limits` and `logit_limits` in that room.
docs/STATISTICS.md has how often each covers the truth. Nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.area_limits import AreaLimits, PlainLimits
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.delong import FEW
from ppaurora.protocols.ranking.logit_limits import LogitLimits
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.ranking.score_limits import ScoreLimits
from ppaurora.protocols.release.class_counts import known_warnings
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import choice, number
from ppaurora.protocols.statistics.statistic import NO_CLASS

NEWCOMBE, DELONG, LOGIT = "newcombe", "delong", "logit"
NEWCOMBES = "Newcombe, Statistics in Medicine 2006, method 5"
DELONGS = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
NO_LIMITS = f"{NO_CLASS} or, with method={DELONG} or {LOGIT}, has fewer than two samples"


@dataclass(frozen=True, slots=True)
class ConfidenceInterval(OneInterval[CurveData, CurveClear]):
    """AUROC, lower and upper limit, of a sorted list or a histogram."""

    name: ClassVar[str] = "auroc_ci"
    short: ClassVar[str] = "AUROC"
    title: ClassVar[str] = (
        "AUROC with its confidence interval, Newcombe's score interval or one by DeLong's method, "
        "the limits sure to eight further decimals and then rounded"
    )
    known_as: ClassVar[str] = (
        'pROC ci.auc, with method=delong; auRoc auc.nonpara.mw(method = "newcombe")'
    )
    undefined: ClassVar[str] = NO_LIMITS
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def source(self) -> str:
        return NEWCOMBES if isinstance(self.limits, ScoreLimits) else DELONGS

    @property
    @abstractmethod
    def limits(self) -> AreaLimits:
        """The limits on their scale."""

    @property
    def without_width(self) -> str:  # type: ignore[override]
        if isinstance(self.limits, ScoreLimits):
            return "both limits are one number to these decimals; release more of them"
        return (
            "DeLong's standard error is 0 to these decimals, as it always is where the classes are "
            f"separated, however far off the AUROC may be; take method={NEWCOMBE}"
        )

    @property
    def reason(self) -> str:
        return NO_CLASS if isinstance(self.limits, ScoreLimits) else FEW

    def private(self, party: Party, data: CurveData, decimals: int) -> Shared:
        return self.limits.private(party, data, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.limits.cost(n, decimals)

    def plaintext_words(self, data: CurveClear, decimals: int) -> Sequence[int]:
        values = self.limits.plaintext(data)
        if values is None:
            return [undefined(decimals)] * self.words(decimals)
        return [half_up(value * 10**decimals) for value in values]

    def fits(self, n: int, decimals: int) -> bool:
        return self.limits.fits(n, decimals)

    def leaks(self, decimals: int) -> str:
        told = (
            "both class counts, up to which class is which, as exactly as the limits are rounded"
            if isinstance(self.limits, ScoreLimits)
            else "the smaller class count roughly"
        )
        return (
            f"the released decimals, which with the number of samples tell {told}, and whether "
            f"the metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # Newcombe's limits follow from area and class counts; others tell DeLong's error, once
        return 0 if isinstance(self.limits, ScoreLimits) else decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        if isinstance(self.limits, ScoreLimits):
            return known_warnings(self.text)
        return (
            f"{self.text}: with the number of samples the interval tells the smaller class count "
            "to a few percent",
        )


@dataclass(frozen=True, slots=True)
class IntervalOfCells(ConfidenceInterval[Binned, PooledBins]):
    """The interval from cells, for any number of samples; not on the logit scale."""

    listed: ClassVar[bool] = False
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    method: str = choice(
        "newcombe for the score interval, delong for limits by DeLong's error on the plain scale",
        NEWCOMBE,
        (NEWCOMBE, DELONG),
    )

    @property
    def limits(self) -> AreaLimits:
        tail = (1 - self.level) / 2
        if self.method == NEWCOMBE:
            return ScoreLimits(tail, shared_total=True)
        return PlainLimits(tail, wide=True)


@dataclass(frozen=True, slots=True)
class AurocInterval(ConfidenceInterval[Ranked, Pooled]):
    """The interval from the sorted list, by either method."""

    cells: ClassVar[type[IntervalOfCells]] = IntervalOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    method: str = choice(
        "newcombe for the score interval; by DeLong's error, delong for limits on the plain scale, "
        "logit for limits on the logit scale, to at most eight decimals",
        NEWCOMBE,
        (NEWCOMBE, DELONG, LOGIT),
    )

    @property
    def limits(self) -> AreaLimits:
        tail = (1 - self.level) / 2
        match self.method:
            case "newcombe":
                return ScoreLimits(tail)
            case "delong":
                return PlainLimits(tail)
            case _:
                return LogitLimits(tail)
