"""The AUROC's limits on the logit scale, which stay between 0 and 1 by themselves.

[ROC-GLM, Eq. 3, erratum 1]: with t = e^(-c) as below,

    lower = won·t / (won·t + lost)      upper = won / (won + lost·t).

How sure that is: the released AUROC is always correctly rounded. A limit can be wrong by one unit
of its last decimal only if the exact one lies within 10^-(d + 8) of a rounding boundary, d being
the released decimals, at most 8.

Nobody learns anything. 66 hops for four decimals. A perfect separation of the classes gives the
interval from 1 to 1, and the worst one that from 0 to 0.

The odds on the logit scale (`LogitScale`). With θ = won/(won + lost) the AUROC,
won + lost = 2·P·N, the limits are

    logit θ ± c,    c = z·SE/(θ·(1 - θ)),

so that the lower one has the odds won·t : lost and the upper one won : lost·t, with t = e^(-c).
With V and 4·(P·N)²·Q the two parts of DeLong's variance,

    c = 3·z·x,    x² = 4·V·(P·N)² / (9·Q·(won·lost)²).

Why x <= 1. Let r_i be the share of its pairs that positive i loses, with mean δ = 1 - θ <= 1/2. If
P·δ < 1, then Σ r_i² <= (P·δ)², and the positives' part of SE² is at most δ². Else Σ r_i² <= P·δ,
and that part is at most δ·(1 - δ)/(P - 1), which is δ²·(1 - δ)² times 1/((P - 1)·δ·(1 - δ)), at
most P²/(P - 1)² as δ >= 1/P. So it never exceeds 4·δ²·(1 - δ)². The same holds for the negatives'
part, and for θ in place of δ if δ > 1/2. Hence SE² <= 8·θ²·(1 - θ)² and x² <= 8/9.

Where the classes are separated, x is 0/0. The root is then a public constant, t some positive
number, and one part of the odds is 0: both limits are the AUROC. Where a class has fewer than two
samples, both parts of the odds are made 0.

x is rounded and t has an error, as `ppaurora.protocols.arithmetic.exponential` says, of at most
4·10^-digits in its logarithm. A limit changes with it by at most a quarter of that. Nobody learns
anything. 20 hops and 5 for each six bits of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    largest_root_denominator,
    largest_wide_denominator,
    multiply,
    wide_divide,
    wide_products,
    wide_root,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.exponential import Exponential
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.ranking.area_limits import GUARD_DIGITS, DelongLimits
from ppaurora.protocols.ranking.curve import Curve
from ppaurora.protocols.ranking.delong import Delong, Placed, delong, delong_cost, delong_fits

ROOT_BITS = 6
ROOT_BASE = 1 << ROOT_BITS
QUANTILE_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Odds:
    """won : lost, both 0 if and only if a class has fewer than two samples; t in units of `one`.

    `few` is 1 if that is so, and 0 otherwise.
    """

    won: WideShared
    lost: WideShared
    t: WideShared
    few: Shared


@dataclass(frozen=True, slots=True)
class LogitScale:
    """The scale with z the normal quantile of `tail`; limits are within 10^-digits of the exact."""

    tail: Fraction
    digits: int

    @property
    def exponential(self) -> Exponential:
        """t of x, whose bits are found six at a time."""
        z = Fraction(scaled_quantile(self.tail, QUANTILE_DIGITS), 10**QUANTILE_DIGITS)
        return Exponential.fitting(3 * z, self.digits, ROOT_BITS)

    @property
    def one(self) -> int:
        """The integer that represents t = 1."""
        return self.exponential.one

    def odds(self, party: Party, data: Curve) -> Odds:
        """won, lost and t of the sorted list with its groups and positions."""
        found = delong(party, data)
        [x], [won, lost, few] = side_by_side(
            party,
            [
                lambda own: [self._x(own, found, data.n)],
                lambda own: _parts(own, found, data.n),
            ],
        )
        t = self.exponential.of(party, x)
        wide = widen(party, concatenate([won, lost]))
        return Odds(wide[:1], wide[1:], t, few)

    def cost(self, n: int) -> Cost:
        """The cost of `odds` for n samples."""
        root = wide_root.cost(digits=self._root_digits, base=ROOT_BASE).of(1)
        first = wide_products.cost(factors=4, pairs=3).of(1)
        x = first + wide_products.cost(factors=4, pairs=2).of(1) + root
        parts = is_negative.cost().of(1) + multiply.cost().of(2)
        return delong_cost(n) + (x | parts) + self.exponential.cost(1) + widen.cost().of(2)

    def fits(self, n: int) -> bool:
        """True if the arithmetic allows n samples; monotone in n."""
        rooted = largest_root_denominator(self._root_digits, ROOT_BASE)
        return delong_fits(n) and _largest_denominator(n) <= rooted

    @property
    def _root_digits(self) -> int:
        return self.exponential.bits // ROOT_BITS

    def _x(self, party: Party, found: Delong, n: int) -> Shared:
        won, pairs = found.won, found.pairs
        lost = pairs * 2 - won
        # area.N is won·Q
        both, both_Q, square = wide_products(
            party, [won, lost, found.area.N, pairs], [(0, 1), (2, 1), (3, 3)]
        )
        N, D = wide_products(party, [found.variance.N, square, both_Q, both], [(0, 1), (2, 3)])
        return wide_root(
            party,
            N * 4,
            D * 9,
            digits=self._root_digits,
            bound=_largest_denominator(n),
            base=ROOT_BASE,
        )


def _parts(party: Party, found: Delong, n: int) -> list[Shared]:
    """won and lost, 0 where a class has too few samples, and whether one has."""
    few = is_negative(party, found.is_few(n).low())
    won, pairs = found.won.low(), found.pairs.low()
    kept = multiply(party, concatenate([won, pairs * 2 - won]), (1 - few).repeat(2))
    return [kept[:1], kept[1:], few]


def _largest_denominator(n: int) -> int:
    """Bound of the denominator 9·Q·(won·lost)²: won·lost <= (P·N)², Q and P·N <= n²/4."""
    return max(1, 9 * n**10 // 1024)


MOST_DECIMALS = 8
CLEAR_DIGITS = 80


@dataclass(frozen=True, slots=True)
class LogitLimits(DelongLimits):
    """logit AUROC ± z·SE/(AUROC·(1 - AUROC)), back on the plain scale."""

    def _scale(self, decimals: int) -> LogitScale:
        return LogitScale(self.tail, decimals + GUARD_DIGITS)

    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        scale = self._scale(decimals)
        odds = scale.odds(party, data)
        won, lost, unit = odds.won, odds.lost, scale.one
        won_t, lost_t = wide_products(party, [won, lost, odds.t], [(0, 2), (1, 2)])
        N = concatenate_wide([won, won_t, won * unit])
        D = concatenate_wide([won + lost, won_t + lost * unit, won * unit + lost_t])
        return wide_divide(party, N, D, digits=decimals, bound=self._largest(data.n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        products = wide_products.cost(factors=3, pairs=2).of(1)
        division = wide_divide.cost(digits=decimals, bound=self._largest(n, decimals)).of(3)
        return self._scale(decimals).cost(n) + products + division

    def beside(self, found: Placed) -> Sequence[Fraction]:
        area = found.area
        if area in (0, 1):
            return area, area
        with localcontext() as context:
            context.prec = CLEAR_DIGITS
            θ = Decimal(area.numerator) / area.denominator
            SE = (Decimal(found.variance.numerator) / found.variance.denominator).sqrt()
            z = Decimal(scaled_quantile(self.tail, CLEAR_DIGITS)).scaleb(-CLEAR_DIGITS)
            middle, c = (θ / (1 - θ)).ln(), z * SE / (θ * (1 - θ))
            limits = [1 / (1 + (-at).exp()) for at in (middle - c, middle + c)]
        # without an error the limits are the AUROC itself
        return [Fraction(limit) for limit in limits] if SE else [area, area]

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        if decimals > MOST_DECIMALS:
            return False
        fits = self._largest(n, decimals) <= largest_wide_denominator()
        return fits and self._scale(decimals).fits(n)

    def _largest(self, n: int, decimals: int) -> int:
        """(won + lost)·one of n samples is at most this."""
        return max(1, n**2 // 2) * self._scale(decimals).one
