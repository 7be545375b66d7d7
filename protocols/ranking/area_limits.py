"""Confidence limits of the AUROC: their contract, and AUROC ± z·SE with DeLong's standard error.

[ROC-GLM, Eq. 2-3, erratum 1]; the limits are cut off at 0 and 1, as in pROC. AUROC and SE are
computed to e decimals, eight or nine more than are released, and stay shared; z has e decimals too.
The limits, of 2·e decimals, are rounded half up by a division by 10^2e.

How sure that is: the released AUROC is always correctly rounded. A limit can be wrong by one unit
of its last decimal only if the exact one lies within (2 + z)/2·10^-e of a rounding boundary.

Nobody learns anything. 50 hops for four decimals. A perfect separation of the classes gives
the interval from 1 to 1: the sample says nothing about how far its AUROC may be from the truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    wide_divide,
    wide_divide_to_wide,
    wide_root_to_wide,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.limits import cut_limits, cut_limits_cost, limits_of_nothing
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.ranking.curve import Curve, PooledCurve
from ppaurora.protocols.ranking.delong import (
    Delong,
    Placed,
    delong,
    delong_cost,
    delong_fits,
    largest_area_denominator,
    largest_variance_denominator,
    placed,
)

GUARD_DIGITS = 8
"""The number of decimals beyond the released ones to which a limit is computed."""


@dataclass(frozen=True, slots=True)
class AreaLimits(ABC):
    """AUROC and limits of a curve; a normal variable exceeds their z with `tail`."""

    tail: Fraction

    @abstractmethod
    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        """AUROC, lower and upper limit to so many decimals, `undefined` where there are none."""

    @abstractmethod
    def cost(self, n: int, decimals: int) -> Cost:
        """The cost of `private` for n samples."""

    @abstractmethod
    def plaintext(self, data: PooledCurve) -> Sequence[Fraction] | None:
        """AUROC, lower and upper limit, to 40 decimals or more; None where there are none."""

    @abstractmethod
    def fits(self, n: int, decimals: int) -> bool:
        """True if the arithmetic allows n samples to so many decimals; monotone in n."""


class DelongLimits(AreaLimits):
    """Confidence limits of the AUROC from DeLong's variance."""

    __slots__ = ()

    def plaintext(self, data: PooledCurve) -> Sequence[Fraction] | None:
        found = placed(data)
        return None if found is None else (found.area, *self.beside(found))

    @abstractmethod
    def beside(self, found: Placed) -> Sequence[Fraction]:
        """The lower and the upper limit, to 40 decimals or more."""


BASE = 100
CLEAR_DIGITS = 80


def places(decimals: int) -> int:
    """The digits in base 100 to which AUROC and SE are computed: e = 2·places."""
    return -(-(decimals + GUARD_DIGITS) // 2)


def root_in_clear(square: Fraction) -> Fraction:
    """The root of a square, to 80 decimals."""
    return Fraction(isqrt(int(square * 100**CLEAR_DIGITS)), 10**CLEAR_DIGITS)


@dataclass(frozen=True, slots=True)
class PlainLimits(DelongLimits):
    """AUROC ± z·SE; `wide` if the curve's sums are taken in 256 bits."""

    wide: bool = False

    def z(self, digits: int) -> int:
        """round(10^digits·z)."""
        return scaled_quantile(self.tail, digits)

    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        return self.released(party, delong(party, data), data.n, decimals)

    def released(self, party: Party, found: Delong, n: int, decimals: int) -> Shared:
        """Every area, then all lower limits and all upper ones, of one AUROC or several."""
        limits, whole = self.around(party, found, n, decimals)
        N, D = concatenate_wide([found.area.N, limits]), concatenate_wide([found.area.D, whole])
        return wide_divide(party, N, D, digits=decimals, bound=_largest(n, decimals))

    def around(
        self, party: Party, found: Delong, n: int, decimals: int, *, times: int = 1
    ) -> tuple[WideShared, WideShared]:
        """times·area ± z·SE cut off at 0 and `times`, over `times`: ratios, 0/0 as the area.

        Their denominators are times·10^2e, or 0.
        """
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
        scale, z = BASE**digits, self.z(2 * digits)
        return cut_limits(
            party,
            theta * (times * scale),
            error * z,
            found.is_few(n),
            most=times * scale**2,
            nothing=limits_of_nothing(digits, BASE, times * scale, z),
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return delong_cost(n, wide=self.wide) + self.released_cost(n, decimals)

    def released_cost(self, n: int, decimals: int, areas: int = 1) -> Cost:
        """The cost of `released` for so many areas."""
        rounding = wide_divide.cost(digits=decimals, bound=_largest(n, decimals)).of(3 * areas)
        return self.around_cost(decimals, areas) + rounding

    def around_cost(self, decimals: int, areas: int = 1) -> Cost:
        """The cost of `around`."""
        digits = places(decimals)
        theta = wide_divide_to_wide.cost(digits=digits, base=BASE).of(areas)
        error = wide_root_to_wide.cost(digits=digits, base=BASE).of(areas)
        return (theta | error) + cut_limits_cost(areas)

    def beside(self, found: Placed) -> Sequence[Fraction]:
        half = self.half(found.variance)
        return max(found.area - half, Fraction(0)), min(found.area + half, Fraction(1))

    def half(self, variance: Fraction) -> Fraction:
        """z·SE in the clear, half the interval's width."""
        return root_in_clear(variance) * Fraction(self.z(CLEAR_DIGITS), 10**CLEAR_DIGITS)

    def fits(self, n: int, decimals: int) -> bool:
        digits = places(decimals)
        divided = _largest(n, decimals) <= largest_wide_denominator(BASE)
        rooted = largest_variance_denominator(n) <= largest_root_denominator(digits, BASE)
        return (self.wide or delong_fits(n)) and divided and rooted


def _largest(n: int, decimals: int) -> int:
    """The denominators of the AUROC and of its limits are at most this."""
    rounded: int = BASE ** (2 * places(decimals))
    return max(largest_area_denominator(n), rounded)
