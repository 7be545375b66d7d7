"""Values of binned scores, between bounds for the scores themselves: what they have in common.

The value is rounded half up; the lower bound is rounded down and the upper one up, so that both
still hold. With one = 10^d, this is a rounding down:

    floor(one·x) = round_half_up(one·x - 1/2),

and the upper bound is released as what is missing to 1, rounded down as well. The division is in
256 bits, five hops for every two decimals; nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, undefined, wide_divide
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.values import Released
from ppaurora.protocols.statistics.one_interval import OneInterval


class UnbinnedBounds(OneInterval[Binned, PooledBins]):
    """The value, the lower bound, and how far the upper bound lies below 1."""

    __slots__ = ()

    without_width: ClassVar[str] = ""
    """Bounds that meet are no fault: the value is certain."""
    pipeline: ClassVar[type[Histogram]] = Histogram

    @abstractmethod
    def largest(self, n: int, decimals: int) -> int:
        """The common denominator of the three is at most this for n samples."""

    def rounded(
        self, party: Party, numbers: Sequence[WideShared], whole: WideShared, n: int, decimals: int
    ) -> Shared:
        """The released words of the value, the lower bound, and what the upper one lacks to 1.

        They are given as numerators over the same whole.
        """
        one = 10**decimals
        value, *bounds = numbers
        # one·N/D - 1/2 = (2·one·N - D)/2D
        N = concatenate_wide([value * (2 * one), *(side * (2 * one) - whole for side in bounds)])
        D = (whole * (2 * one)).repeat(3)
        bound = self._largest_scaled(n, decimals)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def rounded_cost(self, decimals: int) -> Cost:
        """The cost of `rounded`."""
        return wide_divide.cost(digits=decimals).of(3)

    def _largest_scaled(self, n: int, decimals: int) -> int:
        scaled: int = 2 * 10**decimals * self.largest(n, decimals)
        return max(1, scaled)

    def released(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, below_one = words
        missing: int = undefined(decimals)
        upper = missing if below_one == missing else 10**decimals - below_one
        return super().released((value, lower, upper), decimals)

    def holds(self, n: int, decimals: int) -> bool:
        return self._largest_scaled(n, decimals) <= largest_wide_denominator()
