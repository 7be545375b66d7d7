"""The difference between two groups' AUROCs, with its interval and z.

As pROC's unpaired `roc.test(method = "delong")`: with the AUROCs A and A' of two groups that share
no sample, and the variances V and V' of `ppaurora.protocols.ranking.delong` [ROC-GLM, Eq. 2-3,
erratum 1],

    Δ = A - A',    SE² = V + V',    Δ ± z_level·SE, cut off at -1 and 1,    z = Δ/SE.

With w = 2·U and m = P·N of both groups, U the pairs that are in order,

    (1 + Δ)/2 = (w·m' - w'·m + 2·m·m') / 4·m·m'

is rounded as it is, so that the difference is always correctly rounded. For the limits and z it is
found to 2·e decimals, e being eight or nine more than the released ones, and so are V and V'. (As
one ratio V + V' would have n^12 in its denominator.) SE is off by less than 3·10^-e, so that a
limit can be wrong by one unit of its last decimal only if the exact one lies within 3·z_level·10^-e
of a rounding boundary; z, which has three decimals, only if it lies within 10^-e·(1 + |z|)/SE² of
one. Where SE is 0, z is 0 if Δ is, and without bound if not. To at most eight decimals.

pROC's z for unpaired curves is that of a t with Satterthwaite's degrees of freedom; p is here that
of the normal distribution, as for paired ones. Nobody learns anything. 123 hops for
four decimals, of which 60 are divisions and 30 a root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    wide_divide,
    wide_divide_to_wide,
    wide_is_negative,
    wide_multiply,
    wide_negative_times,
    wide_products,
    wide_root_to_wide,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.curve import Curve
from ppaurora.protocols.ranking.delong import (
    Delong,
    delong,
    delong_cost,
    delong_fits,
    largest_variance_denominator,
    placed,
)
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.between_groups import GroupDifference, compared
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.signed_difference import (
    Z_DIGITS,
    error_digits,
    of_words,
    signed_z,
    signed_z_cost,
    undefined_words,
    words_of,
)

WITHOUT_WIDTH = (
    "DeLong's standard error is 0 in both groups, as where the classes are separated, and z says "
    "nothing then; take auroc_ci of each group"
)


@dataclass(frozen=True, slots=True)
class AreasOfGroups(GroupDifference):
    """The difference, its limits and z, of sorted lists or histograms."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc_groups"
    short: ClassVar[str] = "Difference of AUROCs between groups"
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
    title: ClassVar[str] = (
        "difference between the AUROCs of two groups of samples, with its confidence interval and "
        "z by DeLong's method"
    )
    known_as: ClassVar[str] = 'pROC roc.test(method = "delong", paired = FALSE)'
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    undefined: ClassVar[str] = "a class has fewer than two samples in one of the groups"
    wide: ClassVar[bool] = False
    """True if the curve's sums are taken in 256 bits."""
    pairs: str = compared()
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of the difference."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        if None in data:
            return Shared.public(party.role, undefined_words(decimals))
        of_both = [_areas(one) for one in data]
        found = _difference(party, side_by_side(party, of_both), [one.n for one in data], decimals)
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: self._interval(own, found, decimals),
                    lambda own: _z(own, found),
                ],
            )
        )

    def _interval(self, party: Party, found: _Difference, decimals: int) -> Shared:
        """1 + Δ and 1 plus its limits."""
        unit, digits = found.unit, places(decimals)
        error = wide_root_to_wide(
            party,
            found.variance,
            WideShared.public(party.role, [unit]),
            digits=digits,
            base=BASE,
            bound=unit,
        )
        middle, half = found.middle * 2, error * self.limits.z(2 * digits)
        ends = concatenate_wide([middle - half, -middle - half + 2 * unit])
        _, beyond = wide_negative_times(party, ends, ends)
        inside = ends - beyond
        limits = concatenate_wide([inside[:1], -inside[1:] + 2 * unit])
        [limits] = wide_products(party, [limits, found.both.repeat(2)], [(0, 1)])
        whole = (found.both * (2 * unit)).repeat(2)
        N, D = concatenate_wide([found.N, limits]), concatenate_wide([found.D, whole]) * 5
        # (1 + x)/2 over 5, to one more digit than x is released with
        return wide_divide(party, N, D, digits=decimals + 1, bound=_largest(found.n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n, n], decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        if not all(vectors):
            return Cost()
        first, second = (delong_cost(n, wide=self.wide) for n in vectors)
        unit, digits = _unit(decimals), places(decimals)
        root = wide_root_to_wide.cost(digits=digits, base=BASE, bound=unit).of(1)
        ends = wide_negative_times.cost().of(2) + wide_products.cost(factors=2, pairs=1).of(2)
        interval = root + ends + wide_divide.cost(digits=decimals + 1).of(3)
        masked = wide_products.cost(factors=2, pairs=1).of(1)
        z = masked + wide_multiply.cost().of(1) + signed_z_cost(_largest_z(decimals))
        return (first | second) + _difference_cost(decimals) + (interval | z)

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        first, second = (None if one is None else placed(one) for one in data)
        if first is None or second is None:
            return undefined_words(decimals)
        variance = first.variance + second.variance
        return words_of(first.area - second.area, variance, self.limits, decimals)

    def words(self, decimals: int) -> int:
        return len(undefined_words(decimals))

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return of_words(self.text, words, decimals, self.undefined, WITHOUT_WIDTH)

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        divided = largest_variance_denominator(n) <= largest_wide_denominator(BASE)
        rounded = _largest(n, decimals) <= largest_wide_denominator()
        rooted = _unit(decimals) <= largest_root_denominator(places(decimals), BASE)
        compared = _largest_z(decimals) <= largest_root_denominator(Z_DIGITS)
        exact = divided and rounded and rooted and compared
        return n == 0 or ((self.wide or delong_fits(n)) and exact)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals and z, which with both groups' numbers of samples tell roughly "
            "how many samples the smaller class has in the two groups; and whether the metric is "
            f"undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        return error_digits(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with the numbers of samples the interval tells roughly the smaller "
            "class counts of the two groups",
        )


