"""Limits of average precision on the logit scale, which stay between 0 and 1 by themselves.

[Thesis, section 4.3, "Logit Interval", erratum 5]: logit A ± c with c = z/sqrt(P·A·(1 - A)). With
A = Y/P, lost = P - Y and t = e^(-c), that is

    lower = Y·t/(Y·t + lost)      upper = Y/(Y + lost·t)      c = z·m·y,  y² = P/(m²·Y·lost).

Y and lost are 0 or at least 1/n. A c so large that e^(-c) is below 2^-K = 10^-e/n² moves both
limits to 0 and 1, as far as e decimals show: the whole number m is so large that y = 1 stands for
more, and y² is cut off at 1. A lost below 1/(2·n) is 0, and then both limits are 1, whatever c is.
With k + f = c·log2(e), k the whole part, t is 2^-k from a table times e^(-f·ln 2) by
`ppaurora.protocols.arithmetic.exponential`.

How sure that is: the released average precision is wrong only if the exact one lies within 2^-64 of
the last decimal below a rounding boundary. A limit can be wrong by one unit of its last decimal
only if the exact one lies within 2·10^-e of a rounding boundary, e being six more than the released
decimals, which are at most eight: Y, lost and y are rounded so that c moves by at most 10^-e, its
parts and the power add at most 3·10^-e, a limit moves by a quarter of that, and what is cut off is
below 10^-e. Numbers below 2^186 are scaled down without a message, and come out wrong with a chance
below 2^-70 each.

Nobody learns anything. 79 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    truncate,
    wide_divide,
    wide_multiply,
    wide_negative_times,
    wide_products,
    wide_root_to_wide,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.exponential import Exponential
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.wide_table import WideTable
from ppaurora.protocols.ranking.precision_limits import (
    PrecisionLimits,
    trials,
    trials_cost,
    trials_point,
)
from ppaurora.protocols.ranking.ranked import Ranked

GUARD_DIGITS = 6
MOST_DECIMALS = 8
ROOT_BITS = 6
ROOT_BASE = 1 << ROOT_BITS
QUANTILE_DIGITS = 40
MULTIPLIER_BITS = 64
"""Bits behind the point of the public number by which y is multiplied."""
MOST_SCALED_BITS = 186
CLEAR_DIGITS = 80


@cache
def _constants() -> tuple[Fraction, Fraction]:
    """ln 2 and its inverse, to 40 digits."""
    with localcontext() as context:
        context.prec = QUANTILE_DIGITS
        ln2 = Decimal(2).ln()
        return Fraction(ln2), Fraction(1 / ln2)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The public bit lengths of all intermediate values, for n samples and e decimals."""

    n: int
    e: int
    tail: Fraction

    @property
    def K(self) -> int:
        """2^-K <= 10^-e/n²."""
        return int(self.n**2 * 10**self.e).bit_length()

    @property
    def z(self) -> Fraction:
        return Fraction(scaled_quantile(self.tail, QUANTILE_DIGITS), 10**QUANTILE_DIGITS)

    @property
    def m(self) -> int:
        """y = 1 stands for at least K powers of two."""
        return int(self.K / (self.z * _constants()[1])) + 1

    @property
    def point(self) -> int:
        """Bits of Y and lost, with which three units of them move c by at most 10^-e/2."""
        return int(6 * self.n * self.K * 10**self.e).bit_length()

    @property
    def root_digits(self) -> int:
        """Digits of y, with which half a unit of it moves c by at most 10^-e/2."""
        return -(-int(self.z * self.m * 10**self.e).bit_length() // ROOT_BITS)

    @property
    def power(self) -> Exponential:
        """2^-f for fractions f in [0, 1), tabulated so finely that c comes out within 10^-e."""
        return Exponential.fitting(_constants()[0], self.e + 1)

    @property
    def multiplier(self) -> int:
        """The factor that turns y into c·log2(e), with f + `MULTIPLIER_BITS` fractional bits."""
        bits = self.power.bits + MULTIPLIER_BITS
        return int(self.z * self.m * _constants()[1] * (1 << bits))

    @property
    def table(self) -> WideTable:
        """2^(K - k); y is at most 1/32 above 1, where it stands for nothing."""
        most = self.z * self.m * _constants()[1] * Fraction(33, 32)
        return WideTable(int(most) + 2, self.K + 1)

    @property
    def one(self) -> int:
        """The integer that represents t = 1."""
        return 1 << self.K + self.power.guard

    @property
    def largest(self) -> int:
        """The largest denominator of a limit."""
        return self.n * self.one << self.point

    def largest_of_all(self, F: int) -> int:
        """The same of average precision, of F bits, and its limits."""
        return max(self.n << F, self.largest)

    @property
    def largest_square(self) -> int:
        """The largest denominator of y²."""
        return self.m**2 * self.n**2 << 2 * self.point

    @property
    def scaled(self) -> int:
        """The most bits of what is scaled down, beside Y."""
        return max(
            self.power.one.bit_length(),
            self.multiplier.bit_length() + self.root_digits * ROOT_BITS + 1,
        )


@dataclass(frozen=True, slots=True)
class LogitPrecisionLimits(PrecisionLimits):
    """logit A ± z/sqrt(P·A·(1 - A)), back on the plain scale."""

    def _sizes(self, n: int, decimals: int) -> _Sizes:
        return _Sizes(n, decimals + GUARD_DIGITS, self.tail)

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        found, sizes = trials(party, data, decimals), self._sizes(data.n, decimals)
        Y = found.Y.scaled_down(found.F - sizes.point)
        lost = found.P * (1 << sizes.point) - Y
        # below half of the least that is lost at all, nothing is
        _, nearly = wide_negative_times(party, lost - ((1 << sizes.point) // (2 * data.n)), lost)
        lost = lost - nearly
        t = self._power(party, sizes, self._root(party, sizes, found.P, Y, lost))
        Y_t, lost_t = wide_products(party, [Y, lost, t], [(0, 2), (1, 2)])
        whole, scale = found.P * (1 << found.F), sizes.one
        N = concatenate_wide([found.successes, Y_t, Y * scale])
        D = concatenate_wide([whole, Y_t + lost * scale, Y * scale + lost_t])
        bound = sizes.largest_of_all(found.F)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def _root(
        self, party: Party, sizes: _Sizes, P: WideShared, Y: WideShared, lost: WideShared
    ) -> WideShared:
        """y, cut off at 1; a number slightly above where nothing is lost."""
        D = wide_multiply(party, Y, lost) * sizes.m**2
        N = P * (1 << 2 * sizes.point)
        _, beyond = wide_negative_times(party, D - N, D - N)
        return wide_root_to_wide(
            party,
            N + beyond,
            D,
            digits=sizes.root_digits,
            bound=sizes.largest_square,
            base=ROOT_BASE,
        )

    def _power(self, party: Party, sizes: _Sizes, y: WideShared) -> WideShared:
        """t, in units of `one`."""
        power = sizes.power
        scaled = y * sizes.multiplier
        c = scaled.scaled_down(MULTIPLIER_BITS + sizes.root_digits * ROOT_BITS).low()
        k = truncate(party, c, power.bits)
        twos = sizes.table.read(party, k, lambda: _twos(sizes))
        rest = power.of(party, c - k * (1 << power.bits))
        return wide_multiply(
            party, twos, rest.scaled_down(power.one.bit_length() - 1 - power.guard)
        )

    def cost(self, n: int, decimals: int) -> Cost:
        sizes = self._sizes(n, decimals)
        root = wide_root_to_wide.cost(digits=sizes.root_digits, base=ROOT_BASE).of(1)
        chosen, product = wide_negative_times.cost().of(1), wide_multiply.cost().of(1)
        whole = truncate.cost(bits=sizes.power.bits).of(1)
        power = whole + sizes.table.cost() + sizes.power.cost(1) + product
        limits = wide_products.cost(factors=3, pairs=2).of(1)
        point = trials_point(n, decimals)
        if point is None:
            return Cost()
        bound = sizes.largest_of_all(point.F)
        division = wide_divide.cost(digits=decimals, bound=bound).of(3)
        of_trials = trials_cost(n, decimals)
        return of_trials + chosen + product + chosen + root + power + limits + division

    def plaintext(self, A: Fraction, P: int) -> Sequence[Fraction]:
        if A == 1:
            return A, A
        with localcontext() as context:
            context.prec = CLEAR_DIGITS
            θ = Decimal(A.numerator) / A.denominator
            z = Decimal(scaled_quantile(self.tail, CLEAR_DIGITS)).scaleb(-CLEAR_DIGITS)
            odds, c = θ / (1 - θ), z / (P * θ * (1 - θ)).sqrt()
            moved = [odds / c.exp(), odds * c.exp()]
            return [Fraction(one / (1 + one)) for one in moved]

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        point = trials_point(n, decimals)
        if decimals > MOST_DECIMALS or point is None:
            return False
        sizes = self._sizes(n, decimals)
        rooted = largest_root_denominator(sizes.root_digits, ROOT_BASE)
        return (
            sizes.largest_of_all(point.F) <= largest_wide_denominator()
            and sizes.largest_square <= rooted
            and sizes.table.fits
            and max(sizes.scaled, n.bit_length() + point.F) <= MOST_SCALED_BITS
        )


def _twos(sizes: _Sizes) -> list[int]:
    """2^(K - k), at least 1."""
    return [1 << max(0, sizes.K - k) for k in range(sizes.table.entries)]
