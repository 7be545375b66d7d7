"""The difference between two groups in how far scores are right as probabilities on average.

Of a group of n samples with O positives, of which the scores make Σ f expect,

    gap = (O - Σ f)/n

is how much more often a sample is positive than its score says: calibration in the large on the
scale of the risk. The difference of two groups' gaps is released with the interval

    Δ ± z_level·SE,    SE² = O·(n - O)/n³ + O'·(n' - O')/n'³,

cut off at -2 and 2, and z = Δ/SE, scores taken as they are and labels as binomial, as
`observed_expected` has it. How many samples each group has is public, so nothing is divided but by
public numbers: with c = n³ and c' = n'³, SE² is (O·(n - O)·c' + O'·(n' - O')·c)/c·c'.

The difference is exact as `observed_expected` is (`ppaurora.protocols.statistics.of_sums`). Limits
take sums of scores to 2^-80 for each of k owners, and z to 2^-26: a limit can be wrong by one unit
of its last decimal only if the exact one lies within 2·z_level·10^-e + k·2^-78 of a rounding
boundary, e being eight or nine more than the decimals, and z only within k·2^-25/(n·SE) of one, n
being the samples of the smaller group. To at most eight decimals, and 2^29 samples. Where SE is 0,
z is 0 if Δ is, and without bound if not.

Of joined rows nobody knows how many are in a group (`OfJoinedGroups`). With shared n, negatives N,
and sums E = Σ f in units of 1/U²,

    Δ = A/(n·n'·U²),    A = (O - E)·U²·n' - (O' - E')·U²·n,
    SE² = V/(n·n')³,    V = O·N·n'³ + O'·N'·n³,    z² = A²·n·n'/(U⁴·V),

all of them exact where codes are summed. Of words that rows have for their scores
(`ppaurora.protocols.grid.row_sums`) limits take the two higher ones, which a row's score has to
2^-78, and z the highest, to 2^-36: a limit can be wrong only if the exact one lies within 2^-77
more of a rounding boundary, and z only within 2^-35/SE of one. To 2^24 rows in all lists.

Nobody learns anything. 52 hops for four decimals, and 60 of joined rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_root_denominator,
    largest_wide_denominator,
    multiply,
    wide_divide,
    wide_is_negative,
    wide_multiply,
    wide_negative_times,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.grid.row_sums import BITS_ONCE, RowWords
from ppaurora.protocols.grid.sums import BITS, LOW_BITS, SCALE, WORDS, Sum, Unit, together
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.binned import Binned
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.between_groups import GroupDifference, compared
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.signed_difference import (
    of_words,
    signed_z,
    signed_z_cost,
    undefined_words,
    words_of,
)
from ppaurora.protocols.statistics.statistic import Statistic, Topic

MOST = 2
"""A difference lies between -2 and 2."""
LARGEST = 1 << 29
"""The most samples, for which z can be compared."""
HIGH_BITS = BITS - 2 * LOW_BITS
NEARLY_BITS = HIGH_BITS + LOW_BITS
"""Behind the point of a sum of scores without its two lower words, and without the lowest."""
LARGEST_JOINED = 1 << 24
"""The most rows of lists that are joined."""
LARGEST_JOINED_PAIRS = (LARGEST_JOINED // 2) ** 2
"""n·n' of two groups of joined rows is at most this."""
LARGEST_SQUARE = (2 * 10**6) ** 2
"""U² is at most this (`ppaurora.protocols.pipelines.joined_counts`)."""
LARGEST_Z = 1 << 226
"""Of the two numbers whose ratio is z²."""
WITHOUT_WIDTH = "both groups have samples of one class only, and z says nothing then"


