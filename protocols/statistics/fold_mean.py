"""Means over the folds of a cross-validation, with their intervals.

[Folds], [Thesis, 3.4]. With θ_v the value in fold v and K folds that count,

    mean = Σ θ_v / K,        mean ± z_level·SE, cut off at 0 and 1.

A fold in which θ_v is 0/0 does not count. `empty=undefined` makes the whole number undefined then,
`empty=skip` takes the mean over the others and releases how many were left out. The mean over
folds is not the value of all samples together: scores of different models are never compared.

Every θ_v is computed to e decimals, eight or nine more than are released, and stays shared. How
sure that is: a value can be wrong, by one unit of its last decimal, only if the exact one lies
within 10^-e below a rounding boundary; a limit only if the exact one lies within (1 + 2·z)·10^-e of
one.

`FoldDeviation` takes the interval from the deviation of the folds' values [Thesis, section 4.3,
"Cross-Validation Procedure"]: with θ_v the K values,

    SE² = (1/(K·(K - 1)))·Σ (θ_v - mean)² = [K·Σ θ_v² - (Σ θ_v)²] / (K²·(K - 1)).

z_level is that of the normal law, as printed, or of Student's t with K - 1 degrees of freedom, for
few folds. Where folds may be left out K is secret, and the quantile is read from a public table.

The folds share what their models were made of, so the interval covers the true mean less often
than its level says [Thesis, section 4.4]; nothing better is known without a variance of θ_v itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    is_zero,
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_multiply,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.limits import cut_limits, cut_limits_cost
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.arithmetic.student import scaled_student
from ppaurora.protocols.arithmetic.wide_table import WideTable
from ppaurora.protocols.pipelines.folds import Folds
from ppaurora.protocols.pipelines.pipeline import MOST_FOLDS, Pipeline
from ppaurora.protocols.ranking.area_limits import BASE, CLEAR_DIGITS, places, root_in_clear
from ppaurora.protocols.ranking.ranked import Folded, PooledFolds, Ranked
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.values import Interval, Released
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import choice, number
from ppaurora.protocols.statistics.statistic import Topic

UNDEFINED, SKIP = "undefined", "skip"
NORMAL, STUDENT = "normal", "t"


@dataclass(frozen=True, slots=True)
class Estimates:
    """The estimates of the folds with samples, still shared.

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


