"""The AUROC with its confidence interval, from DeLong's standard error.

[ROC-GLM, "CI for the empirical AUC", Eq. 2-3, erratum 1]. `method=delong` takes the limits on the
plain scale, as pROC does, and `method=logit` on the logit scale, as the paper does. How they are
computed, how sure they are and what they cost stands in `ppaurora.protocols.ranking.plain_limits`
and `ppaurora.protocols.ranking.logit_limits`. Nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.area_limits import AreaLimits
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.delong import FEW
from ppaurora.protocols.ranking.logit_limits import LogitLimits
from ppaurora.protocols.ranking.placements import placed
from ppaurora.protocols.ranking.plain_limits import PlainLimits
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.statistics.one_interval import OneInterval
from ppaurora.protocols.statistics.parameters import number, word

METHODS: dict[str, type[AreaLimits]] = {"delong": PlainLimits, "logit": LogitLimits}


@dataclass(frozen=True, slots=True)
class ConfidenceInterval(OneInterval[CurveData, CurveClear]):
    """AUROC, lower and upper limit, of a sorted list or a histogram."""

    known_as: ClassVar[str] = 'pROC ci.auc(method = "delong")'
    undefined: ClassVar[str] = FEW
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    @abstractmethod
    def limits(self) -> AreaLimits:
        """The limits on their scale."""

    def private(self, party: Party, data: CurveData, decimals: int) -> Shared:
        return self.limits.private(party, data, decimals)

    def cost(self, n: int, decimals: int) -> Spent:
        return self.limits.cost(n, decimals)

    def in_clear(self, data: CurveClear, decimals: int) -> Sequence[int]:
        found = placed(data)
        if found is None:
            return [undefined(decimals)] * self.words(decimals)
        values = (found.area, *self.limits.in_clear(found))
        return [half_up(value * 10**decimals) for value in values]

    def holds(self, n: int, decimals: int) -> bool:
        return self.limits.holds(n, decimals)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, which with the number of samples tell the smaller class count "
            f"roughly, and whether the metric is undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with the number of samples the interval tells the smaller class count "
            "to a few percent",
        )


@dataclass(frozen=True, slots=True)
class AurocInterval(ConfidenceInterval[Ranked, Pooled]):
    """That of the sorted list, on either scale."""

    name: ClassVar[str] = "auroc_ci"
    title: ClassVar[str] = (
        "AUROC with its confidence interval by DeLong's method, the limits computed to eight "
        "further decimals and then rounded"
    )
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    method: str = word(
        "delong for limits on the plain scale, logit for limits on the logit scale, to at most "
        "eight decimals",
        "delong",
        tuple(METHODS),
    )

    @property
    def limits(self) -> AreaLimits:
        return METHODS[self.method]((1 - self.level) / 2)
