"""The AUROC within sites: the chance that a positive scores above a negative of the same site.

With U_h the pairs of owner h that are in order, ties counted half, of its P_h·N_h,

    AUC_w = Σ_h 2·U_h / Σ_h 2·P_h·N_h,

the mean of the sites' AUROCs, each weighted by its pairs. No patient of one hospital is compared
with a patient of another, so hospitals whose scores or prevalences differ as a whole do not move
it, as they move the pooled AUROC.

Each owner counts U_h in the clear over its own rows. A site without one of the classes has no pairs
and weighs nothing. Exact for any number of samples; nobody learns anything. One hop for all
P_h·N_h, one to 256 bits, and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sites import PAIRS_WITHIN, PerSite, PooledSites, Sites
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneNumber
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class AurocWithin(OneNumber[PerSite, PooledSites]):
    """Won pairs over all pairs, within each site and then together."""

    name: ClassVar[str] = "auroc_within"
    short: ClassVar[str] = "AUROC within hospitals"
    title: ClassVar[str] = (
        "AUROC within hospitals: of pairs of patients of the same hospital, ties counted half"
    )
    known_as: ClassVar[str] = "R survival concordance with strata, AUC stratified by centre"
    topic: ClassVar[Topic] = Topic.SITES
    pipeline: ClassVar[type[Sites]] = Sites
    inputs: ClassVar[Inputs] = frozenset({SiteNumber.WON, PAIRS_WITHIN})
    undefined: ClassVar[str] = "no owner has both classes"

    def private(self, party: Party, data: PerSite, decimals: int) -> Shared:
        [won] = data.numbers[SiteNumber.WON]
        wide = widen(party, concatenate([won.sum(), data.PN.sum()]))
        return wide_divide(
            party, wide[:1], wide[1:] * 2, digits=decimals, bound=self._largest(data.n)
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return widen.cost().of(2) + wide_divide.cost(digits=decimals).of(1)

    def scaled(self, data: PooledSites, scale: int) -> int | None:
        pairs = sum(P * N for P, N in zip(data.P, data.N, strict=True))
        won_twice = sum(word for [word] in data.numbers[SiteNumber.WON])
        return half_up(Fraction(scale * won_twice, 2 * pairs)) if pairs else None

    def fits(self, n: int, decimals: int) -> bool:
        return self._largest(n) <= largest_wide_denominator()

    def _largest(self, n: int) -> int:
        return max(1, 2 * most_pairs(n))

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, from which all owners but one together learn the AUROC of the "
            "last one's rows if they know its class counts, and whether the metric is undefined: "
            f"{self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
