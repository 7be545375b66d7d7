"""The AUROC with its confidence interval by DeLong's method.

[ROC-GLM, "CI for the empirical AUC", Eq. 2-3, erratum 1], on the plain scale, as pROC computes it:

    AUROC ± z·SE, cut off at 0 and 1,

with z the normal quantile for (1 + level)/2. AUROC and SE are computed to e decimals, eight or nine
more than are released, and stay shared; z has e decimals too. The limits, of 2·e decimals, are
rounded half up by a division by 10^2e.

How sure that is: the released AUROC is always correctly rounded. A limit can be wrong by one unit
of its last decimal only if the exact one lies within (2 + z)/2·10^-e of a rounding boundary.

Nobody learns anything. 50 hops for four decimals. A perfect separation of the classes gives
the interval from 1 to 1: the sample says nothing about how far its AUROC may be from the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import ClassVar

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_negative_times,
    wide_root_to_wide,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.delong import (
    FEW,
    delong,
    delong_cost,
    holds_delong,
    largest_area_denominator,
    largest_variance_denominator,
)
from ppaurora.protocols.ranking.placements import placed
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.decimals import ratio_text
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import Statistic

BASE = 100
LEAST_GUARD = 8
CLEAR_DIGITS = 80


def places(decimals: int) -> int:
    """The digits in base 100 to which AUROC and SE are computed: e = 2·places."""
    return -(-(decimals + LEAST_GUARD) // 2)


@dataclass(frozen=True, slots=True)
class AurocInterval(Statistic[Ranked, Pooled]):
    """AUROC, lower and upper limit."""

    name: ClassVar[str] = "auroc_ci"
    title: ClassVar[str] = (
        "AUROC with its confidence interval by DeLong's method, the limits computed to eight "
        "further decimals and then rounded"
    )
    known_as: ClassVar[str] = 'pROC ci.auc(method = "delong")'
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    undefined: ClassVar[str] = FEW
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    def z(self, digits: int) -> int:
        """round(10^digits·z)."""
        return scaled_quantile((1 - self.level) / 2, digits)

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        found = delong(party, data)
        area, variance, digits = found.area, found.variance, places(decimals)
        theta, error = side_by_side(
            party,
            [
                lambda own: wide_divide_to_wide(
                    own, area.N, area.D, digits=digits, base=BASE, bound=area.bound
                ),
                lambda own: wide_root_to_wide(
                    own, variance.N, variance.D, digits=digits, base=BASE, bound=variance.bound
                ),
            ],
        )
        one, z = BASE**digits, self.z(2 * digits)
        # the distances of the limits from 0 and from 1, of which the negative ones are cut off
        below, above = theta * one - error * z, one**2 - theta * one - error * z
        distances = concatenate_wide([below, above, found.is_few(data.n)])
        signs, beyond = wide_negative_times(party, distances, distances)
        inside, few = distances - beyond, signs[2:]
        lower, upper = inside[:1], one**2 - inside[1:2]
        # both limits become 0/0 where the AUROC is
        least, most = _limits_of_nothing(digits, z)
        N = concatenate_wide([area.N, lower - few * least, upper - few * most])
        whole = one**2 - few * one**2
        D = concatenate_wide([area.D, whole, whole])
        return wide_divide(party, N, D, digits=decimals, bound=max(area.bound, one**2))

    def cost(self, n: int, decimals: int) -> Spent:
        digits = places(decimals)
        theta = wide_divide_to_wide.cost(digits=digits, base=BASE).of(1)
        error = wide_root_to_wide.cost(digits=digits, base=BASE).of(1)
        bound = max(largest_area_denominator(n), BASE ** (2 * digits))
        rounding = wide_divide.cost(digits=decimals, bound=bound).of(3)
        signs = wide_negative_times.cost().of(3)
        return delong_cost(n) + (theta | error) + signs + rounding

    def in_clear(self, data: Pooled, decimals: int) -> Sequence[int]:
        found = placed(data)
        if found is None:
            return [undefined(decimals)] * self.words(decimals)
        root = Fraction(isqrt(int(found.variance * 100**CLEAR_DIGITS)), 10**CLEAR_DIGITS)
        half = root * Fraction(self.z(CLEAR_DIGITS), 10**CLEAR_DIGITS)
        limits = max(found.area - half, Fraction(0)), min(found.area + half, Fraction(1))
        return [half_up(value * 10**decimals) for value in (found.area, *limits)]

    def words(self, decimals: int) -> int:
        return 3

    def released(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, upper = (ratio_text(self.text, word, decimals) for word in words)
        if value is lower is upper is None:
            return Interval(undefined=self.undefined)
        if value is None or lower is None or upper is None:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Interval(value, lower, upper)

    def nothing(self) -> Released:
        return Interval(undefined=NO_SAMPLES)

    def holds(self, n: int, decimals: int) -> bool:
        digits = places(decimals)
        largest = max(largest_area_denominator(n), BASE ** (2 * digits))
        divided = largest <= largest_wide_denominator(BASE)
        rooted = largest_variance_denominator(n) <= largest_root_denominator(digits, BASE)
        return holds_delong(n) and divided and rooted

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


def _limits_of_nothing(digits: int, z: int) -> tuple[int, int]:
    """What the limits are where AUROC and SE are `undefined`: public, so that it can be removed."""
    nothing, one = undefined(digits, BASE), BASE**digits
    return max(nothing * (one - z), 0), min(nothing * (one + z), one**2)
