"""The AUROC within sites with its confidence interval, by DeLong's variance within each.

The sites are independent, so that with the letters of `ppaurora.protocols.statistics.auroc_within`

    Var AUC_w = Σ_h (P_h·N_h)²·Var_h / (Σ_h P_h·N_h)²,

Var_h that of DeLong, DeLong and Clarke-Pearson, Biometrics 44:837-845 (1988), of the owner's own
rows. A class of a single sample has none; A·(1 - A) takes its place, the most that it can be. Each
owner shares (P_h·N_h)²·Var_h to 2^-60. The limits are AUC_w ± z·SE, cut off at 0 and 1
(`ppaurora.protocols.ranking.area_limits`).

How sure that is: the released AUROC is always correctly rounded. A limit can be wrong by one unit
of its last decimal only if the exact one lies within (3 + z)/2·10^-(d + 8) + z·k·2^-61 of a
rounding boundary, of d decimals and k owners: a variance that is not 0 is at least 1/(4·P·N) before
it is divided, so that its root is no farther off than itself.

Nobody learns anything. Three hops, and then as `auroc_ci:method=delong`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.lists.within_site import SPREAD_BITS, SiteNumber
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sites import PAIRS_WITHIN, PerSite, PooledSites, Sites
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.delong import Delong, Placed
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class AurocWithinInterval(OneInterval[PerSite, PooledSites]):
    """Won pairs over all pairs within the sites, with limits."""

    name: ClassVar[str] = "auroc_within_ci"
    short: ClassVar[str] = "AUROC within hospitals"
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
    title: ClassVar[str] = (
        "AUROC within hospitals with its confidence interval, by DeLong's variance within each"
    )
    known_as: ClassVar[str] = "R survival concordance with strata and its variance"
    topic: ClassVar[Topic] = Topic.SITES
    pipeline: ClassVar[type[Sites]] = Sites
    inputs: ClassVar[Inputs] = frozenset({SiteNumber.WON, SiteNumber.SPREAD, PAIRS_WITHIN})
    undefined: ClassVar[str] = "no owner has both classes"
    without_width: ClassVar[str] = (
        "the standard error is 0 to these decimals, as it always is where the classes are "
        "separated in every hospital, however far off the AUROC may be"
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits around an area with its variance."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: PerSite, decimals: int) -> Shared:
        [won], spreads = data.numbers[SiteNumber.WON], data.numbers[SiteNumber.SPREAD]
        wide = widen(party, concatenate([won.sum(), data.PN.sum(), *spreads]))
        W, M, rest = wide[:1], wide[1:2], wide[2:]
        high, middle, low = (
            rest[place * len(won) : (place + 1) * len(won)].sum() for place in range(3)
        )
        spread = (high * (1 << SPREAD_BITS) + middle) * (1 << SPREAD_BITS) + low
        [square] = wide_products(party, [M], [(0, 0)])
        found = Delong(
            WideRatio(W, M * 2, _largest_area(data.n)),
            WideRatio(spread, square * (1 << SPREAD_BITS), _largest_variance(data.n)),
            W,
            M,
        )
        # without a pair M - 1 is negative
        limits, whole = self.limits.around(party, found, 1, decimals)
        N, D = concatenate_wide([W, limits]), concatenate_wide([M * 2, whole])
        return wide_divide(party, N, D, digits=decimals, bound=_largest(data.n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        first = widen.cost().of(3 * n + 2) + wide_products.cost(factors=1, pairs=1).of(1)
        # the widest steps, as for any number of samples that fits
        return first + self.limits.around_cost(decimals) + wide_divide.cost(digits=decimals).of(3)

    def plaintext_words(self, data: PooledSites, decimals: int) -> Sequence[int]:
        pairs = sum(P * N for P, N in zip(data.P, data.N, strict=True))
        if not pairs:
            return [undefined(decimals)] * 3
        won = sum(word for [word] in data.numbers[SiteNumber.WON])
        spread = Fraction(0)
        for high, middle, low in data.numbers[SiteNumber.SPREAD]:
            spread += Fraction((high << 2 * SPREAD_BITS) + (middle << SPREAD_BITS) + low)
        area = Fraction(won, 2 * pairs)
        placed = Placed(area, spread / (pairs**2 << SPREAD_BITS))
        return [half_up(one * 10**decimals) for one in (area, *self.limits.beside(placed))]

    def fits(self, n: int, decimals: int) -> bool:
        divided = _largest(n, decimals) <= largest_wide_denominator(BASE)
        rooted = _largest_variance(n) <= largest_root_denominator(places(decimals), BASE)
        return divided and rooted

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, from which all owners but one together learn the AUROC of the "
            "last one's rows and its standard error if they know its class counts, and whether the "
            f"metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # DeLong's error is another number for nearly every set of labels
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


def _largest_area(n: int) -> int:
    """The most that 2·Σ P·N can be, summed over the sites of n samples."""
    return max(1, 2 * most_pairs(n))


def _largest_variance(n: int) -> int:
    """The most that (Σ P·N)² can be, in the unit of a spread."""
    return max(1, most_pairs(n) ** 2) << SPREAD_BITS


def _largest(n: int, decimals: int) -> int:
    rounded: int = BASE ** (2 * places(decimals))
    return max(_largest_area(n), rounded)
