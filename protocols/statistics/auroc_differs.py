"""The test of whether two classifiers' AUROCs on the same samples differ: one bit.

[ROC-GLM, Eq. 2-3, erratum 1], pROC's paired `roc.test`: with the difference Δ of the two AUROCs,
its standard error SE by `ppaurora.protocols.ranking.covariance` and z the normal quantile for
1 - alpha/2, that they are equal is rejected if and only if |Δ| > z·SE, in whole numbers

    4·W²·Q > z²·4·(numerator of the variance),

where z² is rounded to 15 decimals. Two identical rankings are never told apart.

Nobody learns anything but the bit, which discloses next to nothing. Six hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_is_negative, wide_multiply
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.mpc.wide_words import WIDE_BITS
from ppaurora.protocols.arithmetic.normal import scaled_square
from ppaurora.protocols.ranking.covariance import (
    PooledModels,
    RankedModels,
    holds_models,
    largest_squared_gain,
    squared_gain,
)
from ppaurora.protocols.statistics.estimates import NOT_REJECTED, REJECTED, UNDEFINED, OneBit
from ppaurora.protocols.statistics.of_models import OfRankings
from ppaurora.protocols.statistics.parameters import number

DIGITS = 15
ONE = 10**DIGITS


@dataclass(frozen=True, slots=True)
class AurocDiffers(OfRankings, OneBit[RankedModels, PooledModels]):
    """A test of the equality of two AUROCs."""

    name: ClassVar[str] = "auroc_differs"
    title: ClassVar[str] = (
        "test of whether two AUROCs on the same samples differ, by DeLong's variance"
    )
    known_as: ClassVar[str] = 'pROC roc.test(method = "delong", paired = TRUE) below alpha'
    most_models: ClassVar[int] = 2
    instead: ClassVar[str] = "auroc_equal, which tells a chi-square instead of one bit"
    alpha: Fraction = number("the level of the two-sided test", "0.05", closed=False)

    @property
    def z_squared(self) -> int:
        """10^15·z², rounded."""
        return scaled_square(self.alpha / 2, DIGITS)

    def private(self, party: Party, data: RankedModels, decimals: int) -> Shared:
        found = data.covariance.differences([(0, 1)])
        squared, _ = squared_gain(party, found)
        excess = squared * ONE - found.variance.N * (4 * self.z_squared)
        signs = wide_is_negative(party, concatenate_wide([-excess, found.is_few(data.n)])).low()
        # where a class has fewer than two samples, both sides are 0
        return signs[:1] * REJECTED + signs[1:] * UNDEFINED

    def cost(self, n: int, decimals: int) -> Cost:
        return wide_multiply.cost().of(1) + wide_is_negative.cost().of(2)

    def plaintext_words(self, data: PooledModels, decimals: int) -> Sequence[int]:
        found = data.gained()
        if found is None:
            return [UNDEFINED]
        significant = ONE * found.difference**2 > self.z_squared * found.variance
        return [REJECTED if significant else NOT_REJECTED]

    def fits(self, n: int, decimals: int) -> bool:
        most = largest_squared_gain(n) * max(ONE, self.z_squared)
        return holds_models(n) and most < 1 << WIDE_BITS - 1
