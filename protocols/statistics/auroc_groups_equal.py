"""The test that the AUROCs of all groups of samples are equal: chi-square and p.

The groups share no sample, so their AUROCs A_g are independent, and with DeLong's variances V_g of
`ppaurora.protocols.ranking.delong` [ROC-GLM, Eq. 2-3, erratum 1] and the weights w_g = 1/V_g

    χ² = Σ w·A² - (Σ w·A)²/Σ w = Σ w·(A - Σ w·A/Σ w)²,    with G - 1 degrees of freedom,

which is (L·A)ᵀ·(L·S·Lᵀ)⁻¹·(L·A) of DeLong, DeLong and Clarke-Pearson (1988), Eq. 5, for the
diagonal S of independent groups, Cochran's Q of a meta-analysis, and z² of `auroc_groups` for two.

On shares: A is found to 2^-48, V to 2^-64, and 2^-36/V to 2^-64; then χ² is one ratio,

    2^36·(Σ w·Σ w·A² - (Σ w·A)²) / Σ w,

rounded to three decimals, half up; from 9999.9995 on it is released as "at least 10000". Rounding
moves it by less than χ²·2^-27 + 2^-47·√(G·χ²)/SE, SE the least standard error: only where the exact
one lies as close to a rounding boundary can it be wrong by one unit of its last decimal. It is
undefined if one of the groups has fewer than two samples of a class, or a variance below 2^-36, as
where its classes are separated.

Nothing but this number is released. Nobody learns anything. 124 hops for sorted lists and cells
alike, whatever the number of groups; most of them are three divisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any, ClassVar, Self

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_is_negative,
    wide_negative_times,
    wide_products,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs, Pipeline
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.delong import (
    Delong,
    delong,
    delong_cost,
    delong_fits,
    largest_variance_denominator,
    placed,
)
from ppaurora.protocols.release.chi_square import (
    DECIMALS,
    LARGEST,
    TENS,
    chi_square_p,
    chi_square_text,
)
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic, Topic

BASE = 1 << 8
AREA_DIGITS, VARIANCE_DIGITS, WEIGHT_DIGITS = 6, 8, 8
AREA_BITS, VARIANCE_BITS, WEIGHT_BITS = (
    8 * digits for digits in (AREA_DIGITS, VARIANCE_DIGITS, WEIGHT_DIGITS)
)
FLOOR_BITS = 36
FLOOR = 1 << VARIANCE_BITS - FLOOR_BITS
"""The least variance, in units of 2^-64."""
SCALE = 1 << WEIGHT_BITS + 2 * AREA_BITS - FLOOR_BITS
"""Of χ² in the units of weights and squared areas."""
MOST_GROUPS_BITS = 7
DIGITS = TENS + DECIMALS
CAP: int = 10**TENS
COLUMNS = ("chi_square", "df", "p")


@dataclass(frozen=True, slots=True)
class EqualAreas(Statistic[Any, Any]):
    """The chi-square of sorted lists or histograms; its data are a tuple, None of no samples."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc_groups_equal"
    short: ClassVar[str] = "AUROCs equal in all groups"
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
    title: ClassVar[str] = (
        "test that the AUROCs of all groups of samples are equal: chi-square and p, by DeLong's "
        "variances"
    )
    known_as: ClassVar[str] = "Stata roccomp of a by-variable, R metafor rma: QE"
    topic: ClassVar[Topic] = Topic.GROUPS
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    by_group: ClassVar[bool] = False
    compares_groups: ClassVar[bool] = True
    undefined: ClassVar[str] = (
        "one of the groups has fewer than two samples of a class, or no standard error, as where "
        "its classes are separated"
    )
    wide: ClassVar[bool] = False
    """True if the curve's sums are taken in 256 bits."""
    among: tuple[str, ...] = field(default=("first", "other"), kw_only=True)
    """The groups of the study."""

    def in_study(self, groups: Sequence[str]) -> Self:
        """The statistic of these groups."""
        return replace(self, among=tuple(groups))

    @property
    def groups(self) -> tuple[str, ...]:
        return self.among

    def data_in(self, pipeline: Pipeline[Any, Any], data: Any) -> Any:
        return tuple(pipeline.part(self.pipeline, data, group) for group in self.among)

    def vectors_in(self, pipeline: Pipeline[Any, Any], sizes: Sequence[int]) -> tuple[int, ...]:
        member = pipeline.member(self.pipeline)
        return tuple(n for group in self.among for n in member.vectors(sizes, group))

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        if None in data:
            return Shared.public(party.role, [undefined(DIGITS)])
        areas: list[Callable[[Party], Delong]] = [partial(delong, data=one) for one in data]
        found = side_by_side(party, areas)
        sizes = [one.n for one in data]
        counts = concatenate_wide(
            [one.is_few(size) for one, size in zip(found, sizes, strict=True)]
        )
        few = wide_is_negative(party, counts)
        N, D = _ratio(party, *_estimates(party, found, few, max(sizes)))
        # min(N, 10^4·D), which is 0 where D is
        beyond = N - D * CAP
        _, least = wide_negative_times(party, beyond, beyond)
        return wide_divide(party, D * CAP + least, D * CAP, digits=DIGITS, bound=_largest())

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n] * len(self.among), decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        if not all(vectors):
            return Cost()
        groups = len(vectors)
        areas = reduce(or_, (delong_cost(n, wide=self.wide) for n in vectors))
        division = wide_divide.cost(digits=DIGITS, bound=_largest()).of(1)
        rest = _ratio_cost(groups) + wide_negative_times.cost().of(1) + division
        return areas + wide_is_negative.cost().of(groups) + _estimates_cost(groups) + rest

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        found = [None if one is None else placed(one) for one in data]
        there = [one for one in found if one is not None]
        if len(there) < len(found) or any(one.variance * 2**FLOOR_BITS < 1 for one in there):
            return [undefined(DIGITS)]
        total = sum((1 / one.variance for one in there), Fraction(0))
        mean = sum((one.area / one.variance for one in there), Fraction(0)) / total
        squares = [(one.area - mean) ** 2 / one.variance for one in there]
        return [min(LARGEST, half_up(sum(squares, Fraction(0)) * 10**DECIMALS))]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        [word] = words
        if word == undefined(DIGITS):
            return Table(COLUMNS, undefined=self.undefined)
        if not 0 <= word <= LARGEST:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        text, df = chi_square_text(word), len(self.among) - 1
        return Table(COLUMNS, ((text, str(df), chi_square_p(text, df)),))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        divided = largest_variance_denominator(n) <= largest_wide_denominator(BASE)
        return n == 0 or ((self.wide or delong_fits(n)) and divided)

    def label_digits(self, decimals: int) -> int:
        # of DeLong's errors, as `auroc_equal`
        return DIGITS

    def leaks(self, decimals: int) -> str:
        return (
            f"the chi-square to {DECIMALS} decimals, which discloses little beside the groups' "
            f"AUROCs, and whether it is undefined: {self.undefined}"
        )


