"""Means over folds whose interval is made of how far the folds' values are apart.

[Thesis, section 4.3, "Cross-Validation Procedure"]: with θ_v the K values,

    SE² = (1/(K·(K - 1)))·Σ (θ_v - mean)² = [K·Σ θ_v² - (Σ θ_v)²] / (K²·(K - 1)).

The folds share what their models were made of, so the interval covers the true mean less often
than its level says [Thesis, section 4.4]; nothing better is known without a variance of θ_v itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_wide_denominator,
    wide_divide_to_wide,
    wide_multiply,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.folded import Folded
from ppaurora.protocols.ranking.plain_limits import BASE, places
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.statistics.fold_mean import Estimates, FoldMean, Root


@dataclass(frozen=True, slots=True)
class FoldDeviation(FoldMean):
    """The mean of the folds' values, with limits from their deviation."""

    least_folds: ClassVar[int] = 2

    @abstractmethod
    def ratio(self, party: Party, data: Ranked, decimals: int) -> WideRatio:
        """θ_v before its division; whatever it is where the fold does not count."""

    @abstractmethod
    def ratio_cost(self, n: int, decimals: int) -> Cost:
        """The cost of `ratio` for n samples."""

    @abstractmethod
    def bound(self, n: int, decimals: int) -> int:
        """The denominator of n samples is at most this."""

    def label_digits(self, decimals: int) -> int:
        return decimals

    @abstractmethod
    def counts(self, data: Ranked) -> Shared:
        """A number that is 0 if and only if the fold does not count."""

    def estimates(self, party: Party, data: Folded, decimals: int) -> Estimates:
        folds, digits = data.filled, places(decimals)
        one, m = BASE**digits, len(folds)
        numbers = concatenate(map(self.counts, folds))
        programs: list[Callable[[Party], WideShared]] = [
            partial(self._both, data=one, decimals=decimals) for one in folds
        ]
        *ratios, none = side_by_side(
            party, [*programs, lambda own: widen(own, is_zero(own, numbers))]
        )
        u = 1 - none
        N, D = wide_products(
            party,
            [
                concatenate_wide(ratio[:1] for ratio in ratios),
                concatenate_wide(ratio[1:] for ratio in ratios),
                u,
            ],
            [(0, 2), (1, 2)],
        )
        values = wide_divide_to_wide(
            party,
            N,
            D + none,
            digits=digits,
            base=BASE,
            bound=self._largest([one.n for one in folds], decimals),
        )
        K = u.sum()
        sums = concatenate_wide([values, values.sum(), K])
        squares = wide_multiply(party, sums, sums)
        of_values, of_sum, of_K = squares[:m].sum(), squares[m : m + 1], squares[m + 1 :]
        K_squares, whole = wide_products(party, [K, of_values, of_K, K - 1], [(0, 1), (2, 3)])
        bound = self.root([one.n for one in folds], decimals).bound
        return Estimates(values, u.low(), WideRatio(K_squares - of_sum, whole * one**2, bound))

    def _both(self, party: Party, *, data: Ranked, decimals: int) -> WideShared:
        ratio = self.ratio(party, data, decimals)
        return concatenate_wide([ratio.N, ratio.D])

    def _largest(self, sizes: Sequence[int], decimals: int) -> int:
        return max([1, *(self.bound(n, decimals) for n in sizes)])

    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        m, digits = len(vectors), places(decimals)
        ratios = reduce(or_, [self.ratio_cost(n, decimals) for n in vectors], Cost())
        counted = is_zero.cost().of(m) + widen.cost().of(m)
        values = wide_divide_to_wide.cost(
            digits=digits, base=BASE, bound=self._largest(vectors, decimals)
        )
        squares = wide_multiply.cost().of(m + 2) + wide_products.cost(factors=4, pairs=2).of(1)
        chosen = wide_products.cost(factors=3, pairs=2).of(m)
        return (ratios | counted) + chosen + values.of(m) + squares

    def root(self, vectors: Sequence[int], decimals: int) -> Root:
        digits = places(decimals)
        return Root(1, digits, max(1, len(vectors)) ** 3 * BASE ** (2 * digits))

    def squared_error(self, counted: Sequence[Pooled]) -> Fraction:
        values = [value for value in map(self.exact, counted) if value is not None]
        K = len(values)
        mean = sum(values, Fraction(0)) / K
        return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (K * (K - 1))

    def values_hold(self, n: int, decimals: int) -> bool:
        return self.ratio_holds(n, decimals) and (
            self._largest([n], decimals) <= largest_wide_denominator(BASE)
        )

    @abstractmethod
    def ratio_holds(self, n: int, decimals: int) -> bool:
        """Whether `ratio` holds n samples."""
