"""The mean AUROC over the folds of a cross-validation, with the interval of cross-validated AUC.

[Folds, erratum 5], [LeDell], as cvAUC's `ci.cvAUC`. An AUROC moves by its samples' influences; in
fold v, with θ_v its AUROC and ties counted half,

    a positive's    (n/P)·(share of the fold's negatives that score lower - θ_v)
    a negative's    (n/N)·(share of the fold's positives that score higher - θ_v)

and SE² = (1/(n·K))·Σ_v (mean squared influence in fold v), with n, P and N over the K folds that
count. By the sums W, A2 and B2 of `ppaurora.protocols.ranking.delong`, taken in each fold,

    SE² = (n/K)·Σ_v q_v,    q_v = [N²·P_v·(P_v·A2 - W²) + P²·N_v·(N_v·B2 - W²)] / D_v,
                            D_v = 4·n_v·(P·N)²·(P_v·N_v)².

q_v is at most 1 and is found to 2·e decimals and as many as n has, so that SE is off by less than
10^-e. SE itself may exceed 1 where a fold has few samples, so SE/n is what is taken the root of.

Of joined rows nobody knows how many are in a fold (`AurocOfJoinedFolds`): n_v = P_v + N_v and n
are shares, and the same program divides by them.

cvAUC counts tied pairs as lost in the influences, and half in the AUROC; without ties the two
agree. Nobody learns anything. 180 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_wide_denominator,
    multiply,
    wide_divide_to_wide,
    wide_multiply,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.area_limits import BASE, places
from ppaurora.protocols.ranking.delong import delong_fits, placed_sums, placed_sums_cost
from ppaurora.protocols.ranking.ranked import Folded, Pooled, Ranked
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.fold_mean import Estimates, FoldMean, Root
from ppaurora.protocols.statistics.statistic import Statistic

COUNTS = 7
"""Numbers of each fold that are widened."""


@dataclass(frozen=True, slots=True)
class AurocFolds(FoldMean):
    """The mean of the folds' AUROCs."""

    name: ClassVar[str] = "auroc_folds"
    short: ClassVar[str] = "Mean AUROC over folds"
    reference: ClassVar[str] = (
        "LeDell, Petersen and van der Laan, Electronic Journal of Statistics 2015"
    )
    title: ClassVar[str] = (
        "mean AUROC over the folds of a cross-validation, with the interval of its influences"
    )
    known_as: ClassVar[str] = "cvAUC ci.cvAUC"
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    undefined: ClassVar[str] = "a class is missing in a fold that has to count"
    least_folds: ClassVar[int] = 1
    joins: ClassVar[bool] = True

    def over_join(self) -> Statistic[Any, Any]:
        return AurocOfJoinedFolds(level=self.level, empty=self.empty)

    def most_each(self, folds: Sequence[Any]) -> list[int]:
        """The most samples that there are in each fold."""
        return [fold.n for fold in folds]

    def in_all(self, sizes: Sequence[int]) -> int:
        """The most samples in all, of folds with at most so many each."""
        return sum(sizes)

    def samples(self, found: _Moments, sizes: Sequence[int]) -> WideShared:
        """The number of samples of all folds that count."""
        return (found.u * [*sizes]).sum()

    def times_samples(
        self, party: Party, found: _Moments, bottom: WideShared, sizes: Sequence[int]
    ) -> WideShared:
        """These numbers, each times the number of samples of its fold."""
        return bottom * [*sizes]

    def _root_of(self, data: Folded, decimals: int) -> Root:
        return self.root(self.most_each(data.filled), decimals)

    def estimates(self, party: Party, data: Folded, decimals: int) -> Estimates:
        sizes, digits = self.most_each(data.filled), places(decimals)
        n = self.in_all(sizes)
        found = _moments(party, data.filled)
        top, bottom = _terms(party, found)
        bottom = self.times_samples(party, found, bottom, sizes) * 4
        # 0/1 in a fold that does not count
        missing = 1 - found.u
        values, terms = side_by_side(
            party,
            [
                lambda own: wide_divide_to_wide(
                    own,
                    found.won,
                    found.pairs * 2 + missing,
                    digits=digits,
                    base=BASE,
                    bound=_pairs_of(sizes),
                ),
                lambda own: wide_divide_to_wide(
                    own,
                    top,
                    bottom + missing,
                    digits=_term_digits(n, decimals),
                    base=BASE,
                    bound=_largest_term(n),
                ),
            ],
        )
        squared = wide_multiply(party, self.samples(found, sizes), terms.sum())
        whole = found.u.sum() * _whole(n, decimals)
        bound = self.root(sizes, decimals).bound
        return Estimates(values, found.u.low(), WideRatio(squared, whole, bound))

    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        m, digits = len(vectors), places(decimals)
        sums = reduce(or_, map(placed_sums_cost, vectors), Cost()) | is_zero.cost().of(m)
        counted = multiply.cost().of(2 * m) + widen.cost().of(COUNTS * m + 2)
        products = (
            wide_products.cost(factors=8, pairs=6).of(m)
            + wide_products.cost(factors=6, pairs=3).of(m)
            + wide_products.cost(factors=6, pairs=3).of(m)
        )
        values = wide_divide_to_wide.cost(digits=digits, base=BASE, bound=_pairs_of(vectors))
        terms = wide_divide_to_wide.cost(
            digits=_term_digits(self.in_all(vectors), decimals),
            base=BASE,
            bound=_largest_term(self.in_all(vectors)),
        )
        divided = values.of(m) | terms.of(m)
        return sums + counted + products + divided + wide_multiply.cost().of(1)

    def root(self, vectors: Sequence[int], decimals: int) -> Root:
        n, folds = max(1, self.in_all(vectors)), len(vectors)
        digits = places(decimals) + _places_of(n)
        return Root(n, digits, max(1, folds) * _whole(self.in_all(vectors), decimals))

    def exact(self, data: Pooled) -> Fraction | None:
        if not data.P * data.N:
            return None
        U2: int = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
        return Fraction(U2, 2 * data.P * data.N)

    def label_digits(self, decimals: int) -> int:
        # limits tell LeDell's error, which is another number for nearly every set of labels
        return decimals

    def squared_error(self, counted: Sequence[Pooled]) -> Fraction:
        n, P = sum(one.n for one in counted), sum(one.P for one in counted)
        squares = (self._mean_square(one, Fraction(P, n)) for one in counted)
        return sum(squares, Fraction(0)) / (len(counted) * n)

    def _mean_square(self, data: Pooled, share: Fraction) -> Fraction:
        """The mean squared influence of the samples of a fold, group of tied scores by group."""
        area, total = self.exact(data), Fraction(0)
        assert area is not None
        for s, t, i, j in data.steps:
            p, q = t - s, (j - i) - (t - s)
            lower = Fraction(2 * (data.N - (j - t)) + q, 2 * data.N)
            higher = Fraction(s + t, 2 * data.P)
            of_positive, of_negative = (lower - area) / share, (higher - area) / (1 - share)
            total += p * of_positive * of_positive + q * of_negative * of_negative
        return total / data.n

    def values_hold(self, n: int, decimals: int) -> bool:
        divided = max(_pairs_of([n]), _largest_term(n)) <= largest_wide_denominator(BASE)
        return delong_fits(n) and divided