@dataclass(frozen=True, slots=True)
class AreasOfGroupsOfCells(AreasOfGroups):
    """The difference from cells, for any number of samples."""

    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    wide: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class AurocGroups(AreasOfGroups):
    """The difference from the sorted lists."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[AreasOfGroupsOfCells]] = AreasOfGroupsOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})


@dataclass(frozen=True, slots=True)
class _Difference:
    """(1 + Δ)/2 as the ratio N/D, and in units of 1/`unit` as `middle`; V + V' in those, too.

    `both` is 1 where both groups have two samples of each class, else 0; N, D and `variance` are 0
    then, and `middle` is anything between 0 and `unit`.
    """

    N: WideShared
    D: WideShared
    middle: WideShared
    variance: WideShared
    both: WideShared
    unit: int
    n: int


def _areas(data: Curve) -> Callable[[Party], Delong]:
    return lambda party: delong(party, data)


def _difference(
    party: Party, found: Sequence[Delong], sizes: Sequence[int], decimals: int
) -> _Difference:
    first, second = found
    own, other = sizes
    counts = concatenate_wide([first.is_few(own), second.is_few(other)])
    factors = [first.won, second.pairs, second.won, first.pairs]
    programs: list[Callable[[Party], list[WideShared]]] = [
        lambda one: [wide_is_negative(one, counts)],
        lambda one: wide_products(one, factors, [(0, 1), (2, 3), (1, 3)]),
    ]
    [few], [ahead, behind, pairs] = side_by_side(party, programs)
    [both] = wide_products(party, [1 - few[:1], 1 - few[1:]], [(0, 1)])
    N, D, unit = ahead - behind + pairs * 2, pairs * 4, _unit(decimals)
    digits, n = 2 * places(decimals), own + other
    middle, variances = side_by_side(
        party,
        [
            # D + 1 is a denominator where there is none
            lambda one: wide_divide_to_wide(
                one, N, D - both + 1, digits=digits, base=BASE, bound=_largest_pairs(n) + 1
            ),
            lambda one: wide_divide_to_wide(
                one,
                concatenate_wide([first.variance.N, second.variance.N]),
                concatenate_wide([first.variance.D, second.variance.D]) + few,
                digits=digits,
                base=BASE,
                bound=largest_variance_denominator(max(sizes)),
            ),
        ],
    )
    N, D, variance = wide_products(party, [N, D, variances.sum(), both], [(0, 3), (1, 3), (2, 3)])
    return _Difference(N, D, middle, variance, both, unit, n)


def _difference_cost(decimals: int) -> Cost:
    digits = 2 * places(decimals)
    division = wide_divide_to_wide.cost(digits=digits, base=BASE)
    first = wide_is_negative.cost().of(2) | wide_products.cost(factors=4, pairs=3).of(1)
    both = wide_products.cost(factors=2, pairs=1).of(1)
    last = wide_products.cost(factors=4, pairs=3).of(1)
    return first + both + (division.of(1) | division.of(2)) + last


def _z(party: Party, found: _Difference) -> Shared:
    """10^5 + 1000·z."""
    signed = found.middle * 2 - found.unit
    [signed] = wide_products(party, [signed, found.both], [(0, 1)])
    squared = wide_multiply(party, signed, signed)
    scaled = found.variance * (100**2 * found.unit)
    return signed_z(party, squared, scaled, signed, found.both - 1, _largest_z_of(found.unit))


def _unit(decimals: int) -> int:
    """10^2e."""
    unit: int = BASE ** (2 * places(decimals))
    return unit


def _largest_pairs(n: int) -> int:
    """4·m·m' of two groups of n samples in all is at most this, as m <= n²/4 of each."""
    return max(1, n**4 // 64)


def _largest(n: int, decimals: int) -> int:
    """The denominators of the difference and its limits are at most this."""
    return 5 * max(_largest_pairs(n), 2 * _unit(decimals))


def _largest_z_of(unit: int) -> int:
    """A bound of at least 1 on Δ² and on 100²·(V + V'), which is at most 100², in 1/unit²."""
    return 100**2 * unit**2


def _largest_z(decimals: int) -> int:
    return _largest_z_of(_unit(decimals))