# without slots, so that a mean may be of thresholds as well, which have fields of their own
@dataclass(frozen=True)
class FoldMean(OneInterval[Folded, PooledFolds]):
    """The mean over the folds that count, its lower and its upper limit."""

    topic: ClassVar[Topic] = Topic.FOLDS
    pipeline: ClassVar[type[Pipeline[Any, Any]]] = Folds
    without_width: ClassVar[str] = (
        "the standard error over the folds is 0, as where all separate the classes; "
        "take auroc_ci of the samples of one fold"
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)
    empty: str = choice(
        "what a fold without a value does: makes the number undefined, or is left out, and how "
        "many were is released",
        UNDEFINED,
        (UNDEFINED, SKIP),
    )
    least_folds: ClassVar[int]
    """The least number of folds that must count for an interval."""

    # -- of each fold --------------------------------------------------------------------------

    @abstractmethod
    def estimates(self, party: Party, data: Folded, decimals: int) -> Estimates:
        """The values of the folds, and the squared standard error of their mean."""

    @abstractmethod
    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        """The cost of `estimates` for folds of so many samples."""

    @abstractmethod
    def root(self, vectors: Sequence[int], decimals: int) -> Root:
        """The square root that turns `estimates` into a standard error."""

    @abstractmethod
    def exact(self, data: Any) -> Fraction | None:
        """θ_v of a pooled fold; None where it does not count."""

    @abstractmethod
    def squared_error(self, counted: Sequence[Any]) -> Fraction:
        """SE² from the pooled folds that count."""

    @abstractmethod
    def values_hold(self, n: int, decimals: int) -> bool:
        """True if the arithmetic allows folds of up to n samples in all."""

    # -- of all --------------------------------------------------------------------------------

    @property
    def tail(self) -> Fraction:
        """The chance beyond either limit."""
        return (1 - self.level) / 2

    def quantile_of(self, counted: int, digits: int) -> int:
        """round(10^digits·z_level) where so many folds count."""
        return scaled_quantile(self.tail, digits)

    def _table(self, folds: int, digits: int) -> tuple[WideTable, list[int]] | None:
        """The quantiles by how many of the folds count; None where there is one for all."""
        if self.empty == UNDEFINED:
            return None
        found = [self.quantile_of(counted, digits) for counted in range(folds + 1)]
        return (WideTable(folds + 1, max(found).bit_length()), found) if len({*found}) > 1 else None

    def _needed(self, folds: int) -> int:
        """The number of folds that must count."""
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
        unit, root = BASE**digits, self._root_of(data, decimals)
        table = self._table(data.folds, 2 * digits)
        z = table[1][0] if table else self.quantile_of(data.folds, 2 * digits)
        middle = wide_divide_to_wide(
            party, S, K * unit, digits=digits, base=BASE, bound=data.folds * unit
        )
        error = wide_root_to_wide(
            party, squared, most, digits=root.digits, base=BASE, bound=root.bound
        )
        # both over 100^root.digits·10^e
        scale, half = BASE**root.digits, root.unit * z
        if table:
            shape, quantiles = table
            found = shape.read(party, K.low(), lambda: quantiles)
            beside = wide_multiply(party, error, found) * root.unit
        else:
            beside = error * half
        limits, whole = cut_limits(
            party,
            middle * scale,
            beside,
            K - 1,
            most=scale * unit,
            nothing=(undefined(digits, BASE) * scale, undefined(root.digits, BASE) * half),
        )
        # half a unit more for each θ_v: then no exact mean on a rounding boundary is rounded down
        N = concatenate_wide([S * 2 + K, limits])
        D = concatenate_wide([K * (2 * unit), whole])
        bound = max(2 * data.folds * unit, scale * unit)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def _root_of(self, data: Folded, decimals: int) -> Root:
        return self.root([fold.n for fold in data.filled], decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n], decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        digits, folds = places(decimals), len(vectors)
        filled = [n for n in vectors if n]
        root, scale = self.root(filled, decimals), BASE**digits
        enough = is_negative.cost().of(1) + widen.cost().of(2)
        sums = wide_products.cost(factors=5, pairs=4).of(1)
        middle = wide_divide_to_wide.cost(digits=digits, base=BASE, bound=folds * scale).of(1)
        error = wide_root_to_wide.cost(digits=root.digits, base=BASE, bound=root.bound).of(1)
        bound = max(2 * folds * scale, BASE**root.digits * scale)
        rounding = wide_divide.cost(digits=decimals, bound=bound).of(3)
        table = self._table(folds, 2 * digits)
        read = table[0].cost() + wide_multiply.cost().of(1) if table else Cost()
        mean = middle + error + read + cut_limits_cost() + rounding
        return self.estimates_cost(filled, decimals) + enough + sums + mean

    def plaintext_words(self, data: PooledFolds, decimals: int) -> Sequence[int]:
        found = [(self.exact(fold), fold) for fold in data.folds]
        counted = [one for value, one in found if value is not None]
        skipped = [len(data.folds) - len(counted)] if self.empty == SKIP else []
        if len(counted) < self._needed(len(data.folds)):
            return [*[undefined(decimals)] * 3, *skipped]
        mean = sum((value for value, _ in found if value is not None), Fraction(0)) / len(counted)
        z = Fraction(self.quantile_of(len(counted), CLEAR_DIGITS), 10**CLEAR_DIGITS)
        half = z * root_in_clear(self.squared_error(counted))
        limits = max(mean - half, Fraction(0)), min(mean + half, Fraction(1))
        return [*(half_up(10**decimals * number) for number in (mean, *limits)), *skipped]

    def words(self, decimals: int) -> int:
        return 3 + (self.empty == SKIP)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value = self.of_limits(words[:3], decimals)
        if self.empty == UNDEFINED or value.undefined:
            return value
        [skipped] = words[3:]
        if not isinstance(value, Interval) or not 0 <= skipped <= MOST_FOLDS:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return replace(value, skipped=skipped)

    def of_limits(self, words: Sequence[int], decimals: int) -> Released:
        """The value of the words of the mean and both limits."""
        return OneInterval.decode(self, words, decimals)

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        if not self.values_hold(n, decimals):
            return False
        # the most folds that there can be, however the samples are spread over them
        root = self.root([n, *[0] * (MOST_FOLDS - 1)], decimals)
        scale = BASE ** places(decimals)
        whole = max(2 * MOST_FOLDS * scale, BASE**root.digits * scale)
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