@dataclass(frozen=True, slots=True)
class EqualAreasOfCells(EqualAreas):
    """The chi-square from cells, for any number of samples."""

    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    wide: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class AurocGroupsEqual(EqualAreas):
    """The chi-square from the sorted lists."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[EqualAreasOfCells]] = EqualAreasOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})


def _estimates(
    party: Party, found: Sequence[Delong], few: WideShared, n: int
) -> tuple[WideShared, WideShared]:
    """The groups' areas to 2^-48 and variances to 2^-64; 0 of a group with too few samples."""
    won, pairs = (
        concatenate_wide([getattr(one, kind) for one in found]) for kind in ("won", "pairs")
    )
    N, D = (concatenate_wide([getattr(one.variance, kind) for one in found]) for kind in ("N", "D"))
    # D + 1 is a denominator where there is none
    areas, variances = side_by_side(
        party,
        [
            lambda own: wide_divide_to_wide(
                own, won, pairs * 2 + few, digits=AREA_DIGITS, base=BASE, bound=_largest_pairs(n)
            ),
            lambda own: wide_divide_to_wide(
                own,
                N,
                D + few,
                digits=VARIANCE_DIGITS,
                base=BASE,
                bound=largest_variance_denominator(n),
            ),
        ],
    )
    return areas, variances


def _estimates_cost(groups: int) -> Cost:
    area = wide_divide_to_wide.cost(digits=AREA_DIGITS, base=BASE)
    variance = wide_divide_to_wide.cost(digits=VARIANCE_DIGITS, base=BASE)
    return area.of(groups) | variance.of(groups)


def _ratio(party: Party, areas: WideShared, variances: WideShared) -> tuple[WideShared, WideShared]:
    """χ² as a ratio; 0/0 where a variance is below the least one."""
    groups = len(areas)
    above = variances - FLOOR
    below, lacking = wide_negative_times(party, above, above)
    floor = WideShared.public(party.role, [FLOOR] * groups)
    w, every = side_by_side(
        party,
        [
            lambda own: wide_divide_to_wide(
                own,
                floor,
                variances - lacking,
                digits=WEIGHT_DIGITS,
                base=BASE,
                bound=1 << VARIANCE_BITS,
            ),
            lambda own: wide_is_negative(own, below.sum() - 1),
        ],
    )
    [wA] = wide_products(party, [w, areas], [(0, 1)])
    [wAA] = wide_products(party, [wA, areas], [(0, 1)])
    total = w.sum()
    first, second = wide_products(party, [total, wAA.sum(), wA.sum()], [(0, 1), (2, 2)])
    N, D = wide_products(party, [first - second, total, every], [(0, 2), (1, 2)])
    return N, D * SCALE


def _ratio_cost(groups: int) -> Cost:
    weights = wide_divide_to_wide.cost(digits=WEIGHT_DIGITS, base=BASE, bound=1 << VARIANCE_BITS)
    one = wide_products.cost(factors=2, pairs=1).of(groups)
    sums = wide_products.cost(factors=3, pairs=2).of(1)
    found = weights.of(groups) | wide_is_negative.cost().of(1)
    return wide_negative_times.cost().of(groups) + found + one + one + sums + sums


def _largest_pairs(n: int) -> int:
    """2·P·N and 1 are at most this."""
    return max(1, n * n // 2) + 1


def _largest() -> int:
    """10^4 times the denominator of χ² is at most this, for up to 128 groups."""
    return CAP * SCALE << WEIGHT_BITS + MOST_GROUPS_BITS
