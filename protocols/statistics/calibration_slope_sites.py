"""The calibration slope from hospital to hospital: a random-effects summary of the sites' own.

Debray et al., BMJ 356:i6460 (2017), and Snell et al., Statistical Methods in Medical Research
27:3505-3522 (2018), take slopes as they are, with the squares of their standard errors:

    θ = b of P(y = 1) = σ(a + b·logit f),    v = (I⁻¹)_bb,

by logistic regression, which each owner does in the clear over its own rows
(`ppaurora.protocols.lists.own_slope`), and rounds both to 2^-40 and 2^-58; then
`ppaurora.protocols.statistics.across_sites`. A site without a line is left out, as one of a single
class, or where a threshold separates the classes, and so is a slope whose standard error is above
√8. Mean and limits below -50 or above 50 are released as that. They can be wrong by one unit of
their last decimal only if the exact one of the owners' estimates lies within 10^-11 of a rounding
boundary, or within 10^-8 where no slope is 10^-6 away from the mean, where the level is at most
.999; to at most eight decimals.

Nobody learns anything. 198 hops, five to cut off, and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_divide, wide_negative_times
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.random_effects import LIMIT_BITS
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.across_sites import LIMITS, AcrossSites
from ppaurora.protocols.statistics.of_logits import WITHIN
from ppaurora.protocols.statistics.parameters import flag, number
from ppaurora.protocols.statistics.statistic import Topic

LOW, WHOLE = WITHIN.shift << LIMIT_BITS, 10**WITHIN.tens << LIMIT_BITS
"""The distance from 0 down to the beginning of the released range, and its length."""


@dataclass(frozen=True, slots=True)
class CalibrationSlopeSites(AcrossSites):
    """Mean calibration slope of the sites with its interval and a prediction interval."""

    name: ClassVar[str] = "calibration_slope_sites"
    short: ClassVar[str] = "Calibration slope across hospitals"
    reference: ClassVar[str] = (
        "DerSimonian and Laird, Controlled Clinical Trials 1986; Hartung and Knapp, Statistics in "
        "Medicine 2001; Debray et al., BMJ 2017"
    )
    title: ClassVar[str] = (
        "calibration slope across hospitals: mean of their own slopes by random effects, with its "
        "confidence interval and a prediction interval for another hospital"
    )
    known_as: ClassVar[str] = "metafor rma.uni(yi, sei) of rms val.prob slopes, with DL and knha"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({SiteNumber.SLOPE})
    estimate: ClassVar[SiteNumber] = SiteNumber.SLOPE
    mean: ClassVar[str] = "slope"
    within: ClassVar[PublicRange] = WITHIN
    undefined: ClassVar[str] = (
        "fewer than five owners have a calibration slope with a standard error below 2.8"
    )
    level: Fraction = number("the level of both intervals", "0.95", closed=False)
    heterogeneity: bool = flag("also release tau² and I², which tell more about single hospitals")

    def back(self, party: Party, limits: WideShared, decimals: int) -> Shared:
        above = limits + LOW
        ends = concatenate_wide([above, -above + WHOLE])
        _, beyond = wide_negative_times(party, ends, ends)
        # min(max(above, 0), WHOLE)
        inside = above - beyond[:LIMITS] + beyond[LIMITS:]
        whole = WideShared.public(party.role, [WHOLE] * LIMITS)
        return wide_divide(party, inside, whole, digits=decimals + WITHIN.tens, bound=WHOLE)

    def back_cost(self, decimals: int) -> Cost:
        division = wide_divide.cost(digits=decimals + WITHIN.tens, bound=WHOLE)
        return wide_negative_times.cost().of(2 * LIMITS) + division.of(LIMITS)

    def back_plaintext(self, limit: Decimal) -> Fraction:
        return min(max(Fraction(limit), Fraction(-WITHIN.shift)), Fraction(WITHIN.shift))

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