@dataclass(frozen=True, slots=True)
class CalibrationGroups(GroupDifference):
    """The difference of (O - Σ f)/n, its limits and z."""

    topic: ClassVar[Topic] = Topic.CALIBRATION
    name: ClassVar[str] = "calibration_groups"
    short: ClassVar[str] = "Difference of observed less expected between groups"
    reference: ClassVar[str] = "Van Calster et al., BMC Medicine 2019"
    title: ClassVar[str] = (
        "difference between two groups of samples in the observed less the expected share of "
        "positives, with its confidence interval and z"
    )
    known_as: ClassVar[str] = "difference of mean calibration, observed - expected"
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    inputs: ClassVar[Inputs] = frozenset({Sum.SCORES})
    undefined: ClassVar[str] = "one of the groups has no samples"
    joins: ClassVar[bool] = True
    pairs: str = compared()
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of the difference."""
        return PlainLimits((1 - self.level) / 2)

    def over_join(self) -> Statistic[Any, Any]:
        return OfJoinedGroups(self.pairs, self.level)

    def check_scale(self, scale: Scale) -> None:
        self._check_probabilities(scale)

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        if None in data:
            return Shared.public(party.role, undefined_words(decimals))
        first, second = data
        n, m = first.n, second.n
        P = concatenate([first.P, second.P])
        N = concatenate([first.N, second.N])
        sums = _both_sums(first, second)
        programs: list[Callable[[Party], WideShared]] = [
            lambda own: widen(own, concatenate(sums)),
            lambda own: widen(own, concatenate([P, multiply(own, P, N)])),
        ]
        words, counts = side_by_side(party, programs)
        observed, spread = counts[:2], counts[2:]
        high, middle, low = (words[2 * place : 2 * place + 2] for place in range(3))
        off, exact = observed * (1 << HIGH_BITS) - high, []
        for word in (middle, low):
            exact.append(off)
            off = off * (1 << LOW_BITS) - word
        gaps = [one[:1] * m - one[1:] * n for one in (*exact, off)]
        V = spread[:1] * m**3 + spread[1:] * n**3
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: self._interval(own, gaps, V, n * m, decimals),
                    lambda own: _z(own, gaps, V, n * m),
                ],
            )
        )

    def _interval(
        self, party: Party, gaps: Sequence[WideShared], V: WideShared, nm: int, decimals: int
    ) -> Shared:
        """2 + Δ and 2 plus its limits, of Δ·nm to 26, 80 and 134 bits."""
        digits, unit = places(decimals), BASE ** (2 * places(decimals))
        error = wide_root_to_wide(
            party,
            V,
            WideShared.public(party.role, [nm**3]),
            digits=digits,
            base=BASE,
            bound=_largest_cube(),
        )
        _, nearly, exact = gaps
        N, D = exact + MOST * nm * SCALE, nm * SCALE
        whole = nm * unit << NEARLY_BITS
        middle = nearly * unit + MOST * whole
        half = error * (self.limits.z(2 * digits) * nm << NEARLY_BITS)
        ends = concatenate_wide([middle - half, -middle - half + 2 * MOST * whole])
        _, beyond = wide_negative_times(party, ends, ends)
        inside = ends - beyond
        limits = concatenate_wide([inside[:1], -inside[1:] + 2 * MOST * whole])
        return wide_divide(
            party,
            concatenate_wide([N, limits]),
            WideShared.public(party.role, [10 * D, 10 * whole, 10 * whole]),
            digits=decimals + 1,
            bound=_largest(decimals),
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n, n], decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        if not all(vectors):
            return Cost()
        counted = multiply.cost().of(2) + widen.cost().of(4)
        root = wide_root_to_wide.cost(digits=places(decimals), base=BASE, bound=_largest_cube())
        rounding = wide_divide.cost(digits=decimals + 1, bound=_largest(decimals))
        interval = root.of(1) + wide_negative_times.cost().of(2) + rounding.of(3)
        squares = wide_multiply.cost().of(1) | wide_is_negative.cost().of(2)
        z = squares + wide_multiply.cost().of(1) + signed_z_cost(LARGEST_Z)
        return (widen.cost().of(2 * WORDS) | counted) + (interval | z)

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        if not all(one and one.n for one in data):
            return undefined_words(decimals)
        gaps = [(one.P - sum(one.sums[Sum.SCORES], Fraction(0))) / one.n for one in data]
        variance = sum((Fraction(one.P * one.N, one.n**3) for one in data), Fraction(0))
        return words_of(gaps[0] - gaps[1], variance, self.limits, decimals, MOST)

    def words(self, decimals: int) -> int:
        return len(undefined_words(decimals))

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return of_words(self.text, words, decimals, self.undefined, WITHOUT_WIDTH, MOST)

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        rooted = _largest_cube() <= largest_root_denominator(places(decimals), BASE)
        return n == 0 or (
            n <= LARGEST and rooted and _largest(decimals) <= largest_wide_denominator()
        )

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals and z, which with the sums of both groups' scores tell how many "
            "more positives one has than the other, and with the interval roughly how many each "
            f"has; and whether the metric is undefined: {self.undefined}"
        )


@dataclass(frozen=True, slots=True)
class OfJoinedGroups(CalibrationGroups):
    """The same difference of joined rows, of which nobody knows how many are in a group."""

    listed: ClassVar[bool] = False

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        P, N = (concatenate([getattr(one, kind) for one in data]) for kind in ("P", "N"))
        sums = _both_sums(*data)
        PN, none = side_by_side(
            party, [lambda own: multiply(own, P, N), lambda own: is_zero(own, P + N)]
        )
        both = multiply(party, 1 - none[:1], 1 - none[1:])
        wide = widen(party, concatenate([P, P + N, PN, *sums, both]))
        observed, n, spread, *expected = (wide[2 * place : 2 * place + 2] for place in range(6))
        found = self._ratio(
            party, _levels(observed, expected, data[0].unit(Sum.SCORES)), n, spread, wide[12:]
        )
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: self._limits_of(own, found, decimals),
                    lambda own: _joined_z(own, found),
                ],
            )
        )

    def _ratio(
        self,
        party: Party,
        levels: Sequence[tuple[WideShared, int]],
        n: WideShared,
        spread: WideShared,
        both: WideShared,
    ) -> _Joined:
        other = concatenate_wide([n[1:], n[:1]])
        off = [one for one, _ in levels]
        *crossed, pairs, squares = wide_products(
            party, [*off, other, n], [(0, 3), (1, 3), (2, 3), (3, 4), (4, 4)]
        )
        cubes, both_squares = wide_products(party, [squares, n, pairs], [(0, 1), (2, 2)])
        swapped = concatenate_wide([cubes[1:], cubes[:1]])
        V, cube = wide_products(party, [spread, swapped, both_squares, pairs], [(0, 1), (2, 3)])
        gaps = [(one[:1] - one[1:], scale) for one, (_, scale) in zip(crossed, levels, strict=True)]
        return _Joined(gaps, pairs[:1], V.sum(), cube[:1], both)

    def _limits_of(self, party: Party, found: _Joined, decimals: int) -> Shared:
        """2 + Δ and 2 plus its limits, over n·n' and a scale; 0/0 where a group has no samples."""
        digits, unit = places(decimals), BASE ** (2 * places(decimals))
        error = wide_root_to_wide(
            party,
            found.V,
            # 1 is a denominator where there is none
            found.cube - found.both + 1,
            digits=digits,
            base=BASE,
            bound=LARGEST_JOINED_PAIRS**3 + 1,
        )
        _, (nearly, scale), (exact, finest) = found.gaps
        D, whole = found.m * finest, found.m * scale * unit
        beside = wide_multiply(party, error, found.m * scale) * self.limits.z(2 * digits)
        middle = nearly * unit + whole * MOST
        ends = concatenate_wide([middle - beside, -middle - beside + whole * (2 * MOST)])
        _, beyond = wide_negative_times(party, ends, ends)
        inside = ends - beyond
        limits = concatenate_wide([inside[:1], -inside[1:] + whole * (2 * MOST)])
        return wide_divide(
            party,
            concatenate_wide([exact + D * MOST, limits]),
            concatenate_wide([D, whole, whole]) * 10,
            digits=decimals + 1,
            bound=_largest_joined(decimals),
        )

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        if not all(vectors):
            return Cost()
        products = (
            wide_products.cost(factors=5, pairs=5).of(2)
            + wide_products.cost(factors=3, pairs=2).of(2)
            + wide_products.cost(factors=4, pairs=2).of(2)
        )
        first = (multiply.cost().of(2) | is_zero.cost().of(2)) + multiply.cost().of(1)
        root = wide_root_to_wide.cost(
            digits=places(decimals), base=BASE, bound=LARGEST_JOINED_PAIRS**3 + 1
        )
        rounding = wide_divide.cost(digits=decimals + 1, bound=_largest_joined(decimals))
        interval = root.of(1) + wide_multiply.cost().of(1) + wide_negative_times.cost().of(2)
        product = wide_multiply.cost().of(1)
        z = (product + product | wide_is_negative.cost().of(2)) + product + signed_z_cost(LARGEST_Z)
        counted = widen.cost().of(7 + 2 * WORDS)
        return first + counted + products + ((interval + rounding.of(3)) | z)

    def fits(self, n: int, decimals: int) -> bool:
        rooted = largest_root_denominator(places(decimals), BASE) >= LARGEST_JOINED_PAIRS**3 + 1
        rounded = _largest_joined(decimals) <= largest_wide_denominator()
        return n == 0 or (n <= LARGEST_JOINED and rooted and rounded)


