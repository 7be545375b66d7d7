"""Observed over expected from hospital to hospital: a random-effects summary on the log scale.

Debray et al., BMJ 356:i6460 (2017), and Snell et al., Statistical Methods in Medical Research
27:3505-3522 (2018): of each site's O positives of n, and E = Σ f that its scores make expect,

    θ = ln O/E,    v = (1 - O/n)/O,

E taken as it is. The owner computes both in the clear over its own rows, and rounds them to 2^-40
and 2^-58; then `ppaurora.protocols.statistics.across_sites`. A site without positives, one without
negatives and one whose scores are all 0 is left out. Mean and limits are released as ratios; one
above 100 as 100. They can be wrong by one unit of their last decimal only if the exact one lies
within 10^-11 of itself of a rounding boundary, where the level is at most .999; to at most eight
decimals.

Nobody learns anything. 198 hops, 17 for the way back, and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.antilogarithm import Antilogarithm
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.random_effects import LIMIT_BITS
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.random_effects import antilogarithm
from ppaurora.protocols.statistics.across_sites import LIMITS, AcrossSites
from ppaurora.protocols.statistics.parameters import flag, number
from ppaurora.protocols.statistics.statistic import Topic

MOST = 100


@dataclass(frozen=True, slots=True)
class ObservedExpectedSites(AcrossSites):
    """Mean of O/E over the sites with its interval and a prediction interval."""

    name: ClassVar[str] = "observed_expected_sites"
    short: ClassVar[str] = "Observed / expected across hospitals"
    reference: ClassVar[str] = (
        "DerSimonian and Laird, Controlled Clinical Trials 1986; Hartung and Knapp, Statistics in "
        "Medicine 2001; Debray et al., BMJ 2017"
    )
    title: ClassVar[str] = (
        "observed over expected positives across hospitals: mean of their own ratios by random "
        "effects, with its confidence interval and a prediction interval for another hospital"
    )
    known_as: ClassVar[str] = 'metamisc valmeta(measure = "OE")'
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({SiteNumber.RATIO})
    estimate: ClassVar[SiteNumber] = SiteNumber.RATIO
    mean: ClassVar[str] = "observed_expected"
    within: ClassVar[PublicRange] = PublicRange(tens=2)
    undefined: ClassVar[str] = (
        "fewer than five owners have both classes and scores that are not all 0"
    )
    level: Fraction = number("the level of both intervals", "0.95", closed=False)
    heterogeneity: bool = flag("also release tau² and I², which tell more about single hospitals")

    def back(self, party: Party, limits: WideShared, decimals: int) -> Shared:
        return self._antilogarithm(decimals).of(party, limits)

    def back_cost(self, decimals: int) -> Cost:
        return self._antilogarithm(decimals).cost(LIMITS)

    def back_plaintext(self, limit: Decimal) -> Fraction:
        return Fraction(antilogarithm(limit, MOST))

    def _antilogarithm(self, decimals: int) -> Antilogarithm:
        return Antilogarithm(LIMIT_BITS, self.within.tens, decimals)

    def leaks(self, decimals: int) -> str:
        return (
            f"{AcrossSites.leaks(self, decimals)}; the standard error of an owner tells how many "
            "of its samples are positive"
        )

    def label_digits(self, decimals: int) -> int:
        # as all that follows from class counts alone
        return 0

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
