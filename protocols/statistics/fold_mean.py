"""Means over the folds of a cross-validation, with their intervals: what they have in common.

[Folds], [Thesis, 3.4]. With θ_v the value in fold v and K folds that count,

    mean = Σ θ_v / K,        mean ± z_level·SE, cut off at 0 and 1.

A fold in which θ_v is 0/0 does not count. `empty=undefined` makes the whole number undefined then,
`empty=skip` takes the mean over the others and releases how many were left out. The mean over
folds is not the value of all samples together: scores of different models are never compared.

Every θ_v is computed to e decimals, eight or nine more than are released, and stays shared. How
sure that is: a value can be wrong, by one unit of its last decimal, only if the exact one lies
within 10^-e below a rounding boundary; a limit only if the exact one lies within (1 + 2·z)·10^-e of
one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.limits import cut_limits, cut_limits_cost
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.folds import Folds
from ppaurora.protocols.pipelines.pipeline import MOST_FOLDS
from ppaurora.protocols.ranking.folded import Folded, PooledFolds
from ppaurora.protocols.ranking.plain_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.values import Interval, Released
from ppaurora.protocols.statistics.one_interval import OneInterval
from ppaurora.protocols.statistics.parameters import number, word

UNDEFINED, SKIP = "undefined", "skip"


@dataclass(frozen=True, slots=True)
class Estimates:
    """What the folds with samples give, still shared.

    `values` are θ_v to e decimals, 0 where `counted` is 0. `squared` is (SE / unit)², at most 1.
    """

    values: WideShared
    counted: Shared
    squared: WideRatio


@dataclass(frozen=True, slots=True)
class Root:
    """The root of (SE / unit)², to so many places in base 100, of a denominator of at most this."""

    unit: int
    digits: int
    bound: int


@dataclass(frozen=True, slots=True)
class FoldMean(OneInterval[Folded, PooledFolds]):
    """The mean over the folds that count, its lower and its upper limit."""

    pipeline: ClassVar[type[Folds]] = Folds
    without_width: ClassVar[str] = (
        "the standard error over the folds is 0, as where all separate the classes; "
        "take auroc_ci of the samples of one fold"
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)
    empty: str = word(
        "what a fold without a value does: makes the number undefined, or is left out, and how "
        "many were is released",
        UNDEFINED,
        (UNDEFINED, SKIP),
    )
    least_folds: ClassVar[int]
    """So many folds must count for an interval."""

    # -- of each fold --------------------------------------------------------------------------

    @abstractmethod
    def estimates(self, party: Party, data: Folded, decimals: int) -> Estimates:
        """The values of the folds, and the squared standard error of their mean."""

    @abstractmethod
    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        """The cost of `estimates` for folds of so many samples."""

    @abstractmethod
    def root(self, vectors: Sequence[int], decimals: int) -> Root:
        """How the standard error is taken from `estimates`."""

    @abstractmethod
    def exact(self, data: Pooled) -> Fraction | None:
        """θ_v of a pooled fold; None where it does not count."""

    @abstractmethod
    def squared_error(self, counted: Sequence[Pooled]) -> Fraction:
        """SE² from the pooled folds that count."""

    @abstractmethod
    def values_hold(self, n: int, decimals: int) -> bool:
        """Whether the values of folds of up to n samples in all can be computed."""

    # -- of all --------------------------------------------------------------------------------

    @property
    def limits(self) -> PlainLimits:
        """What lies z_level·SE to either side of the mean."""
        return PlainLimits((1 - self.level) / 2)

    def _needed(self, folds: int) -> int:
        """How many of the folds must count."""
        return self.least_folds if self.empty == SKIP else folds

    def private(self, party: Party, data: Folded, decimals: int) -> Shared:
        found = self.estimates(party, data, decimals)
        counted = found.counted.sum()
        enough = 1 - is_negative(party, counted - self._needed(data.folds))
        wide = widen(party, concatenate([enough, counted]))
        mean = [found.values.sum(), wide[1:], found.squared.N, found.squared.D]
        sums = wide_products(party, [*mean, wide[:1]], [(place, 4) for place in range(4)])
        rounded = self._rounded(party, data, sums, decimals)
        if self.empty == UNDEFINED:
            return rounded
        return concatenate([rounded, data.folds - counted])

    def _rounded(
        self, party: Party, data: Folded, sums: Sequence[WideShared], decimals: int
    ) -> Shared:
        """Mean and limits of Σ θ_v, K and (SE / unit)², all of them 0 where too few folds count."""
        S, K, squared, most = sums
        digits = places(decimals)
        one, z, root = BASE**digits, self.limits.z(2 * digits), self._root_of(data, decimals)
        middle = wide_divide_to_wide(
            party, S, K * one, digits=digits, base=BASE, bound=data.folds * one
        )
        error = wide_root_to_wide(
            party, squared, most, digits=root.digits, base=BASE, bound=root.bound
        )
        # both over 100^root.digits·10^e
        scale, half = BASE**root.digits, root.unit * z
        limits, whole = cut_limits(
            party,
            middle * scale,
            error * half,
            K - 1,
            most=scale * one,
            nothing=(undefined(digits, BASE) * scale, undefined(root.digits, BASE) * half),
        )
        # half a unit more for each θ_v: then no exact mean on a rounding boundary is rounded down
        N = concatenate_wide([S * 2 + K, limits])
        D = concatenate_wide([K * (2 * one), whole])
        bound = max(2 * data.folds * one, scale * one)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def _root_of(self, data: Folded, decimals: int) -> Root:
        return self.root([one.n for one in data.filled], decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n], decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        digits, folds = places(decimals), len(vectors)
        filled = [n for n in vectors if n]
        root, one = self.root(filled, decimals), BASE**digits
        enough = is_negative.cost().of(1) + widen.cost().of(2)
        sums = wide_products.cost(factors=5, pairs=4).of(1)
        middle = wide_divide_to_wide.cost(digits=digits, base=BASE, bound=folds * one).of(1)
        error = wide_root_to_wide.cost(digits=root.digits, base=BASE, bound=root.bound).of(1)
        bound = max(2 * folds * one, BASE**root.digits * one)
        rounding = wide_divide.cost(digits=decimals, bound=bound).of(3)
        mean = middle + error + cut_limits_cost() + rounding
        return self.estimates_cost(filled, decimals) + enough + sums + mean

    def in_clear(self, data: PooledFolds, decimals: int) -> Sequence[int]:
        found = [(self.exact(one), one) for one in data.folds]
        counted = [one for value, one in found if value is not None]
        skipped = [len(data.folds) - len(counted)] if self.empty == SKIP else []
        if len(counted) < self._needed(len(data.folds)):
            return [*[undefined(decimals)] * 3, *skipped]
        mean = sum((value for value, _ in found if value is not None), Fraction(0)) / len(counted)
        half = self.limits.half(self.squared_error(counted))
        limits = max(mean - half, Fraction(0)), min(mean + half, Fraction(1))
        return [*(half_up(10**decimals * one) for one in (mean, *limits)), *skipped]

    def words(self, decimals: int) -> int:
        return 3 + (self.empty == SKIP)

    def released(self, words: Sequence[int], decimals: int) -> Released:
        value = OneInterval.released(self, words[:3], decimals)
        if self.empty == UNDEFINED or value.undefined:
            return value
        [skipped] = words[3:]
        if not isinstance(value, Interval) or not 0 <= skipped <= MOST_FOLDS:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return replace(value, skipped=skipped)

    def holds(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        if not self.values_hold(n, decimals):
            return False
        # the most folds that there can be, however the samples are spread over them
        root = self.root([n, *[0] * (MOST_FOLDS - 1)], decimals)
        one = BASE ** places(decimals)
        whole = max(2 * MOST_FOLDS * one, BASE**root.digits * one)
        rooted = root.bound <= largest_root_denominator(root.digits, BASE)
        return rooted and whole <= largest_wide_denominator()

    def leaks(self, decimals: int) -> str:
        skipped = ", how many folds were left out" if self.empty == SKIP else ""
        return (
            "the released decimals, of which mean and limits tell how far the folds' values are "
            f"apart{skipped}, and whether the metric is undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
