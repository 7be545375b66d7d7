"""The AUROC's limits by Newcombe's method 5: the score interval of area and class counts.

Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part
2, Statistics in Medicine 25:559-573 (2006), which R's auRoc computes as well. With A the AUROC,
P·N the pairs, n the samples and v = θ·(1 - θ) the limits are the two solutions θ of

    (A - θ)² = z²·V(θ),    V(θ) = v·(1 + (n/2 - 1)·((1 - θ)/(2 - θ) + θ/(1 + θ))) / (P·N),

the variance of Hanley and McNeil for exponential scores, with half the samples in the place of
either class. It is taken at the limit and not at A, so that the interval has a width where A is 0
or 1, stays between 0 and 1, and is the same from the other end: the upper limit of A is 1 less the
lower limit of 1 - A. The bracket is (n + 2 + 2·(n - 1)·v) / (2·(2 + v)), so that with the whole
number W = 2·A·P·N, up to the lower limit and nowhere else below A,

    G(θ) = (W - 2·P·N·θ)²·(2 + v) - 2·z²·P·N·v·(n + 2 + 2·(n - 1)·v) >= 0.

G has the degree 4 in θ, and its coefficients are sums of W², W·P·N, (P·N)² and P·N with public
factors. So both limits are found digit by digit (`ppaurora.protocols.arithmetic.root_search`).

Below A the left side of the equation over V falls as θ grows, so that G changes its sign once: its
logarithm has the slope -2/(A - θ) - V'/V, and where θ > 1/2, -V'/V is at most 2·(2·θ - 1)/v, less
than 2/(1 - θ).

How sure that is: nothing is rounded but z². The AUROC is always correctly rounded. A limit can be
wrong by one unit of its last decimal only if the exact one lies within 10^-(d + 8) of a rounding
boundary, d being the released decimals.

Nobody learns anything. 17 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    inner_product,
    is_zero,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.normal import precise_square, scaled_quantile
from ppaurora.protocols.arithmetic.root_search import (
    Search,
    lowest_roots,
    lowest_roots_cost,
    search_fits,
)
from ppaurora.protocols.ranking.area_limits import GUARD_DIGITS, AreaLimits
from ppaurora.protocols.ranking.curve import Curve, PooledCurve
from ppaurora.protocols.ranking.delong import area

DEGREE, LIMITS = 4, 2
SQUARES = ((0, 0), (0, 1), (1, 1))
CLEAR_DIGITS = 60


@dataclass(frozen=True, slots=True)
class ScoreLimits(AreaLimits):
    """Newcombe's score limits, of a sorted list or a histogram.

    `shared_total` if the number of samples is taken as P + N, which is shared.
    """

    shared_total: bool = False

    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        won, pairs = _won(party, data), data.PN
        total = [data.P + data.N] if self.shared_total else []
        wide = widen(party, concatenate([won, pairs, *total]))
        W, M, S = wide[:1], wide[1:2], wide[2:]
        bound = largest_pairs(data.n)
        value, limits, none = side_by_side(
            party,
            [
                lambda own: wide_divide(own, W, M * 2, digits=decimals, bound=bound),
                lambda own: lowest_roots(
                    own,
                    self._search(own, W, M, S if self.shared_total else data.n, decimals),
                    decimals=decimals,
                ),
                lambda own: is_zero(own, pairs),
            ],
        )
        # without a pair both are found to be 0
        scale, nothing = 10**decimals, undefined(decimals)
        lower = limits[:1] + none * nothing
        upper = scale - limits[1:] + none * (nothing - scale)
        released: Shared = concatenate([value, lower, upper])
        return released

    def _search(
        self, party: Party, W: WideShared, M: WideShared, n: WideShared | int, decimals: int
    ) -> Search:
        W, M = concatenate_wide([W, M * 2 - W]), concatenate_wide([M, M])
        if isinstance(n, int):
            WW, WM, MM = wide_products(party, [W, M], SQUARES)
            nM = M * n
        else:
            WW, WM, MM, nM = wide_products(party, [W, M, n.repeat(2)], [*SQUARES, (1, 2)])
        T, Z = self._squared(decimals)
        # (W - 2·M·θ)²·(2 + θ - θ²)
        first = [WW * 2, WW - WM * 8, MM * 8 - WM * 4 - WW, (WM + MM) * 4, MM * -4]
        # v·(n + 2 + 2·(n - 1)·v), times P·N
        second = [M * 0, nM + M * 2, nM - M * 4, (M - nM) * 4, (nM - M) * 2]
        G = [one * T - other * (2 * Z) for one, other in zip(first, second, strict=True)]
        return Search(G, [W, M * -2])

    def cost(self, n: int, decimals: int) -> Cost:
        more = int(self.shared_total)
        found = wide_products.cost(factors=2 + more, pairs=3 + more).of(2)
        found += lowest_roots_cost(LIMITS, degree=DEGREE, decimals=decimals)
        value = wide_divide.cost(digits=decimals, bound=largest_pairs(n)).of(1)
        return (
            inner_product.cost().of(n)
            + widen.cost().of(2 + more)
            + (value | found | is_zero.cost().of(1))
        )

    def plaintext(self, data: PooledCurve) -> Sequence[Fraction] | None:
        if not data.P * data.N:
            return None
        A = area(data)
        return [A, *self.around(A, data.P, data.N)]

    def around(self, A: Fraction, P: int, N: int) -> list[Fraction]:
        """The limits of an area, of so many samples of either class, to 60 decimals."""
        scale = 10**CLEAR_DIGITS
        z_squared = Fraction(scaled_quantile(self.tail, CLEAR_DIGITS), scale) ** 2
        spread = Fraction(P + N, 2) - 1

        def beyond(θ: Fraction) -> bool:
            model = 1 + spread * ((1 - θ) / (2 - θ) + θ / (1 + θ))
            return (A - θ) ** 2 > z_squared * θ * (1 - θ) * model / (P * N)

        limits = []
        for outside in (0, scale):
            inside = int(A * scale)
            while abs(outside - inside) > 1:
                middle = (outside + inside) // 2
                if beyond(Fraction(middle, scale)):
                    outside = middle
                else:
                    inside = middle
            limits.append(Fraction(outside, scale))
        return limits

    def fits(self, n: int, decimals: int) -> bool:
        fits = largest_pairs(n) <= largest_wide_denominator() and n < 1 << 31
        # θ lies between 0 and 1.1, where |G'| is at most
        T, Z = self._squared(decimals)
        M = max(1, n * n // 4)
        steepest = 26 * T * M * M + 6 * Z * M * n
        return fits and search_fits(steepest, degree=DEGREE, decimals=decimals, numbers=LIMITS)

    def _squared(self, decimals: int) -> tuple[int, int]:
        """T and T·z², to eight digits more than are released."""
        return precise_square(self.tail, decimals + GUARD_DIGITS)


def _won(party: Party, data: Curve) -> Shared:
    """W, twice the pairs that a positive wins, ties counted half. One hop."""
    pieces = data.pieces
    return inner_product(party, pieces.q, pieces.T1 + pieces.T0)


def largest_pairs(n: int) -> int:
    """2·P·N of n samples is at most this."""
    return max(1, n * n // 2)