@dataclass(frozen=True)
class FoldDeviation(FoldMean):
    """The mean of the folds' values, with limits from their deviation."""

    least_folds: ClassVar[int] = 2
    quantile: str = choice(
        "by which law the limits are: the normal one, or Student's t with one degree of freedom "
        "fewer than folds, for few folds",
        NORMAL,
        (NORMAL, STUDENT),
    )

    def quantile_of(self, counted: int, digits: int) -> int:
        if self.quantile == NORMAL:
            return FoldMean.quantile_of(self, counted, digits)
        return scaled_student(max(1, counted - 1), self.tail, digits)

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
        # the mean, and the deviation by its limits
        return 2 * decimals

    @abstractmethod
    def counts(self, data: Ranked) -> Shared:
        """A number that is 0 if and only if the fold does not count."""

    def ratios(
        self, party: Party, folds: Sequence[Any], decimals: int
    ) -> tuple[WideShared, WideShared, WideShared]:
        """θ_v of these folds before its division, N and D, and 1 where a fold does not count.

        N and D of that are whatever they are.
        """
        numbers = concatenate(map(self.counts, folds))
        programs: list[Callable[[Party], WideShared]] = [
            partial(self._both, data=fold, decimals=decimals) for fold in folds
        ]
        *ratios, none = side_by_side(
            party, [*programs, lambda own: widen(own, is_zero(own, numbers))]
        )
        N = concatenate_wide(ratio[:1] for ratio in ratios)
        return N, concatenate_wide(ratio[1:] for ratio in ratios), none

    def ratios_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        """The cost of `ratios` for folds of so many places."""
        m = len(vectors)
        ratios = reduce(or_, [self.ratio_cost(n, decimals) for n in vectors], Cost())
        return ratios | (is_zero.cost().of(m) + widen.cost().of(m))

    def estimates(self, party: Party, data: Folded, decimals: int) -> Estimates:
        folds, digits = data.filled, places(decimals)
        scale, m = BASE**digits, len(folds)
        ratios, of_ratios, none = self.ratios(party, folds, decimals)
        u = 1 - none
        N, D = wide_products(party, [ratios, of_ratios, u], [(0, 2), (1, 2)])
        values = wide_divide_to_wide(
            party,
            N,
            D + none,
            digits=digits,
            base=BASE,
            bound=self._largest([fold.n for fold in folds], decimals),
        )
        K = u.sum()
        sums = concatenate_wide([values, values.sum(), K])
        squares = wide_multiply(party, sums, sums)
        of_values, of_sum, of_K = squares[:m].sum(), squares[m : m + 1], squares[m + 1 :]
        K_squares, whole = wide_products(party, [K, of_values, of_K, K - 1], [(0, 1), (2, 3)])
        bound = self.root([fold.n for fold in folds], decimals).bound
        return Estimates(values, u.low(), WideRatio(K_squares - of_sum, whole * scale**2, bound))

    def _both(self, party: Party, *, data: Ranked, decimals: int) -> WideShared:
        ratio = self.ratio(party, data, decimals)
        return concatenate_wide([ratio.N, ratio.D])

    def _largest(self, sizes: Sequence[int], decimals: int) -> int:
        return max([1, *(self.bound(n, decimals) for n in sizes)])

    def estimates_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        m, digits = len(vectors), places(decimals)
        values = wide_divide_to_wide.cost(
            digits=digits, base=BASE, bound=self._largest(vectors, decimals)
        )
        squares = wide_multiply.cost().of(m + 2) + wide_products.cost(factors=4, pairs=2).of(1)
        chosen = wide_products.cost(factors=3, pairs=2).of(m)
        return self.ratios_cost(vectors, decimals) + chosen + values.of(m) + squares

    def root(self, vectors: Sequence[int], decimals: int) -> Root:
        digits = places(decimals)
        return Root(1, digits, max(1, len(vectors)) ** 3 * BASE ** (2 * digits))

    def squared_error(self, counted: Sequence[Any]) -> Fraction:
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
        """True if `ratio` allows n samples."""