@dataclass(frozen=True, slots=True)
class _Joined:
    """m = n·n', V = (n·n')³·SE² and (n·n')³, all 0 where a group has no samples.

    `gaps` are m·Δ roughly, nearly and as exactly as it is known, each with its scale. `both` is 1
    if both groups have samples.
    """

    gaps: Sequence[tuple[WideShared, int]]
    m: WideShared
    V: WideShared
    cube: WideShared
    both: WideShared


def _levels(
    observed: WideShared, expected: Sequence[WideShared], unit: Unit
) -> list[tuple[WideShared, int]]:
    """O - E of each group with a scale: by the first word of a sum, by two, and by all.

    All three are by all words, which are then in the last one, where codes of scores are summed.
    """
    scales = [unit.scale >> unit.apart * place for place in (2, 1, 0)]
    if unit.scale <= LARGEST_SQUARE:
        return [(observed * unit.scale - expected[-1], unit.scale)] * WORDS
    return [
        (observed * scale - together(expected[: place + 1], unit), scale)
        for place, scale in enumerate(scales)
    ]


def _joined_z(party: Party, found: _Joined) -> Shared:
    """10^5 + 1000·z of z² = Δ²·(n·n')³/V."""
    (roughly, scale), _, (exact, finest) = found.gaps

    def squared(own: Party) -> WideShared:
        return wide_multiply(own, wide_multiply(own, roughly, roughly), found.m)

    square, signs = side_by_side(
        party,
        [squared, lambda own: wide_is_negative(own, concatenate_wide([exact, -exact]))],
    )
    # 0 where the sums that are cut off differ, and the whole ones do not
    differs = signs.sum()
    square = wide_multiply(party, square, differs)
    if finest != scale:
        square = square + differs  # not 0 where the whole ones alone differ
    scaled = found.V * (100**2 * scale**2)
    return signed_z(party, square, scaled, exact, found.both - 1, LARGEST_Z)


