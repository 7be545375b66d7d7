"""The AUROC's limits on the logit scale, which stay between 0 and 1 by themselves.

[ROC-GLM, Eq. 3, erratum 1]: as `ppaurora.protocols.ranking.logit_scale`, with t = e^(-c),

    lower = won·t / (won·t + lost)      upper = won / (won + lost·t).

How sure that is: the released AUROC is always correctly rounded. A limit can be wrong by one unit
of its last decimal only if the exact one lies within 10^-(d + 8) of a rounding boundary, d being
the released decimals, at most 8.

Nobody learns anything. 66 hops for four decimals. A perfect separation of the classes gives the
interval from 1 to 1, and the worst one that from 0 to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide, wide_products
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.ranking.area_limits import GUARD_DIGITS, DelongLimits
from ppaurora.protocols.ranking.curve import Curve
from ppaurora.protocols.ranking.logit_scale import LogitScale
from ppaurora.protocols.ranking.placements import Placed

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
        won, lost, one = odds.won, odds.lost, scale.one
        won_t, lost_t = wide_products(party, [won, lost, odds.t], [(0, 2), (1, 2)])
        N = concatenate_wide([won, won_t, won * one])
        D = concatenate_wide([won + lost, won_t + lost * one, won * one + lost_t])
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

    def holds(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        if decimals > MOST_DECIMALS:
            return False
        fits = self._largest(n, decimals) <= largest_wide_denominator()
        return fits and self._scale(decimals).holds(n)

    def _largest(self, n: int, decimals: int) -> int:
        """(won + lost)·one of n samples is at most this."""
        return max(1, n**2 // 2) * self._scale(decimals).one