@dataclass(frozen=True, slots=True)
class AurocOfJoinedFolds(AurocFolds):
    """The same mean over folds of joined rows, of which nobody knows how many are in each."""

    listed: ClassVar[bool] = False

    def most_each(self, folds: Sequence[Any]) -> list[int]:
        return [fold.bins for fold in folds]

    def in_all(self, sizes: Sequence[int]) -> int:
        # each fold has as many places as all together
        return max(sizes, default=0)

    def samples(self, found: _Moments, sizes: Sequence[int]) -> WideShared:
        of_positives, of_negatives = found.counted
        return of_positives + of_negatives

    def times_samples(
        self, party: Party, found: _Moments, bottom: WideShared, sizes: Sequence[int]
    ) -> WideShared:
        return wide_multiply(party, bottom, found.P + found.N)

    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        return AurocFolds.estimates_cost(self, vectors, decimals) + wide_multiply.cost().of(
            len(vectors)
        )


@dataclass(frozen=True, slots=True)
class _Moments:
    """P and N of all folds that count; A2, B2, W + P·N, P·N, P, N and u of each."""

    counted: tuple[WideShared, WideShared]
    A2: WideShared
    B2: WideShared
    won: WideShared
    pairs: WideShared
    P: WideShared
    N: WideShared
    u: WideShared


def _moments(party: Party, folds: Sequence[Ranked]) -> _Moments:
    m, pairs = len(folds), concatenate(fold.PN for fold in folds)
    P, N = concatenate(fold.P for fold in folds), concatenate(fold.N for fold in folds)
    programs: list[Callable[[Party], Shared]] = [partial(_sums, data=fold) for fold in folds]
    *sums, none = side_by_side(party, [*programs, lambda own: is_zero(own, pairs)])
    A2, B2, W = (concatenate(total[place : place + 1] for total in sums) for place in range(3))
    u = 1 - none
    counted = multiply(party, concatenate([u, u]), concatenate([P, N]))
    in_all = [counted[:m].sum(), counted[m:].sum()]
    wide = widen(party, concatenate([A2, B2, W + pairs, pairs, P, N, u, *in_all]))
    of_folds = (wide[place * m : (place + 1) * m] for place in range(COUNTS))
    return _Moments((wide[-2:-1], wide[-1:]), *of_folds)


def _sums(party: Party, *, data: Ranked) -> Shared:
    return concatenate(placed_sums(party, data))


def _terms(party: Party, found: _Moments) -> tuple[WideShared, WideShared]:
    """q_v before its division, without the factor 4·n_v."""
    P, N, m = found.P, found.N, len(found.P)
    all_P, all_N = (one.repeat(m) for one in found.counted)
    PA2, NB2, W2, pairs2, all_P2, all_N2 = wide_products(
        party,
        [P, found.A2, N, found.B2, found.won - found.pairs, found.pairs, all_P, all_N],
        [(0, 1), (2, 3), (4, 4), (5, 5), (6, 6), (7, 7)],
    )
    of_P, of_N, all_pairs2 = wide_products(
        party, [PA2 - W2, P, NB2 - W2, N, all_P2, all_N2], [(0, 1), (2, 3), (4, 5)]
    )
    top_P, top_N, bottom = wide_products(
        party, [of_P, all_N2, of_N, all_P2, all_pairs2, pairs2], [(0, 1), (2, 3), (4, 5)]
    )
    return top_P + top_N, bottom


def _pairs_of(sizes: Sequence[int]) -> int:
    """The largest 2·P_v·N_v, or 1."""
    return max([1, *(2 * most_pairs(n) for n in sizes)])


def _largest_term(n: int) -> int:
    """D_v of n samples in all is at most this: P·N and P_v·N_v are at most n²/4."""
    return max(1, n**9 // 64)


def _places_of(n: int) -> int:
    """The number of digits of n in base 100."""
    return -(-len(str(n)) // 2)


def _term_digits(n: int, decimals: int) -> int:
    return 2 * places(decimals) + _places_of(n)


def _whole(n: int, decimals: int) -> int:
    """The denominator of the sum of all q_v, times n²."""
    whole: int = BASE ** _term_digits(n, decimals) * n**2
    return whole
