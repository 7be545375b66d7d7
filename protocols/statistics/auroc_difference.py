"""The difference of two classifiers' AUROCs on the same samples, with its interval and z.

[ROC-GLM, Eq. 2-3, erratum 1], as pROC's paired `roc.test`: with the AUROC of the first scores less
that of the second ones, Δ, and its standard error SE by `ppaurora.protocols.ranking.paired`,

    Δ ± z_level·SE, cut off at -1 and 1,        z = Δ/SE.

Where SE is 0, z is 0 if Δ is, as pROC has it, and without bound if not. z has three decimals,
rounded half away from 0; from 99.9995 on it is released as "at least 100". A half is rounded up in
the difference and its limits, which are computed from (1 + Δ)/2 as `auroc_ci` computes them.

How sure that is: difference and z are always correctly rounded. A limit can be wrong by one unit of
its last decimal only if the exact one lies within (3 + z_level)/2·10^-e of a rounding boundary, e
being eight or nine more than the decimals.

Nobody learns anything. 55 hops for four decimals.
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
    wide_divide,
    wide_multiply,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.pipelines.pairs import Pairs
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.delong import (
    FEW,
    Delong,
    largest_area_denominator,
    largest_variance_denominator,
)
from ppaurora.protocols.ranking.paired import (
    TIMES,
    Paired,
    PooledPairs,
    holds_paired,
    paired_delong,
    paired_delong_cost,
    squared_gain,
)
from ppaurora.protocols.statistics.difference import (
    Z_DIGITS,
    OneDifference,
    undefined_words,
    z_word,
    z_word_cost,
)
from ppaurora.protocols.statistics.parameters import number


@dataclass(frozen=True, slots=True)
class AurocDifference(OneDifference[Paired, PooledPairs]):
    """The difference, its lower and upper limit, and z."""

    name: ClassVar[str] = "auroc_difference"
    short: ClassVar[str] = "Difference of AUROCs"
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
    title: ClassVar[str] = (
        "difference of two AUROCs on the same samples, the first scores' less the second ones', "
        "with its confidence interval and z by DeLong's method"
    )
    known_as: ClassVar[str] = 'pROC roc.test(method = "delong", paired = TRUE)'
    pipeline: ClassVar[type[Pairs]] = Pairs
    undefined: ClassVar[str] = FEW
    without_width: ClassVar[str] = (
        "DeLong's standard error is 0, as where both scores rank all samples alike or separate "
        "the classes, and z says nothing then; take auroc_ci of a study of each score"
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of the difference."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: Paired, decimals: int) -> Shared:
        found = paired_delong(party, data)
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: self._interval(own, found, data.n, decimals),
                    lambda own: self._z(own, found, data.n),
                ],
            )
        )

    def _interval(self, party: Party, found: Delong, n: int, decimals: int) -> Shared:
        """1 + Δ and 1 plus its limits."""
        area = found.area
        limits, whole = self.limits.around(party, found, n, decimals, times=2)
        # (1 + x)/2 over 5, to one more digit than x is released with
        N, D = concatenate_wide([area.N, limits]), concatenate_wide([area.D, whole]) * 5
        bound = _largest_denominator(n, decimals)
        return wide_divide(party, N, D, digits=decimals + 1, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        bound = _largest_denominator(n, decimals)
        rounding = wide_divide.cost(digits=decimals + 1, bound=bound).of(3)
        interval = self.limits.around_cost(decimals) + rounding
        z = wide_multiply.cost().of(1) + z_word_cost(_largest_z_denominator(n))
        return paired_delong_cost(n) + (interval | z)

    def plaintext_words(self, data: PooledPairs, decimals: int) -> Sequence[int]:
        found = data.gained()
        if found is None:
            return undefined_words(decimals)
        return self.told(found.difference, found.variance, self.limits, decimals)

    def _z(self, party: Party, found: Delong, n: int) -> Shared:
        squared, signed = squared_gain(party, found)
        scaled = found.variance.N * (4 * 100**2)
        bound = _largest_z_denominator(n)
        return z_word(party, squared, scaled, signed, found.is_few(n), bound=bound)

    def fits(self, n: int, decimals: int) -> bool:
        digits = places(decimals)
        area = TIMES * largest_area_denominator(n)
        divided = area <= largest_wide_denominator(BASE)
        rounded = _largest_denominator(n, decimals) <= largest_wide_denominator()
        rooted = largest_variance_denominator(n) <= largest_root_denominator(digits, BASE)
        compared = _largest_z_denominator(n) <= largest_root_denominator(Z_DIGITS)
        return holds_paired(n) and divided and rounded and rooted and compared

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals and z, which with the number of samples tell that the smaller "
            "class count is at most 1 + 1/SE², and roughly what it is to who knows how alike the "
            f"two scores are; and whether the metric is undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with the number of samples and how alike the two scores are, the "
            "interval tells the smaller class count roughly",
        )


def _largest_denominator(n: int, decimals: int) -> int:
    """The denominators of the difference and its limits are at most this."""
    rounded: int = 2 * BASE ** (2 * places(decimals))
    return 5 * max(TIMES * largest_area_denominator(n), rounded)


def _largest_z_denominator(n: int) -> int:
    """A bound of at least 1 on the squared gain and on the numerator of the scaled variance."""
    return 4 * 100**2 * largest_variance_denominator(n)
