"""The test of whether the AUROC is above a value: one bit.

[ROC-GLM, "CI for the empirical AUC", erratum 4], on the plain scale with DeLong's variance: with
a0 = `than` and z the normal quantile for 1 - alpha/sides, AUROC <= a0 is rejected if and only if

    AUROC - a0 > z·SE.

With a0 = r/s and T = s·(W + P·N) - 2·r·P·N (letters as in `ppaurora.protocols.ranking.delong`)
that is

    T > 0   and   T²·Q > z²·s²·(numerator of the variance),

in whole numbers, where z² is rounded to 15 decimals. With `sides=2` the two-sided interval at level
1 - alpha lies above a0, as the paper asks, which has the level alpha/2.

With `method=logit` the lower limit on the logit scale is compared with a0, as the paper does. In
the letters of `ppaurora.protocols.ranking.logit_limits` AUROC <= a0 is rejected if and only if

    won·t·(s - r) > lost·r.

The limit is within 10^-14 of the exact one: the bit can be wrong only if a0 is as near to it.

Nobody learns anything but the bit, which discloses next to nothing. Twelve hops; with
`method=logit` 66 at the level 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, wide_is_negative, wide_multiply
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.mpc.wide_words import WIDE_BITS
from ppaurora.protocols.arithmetic.normal import scaled_square
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.delong import (
    FEW,
    Placed,
    delong,
    delong_cost,
    delong_fits,
    largest_variance_denominator,
    placed,
)
from ppaurora.protocols.ranking.logit_limits import LogitLimits, LogitScale
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import NOT_REJECTED, REJECTED, UNDEFINED, OneBit
from ppaurora.protocols.statistics.parameters import choice, number, whole

DIGITS = 15
ONE: int = 10**DIGITS
LOGIT_DIGITS = 14


@dataclass(frozen=True, slots=True)
class Above(OneBit[CurveData, CurveClear]):
    """A test of AUROC <= `than`, on a sorted list or a histogram."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc_above"
    title: ClassVar[str] = "test of whether the AUROC is above a value, by DeLong's variance"
    known_as: ClassVar[str] = "pROC ci.auc lies above a value"
    undefined: ClassVar[str] = FEW
    wide: ClassVar[bool] = False
    """True if the curve's sums are taken in 256 bits."""
    than: Fraction = number("the AUROC of the null hypothesis", "0.5", closed=False)
    alpha: Fraction = number("the level of the test", "0.05", most="0.5", closed=False)
    sides: int = whole(
        "1 for the level alpha, 2 for the lower end of a two-sided interval", 1, least=1, most=2
    )

    @property
    def z_squared(self) -> int:
        """10^15·z², rounded."""
        return scaled_square(self.alpha / self.sides, DIGITS)

    def private(self, party: Party, data: CurveData, decimals: int) -> Shared:
        found = delong(party, data)
        r, s = self.than.numerator, self.than.denominator
        T = found.won * s - found.pairs * (2 * r)
        # T·Q, of the area expanded by Q
        TQ = found.area.N * s - found.area.D * r
        squared = wide_multiply(party, T, TQ)
        excess = squared * ONE - found.variance.N * (self.z_squared * s * s)
        signs = wide_is_negative(party, concatenate_wide([-T, -excess, found.is_few(data.n)]))
        above, significant, few = (signs.low()[place : place + 1] for place in range(3))
        # where a class has fewer than two samples, T·Q and the variance's numerator are 0
        return multiply(party, above, significant) * REJECTED + few * UNDEFINED

    def cost(self, n: int, decimals: int) -> Cost:
        squared, signs = wide_multiply.cost().of(1), wide_is_negative.cost().of(3)
        return delong_cost(n, wide=self.wide) + squared + signs + multiply.cost().of(1)

    def plaintext_words(self, data: CurveClear, decimals: int) -> Sequence[int]:
        found = placed(data)
        if found is None:
            return [UNDEFINED]
        return [REJECTED if self.is_above(found) else NOT_REJECTED]

    def is_above(self, found: Placed) -> bool:
        """True if the null hypothesis is rejected, from plaintext data."""
        distance = found.area - self.than
        return distance > 0 and ONE * distance**2 > self.z_squared * found.variance

    def fits(self, n: int, decimals: int) -> bool:
        # neither T²·Q nor the variance's numerator exceeds the variance's denominator times s²
        most: int = largest_variance_denominator(n) * self.than.denominator**2
        compared = most * max(ONE, self.z_squared) < 1 << WIDE_BITS - 1
        return compared and (self.wide or delong_fits(n))


@dataclass(frozen=True, slots=True)
class AboveOfCells(Above[Binned, PooledBins]):
    """The test on cells, for any number of samples; not on the logit scale."""

    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    wide: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class AurocAbove(Above[Ranked, Pooled]):
    """The test on the sorted list, on either scale."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[AboveOfCells]] = AboveOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    method: str = choice(
        "delong for a test on the plain scale, logit for one on the logit scale",
        "delong",
        ("delong", "logit"),
    )

    @property
    def _logit(self) -> LogitScale:
        return LogitScale(self.alpha / self.sides, LOGIT_DIGITS)

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        if self.method == "delong":
            return Above.private(self, party, data, decimals)
        odds = self._logit.odds(party, data)
        r, s = self.than.numerator, self.than.denominator
        won_t = wide_multiply(party, odds.won, odds.t)
        # 0 where a class has fewer than two samples
        missing = odds.lost * (r * self._logit.one) - won_t * (s - r)
        above = wide_is_negative(party, missing).low()
        return above * REJECTED + odds.few * UNDEFINED

    def cost(self, n: int, decimals: int) -> Cost:
        if self.method == "delong":
            return Above.cost(self, n, decimals)
        return self._logit.cost(n) + wide_multiply.cost().of(1) + wide_is_negative.cost().of(1)

    def is_above(self, found: Placed) -> bool:
        if self.method == "delong":
            return Above.is_above(self, found)
        lower, _ = LogitLimits(self.alpha / self.sides).beside(found)
        return lower > self.than

    def fits(self, n: int, decimals: int) -> bool:
        if self.method == "delong":
            return Above.fits(self, n, decimals)
        # won + lost <= n²/2
        largest = n**2 * self._logit.one * self.than.denominator // 2
        return largest < 1 << WIDE_BITS - 1 and self._logit.fits(n)
