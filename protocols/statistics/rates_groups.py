"""Differences between two groups' sensitivities, specificities and PPVs at thresholds.

Equal opportunity asks that there be none in sensitivity. With x of m samples in one group and x' of
m' in the other, p = x/m and p' = x'/m', the difference p - p' is released with the hybrid score
interval of Newcombe, Statistics in Medicine 17:873-890 (1998), method 10: with Wilson's limits l
and u of each share,

    p - p' - √((p - l)² + (u' - p')²)    to    p - p' + √((u - p)² + (p' - l')²).

Wilson's limits lie at c ± h, with z that of the level,

    c = (x + z²/2)/(m + z²),    h² = z²·(4·x·(m - x) + z²·m)/(4·m·(m + z²)²).

A threshold that the least cell keeps back in any group is kept back here as it is everywhere
(`ppaurora.protocols.pipelines.groups`). A difference is undefined where a group has no sample that
its rate is of. Differences are always correctly rounded. With e decimals, eight or nine more than
the released ones, of p, c and h, z² known to 2^-48, a limit can be wrong by one unit of its last
decimal only if the exact one lies within 10·10^-e of a rounding boundary. To at most eight
decimals.

Nobody learns anything. 91 hops for four decimals, of which 60 are the shares and the roots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_root_denominator,
    largest_wide_denominator,
    multiply,
    products,
    wide_divide,
    wide_divide_to_wide,
    wide_multiply,
    wide_negative_times,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.normal import scaled_square
from ppaurora.protocols.ranking.area_limits import BASE, places
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.between_groups import GroupDifference, compared
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import Topic
from ppaurora.protocols.statistics.thresholds import OF_LEAST_CELL, OF_TWO, AtThreshold, TableAtCuts

RATES = ("sensitivity", "specificity", "ppv")
LIMITS = 3
"""A difference and its limits."""
SQUARE_BITS = 48
"""Behind the point of z²."""
CLEAR_DIGITS = 60
SIGNED = PublicRange(tens=1, shift=1)


@dataclass(frozen=True, slots=True)
class RatesGroups(AtThreshold, GroupDifference, TableAtCuts):
    """For each threshold and rate the difference, its lower and its upper limit."""

    name: ClassVar[str] = "rates_groups"
    topic: ClassVar[Topic] = Topic.GROUPS
    short: ClassVar[str] = "Differences of rates between groups"
    reference: ClassVar[str] = "Newcombe, Statistics in Medicine 1998"
    title: ClassVar[str] = (
        "differences between the sensitivities, specificities and positive predictive values of "
        "two groups of samples at a threshold, with Newcombe's intervals"
    )
    known_as: ClassVar[str] = (
        'statsmodels confint_proportions_2indep(method = "newcomb"), '
        "fairlearn equal_opportunity_difference"
    )
    undefined: ClassVar[str] = "a group has no sample that the rate is of"
    columns: ClassVar[tuple[str, ...]] = tuple(
        f"{rate}_{what}" for rate in RATES for what in ("difference", "lower", "upper")
    )
    pairs: str = compared()
    level: Fraction = number(
        "the confidence level of the two-sided intervals", "0.95", closed=False
    )

    @property
    def within(self) -> PublicRange:
        return SIGNED

    @property
    def tail(self) -> Fraction:
        """The probability with which a normal variable exceeds z."""
        return (1 - self.level) / 2

    @property
    def z2(self) -> int:
        """z² in units of 2^-`SQUARE_BITS`."""
        scaled = scaled_square(self.tail, CLEAR_DIGITS // 2)
        return round(Fraction(scaled << SQUARE_BITS, 10 ** (CLEAR_DIGITS // 2)))

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        if None in data:
            return Shared.public(party.role, [SIGNED.missing(decimals)] * self.words(decimals))
        first, second = (one.above(self.thresholds()) for one in data)
        (x, m), (x2, m2) = _shares(first), _shares(second)
        rows = len(x)
        programs: list[Callable[[Party], list[Shared]]] = [
            lambda own: [is_zero(own, concatenate([m, m2]))],
            lambda own: products(
                own,
                [x, x2, m, m2, m - x, m2 - x2],
                [(0, 3), (1, 2), (2, 3), (0, 4), (1, 5)],
            ),
        ]
        [none], [ahead, behind, both, q, q2] = side_by_side(party, programs)
        shown = concatenate([first.shown] * len(RATES))
        seen = multiply(party, multiply(party, 1 - none[:rows], 1 - none[rows:]), shown)
        # a group without a sample counts as one of a single other sample
        counts = [
            x,
            x2,
            m + none[:rows],
            m2 + none[rows:],
            q,
            q2,
            ahead - behind + both,
            both,
            seen,
        ]
        wide = widen(party, concatenate(counts))
        parts = [wide[place * rows : (place + 1) * rows] for place in range(len(counts))]
        limits = self._limits(
            party, wide[: 2 * rows], wide[2 * rows : 4 * rows], wide[4 * rows : 6 * rows], decimals
        )
        return self._rounded(party, parts[6:], limits, shown, decimals)

    def _limits(
        self, party: Party, x: WideShared, m: WideShared, q: WideShared, decimals: int
    ) -> WideShared:
        """1 plus the limits, all lower ones first, in units of 10^-e and cut off at 0 and 2."""
        z2, digits, count = self.z2, places(decimals), len(x)
        rows, unit = count // 2, BASE ** places(decimals)
        M = m * (1 << SQUARE_BITS) + z2
        square = wide_multiply(party, M, M)
        whole = wide_multiply(party, m, square) * 4
        shares, h = side_by_side(
            party,
            [
                lambda own: wide_divide_to_wide(
                    own,
                    concatenate_wide([x, x * (2 << SQUARE_BITS) + z2]),
                    concatenate_wide([m, M * 2]),
                    digits=digits,
                    base=BASE,
                    bound=_largest_middle(z2),
                ),
                lambda own: wide_root_to_wide(
                    own,
                    (q * (4 << SQUARE_BITS) + m * z2) * z2,
                    whole,
                    digits=digits,
                    base=BASE,
                    bound=_largest_half(z2),
                ),
            ],
        )
        p, c = shares[:count], shares[count:]
        below, above = p - c + h, c - p + h
        distances = concatenate_wide([below, above])
        squares = wide_multiply(party, distances, distances)
        of_below, of_above = squares[:count], squares[count:]
        far = concatenate_wide(
            [of_below[:rows] + of_above[rows:], of_above[:rows] + of_below[rows:]]
        )
        # distances are below 1 + 3/unit each
        most = 4 * unit**2
        half = wide_root_to_wide(
            party,
            far,
            WideShared.public(party.role, [most] * count),
            digits=digits,
            base=BASE,
            bound=most,
        )
        middle = p[:rows] - p[rows:] + unit
        ends = concatenate_wide([middle - half[:rows] * 2, -middle - half[rows:] * 2 + 2 * unit])
        _, beyond = wide_negative_times(party, ends, ends)
        inside = ends - beyond
        return concatenate_wide([inside[:rows], -inside[rows:] + 2 * unit])

    def _rounded(
        self,
        party: Party,
        parts: Sequence[WideShared],
        limits: WideShared,
        shown: Shared,
        decimals: int,
    ) -> Shared:
        """The released words: of each rate all differences, then all lower and upper limits."""
        N, D, seen = parts
        rows, unit = len(N), BASE ** places(decimals)
        N, D, lower, upper = wide_products(
            party,
            [N, D, limits[:rows], limits[rows:], seen],
            [(0, 4), (1, 4), (2, 4), (3, 4)],
        )
        whole = seen * unit
        found = wide_divide(
            party,
            concatenate_wide([N, lower, upper]),
            concatenate_wide([D, whole, whole]) * 10,
            digits=decimals + 1,
            bound=_largest(decimals),
        )
        found = found + (1 - concatenate([shown] * LIMITS))
        count = rows // len(RATES)
        return concatenate(
            found[kind * rows + rate * count : kind * rows + (rate + 1) * count]
            for rate in range(len(RATES))
            for kind in range(LIMITS)
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return self.cost_of([n, n], decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        if not all(vectors):
            return Cost()
        rows, digits, unit = len(RATES) * len(self.at), places(decimals), BASE ** places(decimals)
        first = is_zero.cost().of(2 * rows) | products.cost(factors=6, pairs=5).of(rows)
        masks = multiply.cost().of(rows) + multiply.cost().of(rows) + widen.cost().of(9 * rows)
        shares = wide_divide_to_wide.cost(
            digits=digits, base=BASE, bound=_largest_middle(self.z2)
        ).of(4 * rows)
        half = wide_root_to_wide.cost(digits=digits, base=BASE, bound=_largest_half(self.z2))
        far = wide_root_to_wide.cost(digits=digits, base=BASE, bound=4 * unit**2).of(2 * rows)
        limits = (
            wide_multiply.cost().of(2 * rows)
            + wide_multiply.cost().of(2 * rows)
            + (shares | half.of(2 * rows))
            + wide_multiply.cost().of(4 * rows)
            + far
            + wide_negative_times.cost().of(2 * rows)
        )
        rounding = wide_divide.cost(digits=decimals + 1, bound=_largest(decimals))
        masked = wide_products.cost(factors=5, pairs=4).of(rows)
        return first + masks + limits + masked + rounding.of(LIMITS * rows)

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        if None in data:
            return [SIGNED.missing(decimals)] * self.words(decimals)
        rows = []
        for threshold in self.thresholds():
            first, second = (one.above(threshold) for one in data)
            if first is None or second is None:
                rows.append([SIGNED.withheld(decimals)] * len(self.columns))
            else:
                rows.append([SIGNED.word(one, decimals) for one in self._gaps(first, second)])
        return [word for column in zip(*rows, strict=True) for word in column]

    def row(self, counts: Confusion, threshold: Fraction, decimals: int) -> Sequence[int]:
        # of a group less itself
        return [SIGNED.word(one, decimals) for one in self._gaps(counts, counts)]

    def _gaps(self, one: Confusion, other: Confusion) -> list[Fraction | None]:
        """All columns in the clear."""
        first, second = _of_confusion(one), _of_confusion(other)
        found: list[Fraction | None] = []
        for (x, m), (y, n) in zip(first, second, strict=True):
            found += self._exact(x, m, y, n) if m and n else [None] * LIMITS
        return found

    def _exact(self, x: int, m: int, y: int, n: int) -> list[Fraction | None]:
        """The difference of x/m less y/n and its limits, to 60 digits."""
        p, q = Fraction(x, m), Fraction(y, n)
        (below, above), (under, over) = self._wilson(x, m), self._wilson(y, n)
        low = _root((p - below) ** 2 + (over - q) ** 2)
        high = _root((above - p) ** 2 + (q - under) ** 2)
        return [p - q, max(p - q - low, Fraction(-1)), min(p - q + high, Fraction(1))]

    def _wilson(self, x: int, m: int) -> tuple[Fraction, Fraction]:
        """Wilson's limits."""
        z2 = Fraction(scaled_square(self.tail, CLEAR_DIGITS), 10**CLEAR_DIGITS)
        middle, half = 2 * x + z2, _root(z2 * (z2 + Fraction(4 * x * (m - x), m)))
        return (middle - half) / (2 * (m + z2)), (middle + half) / (2 * (m + z2))

    def fits(self, n: int, decimals: int) -> bool:
        digits = places(decimals)
        half, unit = _largest_half(self.z2), BASE**digits
        rooted = max(half, 4 * unit**2) <= largest_root_denominator(digits, BASE)
        return n == 0 or (rooted and _largest(decimals) <= largest_wide_denominator())

    def leaks(self, decimals: int) -> str:
        return (
            f"{self.called} the released decimals, of which the intervals tell how many samples "
            "of each group a rate is of, as exactly as they are rounded, whether they are "
            f"undefined ({self.undefined}), and {OF_LEAST_CELL}; {OF_TWO}"
        )


def _shares(at: AtCuts) -> tuple[Shared, Shared]:
    """The numerators and denominators of the three rates, one rate behind the other."""
    return concatenate([at.TP, at.TN, at.TP]), concatenate([at.P, at.N, at.TP + at.FP])


def _of_confusion(one: Confusion) -> list[tuple[int, int]]:
    return [
        (one.tp, one.tp + one.fn),
        (one.tn, one.tn + one.fp),
        (one.tp, one.tp + one.fp),
    ]


def _root(x: Fraction) -> Fraction:
    return Fraction(isqrt(int(x * 100**CLEAR_DIGITS)), 10**CLEAR_DIGITS)


MOST = 1 << 31
"""More than any number of samples."""


def _largest_middle(z2: int) -> int:
    """2·(m + z²) is at most this."""
    return 2 * ((MOST << SQUARE_BITS) + z2)


def _largest_half(z2: int) -> int:
    """4·m·(m + z²)² is at most this."""
    return 4 * MOST * ((MOST << SQUARE_BITS) + z2) ** 2


def _largest(decimals: int) -> int:
    """The denominators of differences and limits, ten times each, are at most this."""
    unit: int = BASE ** places(decimals)
    return 10 * max(MOST**2, unit)