def _both_sums(first: Binned, second: Binned) -> list[Shared]:
    """The words of the sums of scores of both groups."""
    both = zip(first.sums[Sum.SCORES], second.sums[Sum.SCORES], strict=True)
    return [concatenate([one.sum(), other.sum()]) for one, other in both]


def _z(party: Party, gaps: Sequence[WideShared], V: WideShared, nm: int) -> Shared:
    """10^5 + 1000·z of z² = (Δ·nm)²·nm/V."""
    roughly, _, exact = gaps
    squared, signs = side_by_side(
        party,
        [
            lambda own: wide_multiply(own, roughly, roughly),
            lambda own: wide_is_negative(own, concatenate_wide([exact, -exact])),
        ],
    )
    # 0 where the sums that are cut off differ, and the whole ones do not; not 0 the other way
    differs = signs.sum()
    squared = wide_multiply(party, squared * nm, differs) + differs
    scaled = V * (100**2 << 2 * HIGH_BITS)
    always = WideShared.public(party.role, [0])
    return signed_z(party, squared, scaled, exact, always, LARGEST_Z)


def _most_products() -> int:
    """n·n' of two groups is at most this."""
    return (LARGEST // 2) ** 2


def _largest_cube() -> int:
    return _most_products() ** 3


def _largest(decimals: int) -> int:
    """The denominators of the difference and its limits, ten times each, are at most this."""
    unit: int = BASE ** (2 * places(decimals))
    return 10 * _most_products() * max(SCALE, unit << NEARLY_BITS)


def _largest_joined(decimals: int) -> int:
    """The denominators of joined rows, ten times each, are at most this."""
    unit: int = BASE ** (2 * places(decimals))
    nearly = max(LARGEST_SQUARE, RowWords.of(1).unit(Sum.SCORES).scale >> BITS_ONCE)
    return 10 * LARGEST_JOINED_PAIRS * max(nearly * unit, SCALE)
