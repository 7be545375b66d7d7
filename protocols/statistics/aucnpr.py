"""The area under the precision-recall curve, normalised by the area that every ranking reaches.

[Thesis, Def. 3.7]: with M the least area, a function of the class counts alone, and 1 - r the area
of the perfect ranking over the recalls from r = `min_recall` on,

    AUCNPR = (A - M) / (1 - r - M),

so that areas of studies with different shares of positives can be compared. A and M are over the
same recalls: of `average_precision` the steps and the least steps [Thesis, Thm 3.5], of `aupr` the
trapezoids and the integral of the least curve [Thesis, Thm 3.4, Cor. 3.6]. 1 is the perfect
ranking; of the steps 0 is the worst one. Trapezoids can lie below the least integral, for rankings
close to the worst; they are then told as 0.

P·(1 - r - M) is read from a public table at the secret P; numerator and denominator are multiplied
by P, so that neither is small where nearly all samples are positive.

How sure that is: a value is wrong, by one unit of its last decimal, only if the exact one lies
within 2^-64 of that unit below a rounding boundary. Nobody learns anything. Five hops and five for
every two decimals; up to fourteen more for `aupr` and `min_recall`.

The public tables hold the area above the least precision-recall curve for every number of
positives. [Thesis, Thm 3.3]: whatever the ranking, the precision at the recall i/P is at least i/(i
+ N). With n = P + N public, the area that is left above that curve is a function of P alone, and a
table of it is read at the secret P. For recalls from r = r'/s on, as fixed-point numbers with F
bits behind the point, 0 where a class is missing:

- of the step sum, s times P times that area: N·Σ_i s·c_i/(i + N) over the positives i = 1 .. P,
  where c_i = min(1, max(0, i - r·P)) is the part of the step that lies beyond r. For r = 0 it is
  P·(1 - AP_MIN) [Thesis, Thm 3.5];
- of the integral, 2·P times that area: 2·N·ln(s·n / (s·n - (s - r')·P)) [Thesis, Cor. 3.6], which
  for r = 0 is 2·P·(1 - AUCPR_MIN) [Thesis, Thm 3.4].

Every number is rounded up, by at most s·n²/4 + 2 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    wide_divide,
    wide_negative_times,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.fixed_point import FixedPoint
from ppaurora.protocols.arithmetic.logarithms import SPARE_BITS, log_ratio
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import exact_sum, half_up
from ppaurora.protocols.arithmetic.wide_table import WideTable
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.ranking.recalls_from import (
    steps_beyond,
    steps_beyond_cost,
    trapezoids_beyond,
    trapezoids_beyond_cost,
)
from ppaurora.protocols.statistics.estimates import OneNumber
from ppaurora.protocols.statistics.parameters import OPTION, choice, number
from ppaurora.protocols.statistics.statistic import NO_CLASS, Topic


def above_steps(n: int, r: Fraction, bits: int) -> list[int]:
    """2^bits times s·P times the area above the least step sum, for P = 0 .. n.

    >>> [float(one) / 2**40 for one in above_steps(2, Fraction(0), 40)]
    [0.0, 0.5, 0.0]
    """
    from_r, s = r.numerator, r.denominator
    inverse = [0, *(-(-(1 << bits) // k) for k in range(1, n + 1))]
    harmonic = list(accumulate(inverse))
    table = [0]
    for P in range(1, n):
        N = n - P
        first = from_r * P // s + 1
        partly = (s * first - from_r * P) * inverse[N + first]
        table.append(N * (partly + s * (harmonic[n] - harmonic[N + first])))
    return [*table, 0][: n + 1]


def above_integral(n: int, r: Fraction, bits: int) -> list[int]:
    """2^bits times 2·P times the area above the integral of the least curve, for P = 0 .. n.

    >>> [round(one / 2**40, 9) for one in above_integral(2, Fraction(0), 40)]
    [0.0, 1.386294361, 0.0]
    """
    s, step = r.denominator, r.denominator - r.numerator
    table, total, place = [0], 0, s * n
    for P in range(1, n):
        total += log_ratio(place, place - step, bits + SPARE_BITS)
        place -= step
        table.append((2 * (n - P) * total >> SPARE_BITS) + 1)
    return [*table, 0][: n + 1]


STEPS, TRAPEZOIDS = "average_precision", "aupr"
CERTAINTY_BITS = 64


@dataclass(frozen=True, slots=True)
class NormalisedArea(OneNumber[Ranked, Pooled]):
    """The share that is reached of the area between the worst and the best ranking."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aucnpr"
    title: ClassVar[str] = (
        "area under the precision-recall curve, normalised to 0 for the least and 1 for the "
        "largest area that any ranking of as many positives has"
    )
    known_as: ClassVar[str] = "AUCNPR, normalised average precision"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.TIES, Input.GROUPS, Input.NEXT})
    undefined: ClassVar[str] = NO_CLASS
    of: str = choice("which area is normalised", STEPS, (STEPS, TRAPEZOIDS))
    min_recall: Fraction = number("the least recall", "0")

    def __post_init__(self) -> None:
        if self.min_recall == 1:
            raise OptionRefused(OPTION, f"asks for {self.name} over recalls from 1, of no width")

    @property
    def _scale(self) -> int:
        return self.min_recall.denominator

    def _point(self, n: int, decimals: int) -> FixedPoint | None:
        """Bits with which what is too high of a quotient is below 2^-64 of a unit."""
        excess = 8 * self._scale * n * n * 10**decimals
        most = max(2, self._scale) * n * n
        return FixedPoint.fitting(n, most, CERTAINTY_BITS + excess.bit_length())

    def _table(self, n: int, point: FixedPoint) -> WideTable:
        most = 2 * self._scale * n if self.of == STEPS else 4 * n
        return WideTable(n + 1, (most << point.F).bit_length())

    def _largest(self, n: int, point: FixedPoint) -> int:
        """The denominator is at most this."""
        if self.of == STEPS:
            return 2 * self._scale * n << point.F
        cut = n * self._scale**2 if self.min_recall else 1
        return 4 * n * cut << point.F

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        ratio = self.ratio(party, data, decimals)
        return wide_divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)

    def ratio(self, party: Party, data: Ranked, decimals: int) -> WideRatio:
        """The value before its division, too high by at most 2^-64 of the last decimal."""
        n, r = data.n, self.min_recall
        point = self._point(n, decimals)
        if point is None:
            raise LocalProtocolError(f"no weights for {n} samples and {decimals} decimals")
        of_steps = self.of == STEPS
        area = (steps_beyond if of_steps else trapezoids_beyond)(party, data, r, point)
        above = above_steps if of_steps else above_integral
        room = self._table(n, point).read(party, data.labels.P, lambda: above(n, r, point.F))
        # the area of the perfect ranking in the units of X, and what X is rounded down by at most
        whole = widen(party, data.labels.P) * (self._rectangle << point.F)
        D = room * self._cut
        rest = D - whole + self._slack(n)
        if area.q is not None:
            rest, D = wide_products(party, [area.q, rest, D], [(0, 1), (0, 2)])
        N = area.X + rest
        if not of_steps:
            _, below = wide_negative_times(party, N, N)
            N = N - below
        return WideRatio(N, D, self._largest(n, point))

    @property
    def _cut(self) -> int:
        """The factor of the trapezoids beside the q of the group that is cut."""
        return 1 if self.of == STEPS else self._scale**2

    @property
    def _rectangle(self) -> int:
        """P·(1 - r) in the units of the area."""
        beyond = self._scale - self.min_recall.numerator
        return beyond if self.of == STEPS else 2 * beyond * self._scale

    def _slack(self, n: int) -> int:
        return n**2 * (self._scale if self.of == STEPS else 4 * self._cut)

    def cost(self, n: int, decimals: int) -> Cost:
        division = wide_divide.cost(digits=decimals, bound=self.bound(n, decimals))
        return self.ratio_cost(n, decimals) + division.of(1)

    def bound(self, n: int, decimals: int) -> int:
        """The denominator of n samples is at most this."""
        point = self._point(n, decimals)
        return 0 if point is None else self._largest(n, point)

    def ratio_cost(self, n: int, decimals: int) -> Cost:
        """The cost of `ratio` for n samples."""
        point, r = self._point(n, decimals), self.min_recall
        if point is None:
            return Cost()
        spent = self._table(n, point).cost() + widen.cost().of(1)
        if self.of == STEPS:
            spent += steps_beyond_cost(n, r, point)
        else:
            spent += trapezoids_beyond_cost(n, r, point) + wide_negative_times.cost().of(1)
            if r:
                spent += wide_products.cost(factors=3, pairs=2).of(1)
        return spent

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        point = self._point(n, decimals)
        return (
            point is not None
            and self._table(n, point).fits
            and self._largest(n, point) <= largest_wide_denominator()
        )

    def scaled(self, data: Pooled, scale: int) -> int | None:
        value = self.exact(data)
        return None if value is None else half_up(scale * value)

    def exact(self, data: Pooled) -> Fraction | None:
        """The value of the pooled data; None where it is undefined."""
        if not data.P * data.N:
            return None
        r = self.min_recall
        if self.of == STEPS:
            missed, least = exact_sum(_missed_steps(data, r * data.P)), _worst_steps(data, r)
        else:
            missed = exact_sum(_missed_trapezoids(data, r * data.P))
            least = _above_least_curve(data, r)
        return max(Fraction(0), 1 - missed / least)

    def readings(self) -> frozenset[str]:
        return frozenset({self.text} if self.min_recall else ())

    def label_digits(self, decimals: int) -> int:
        return decimals


def _missed_steps(data: Pooled, c: Fraction) -> Iterator[tuple[int, int]]:
    """The distance of the precision from 1, for each positive beyond c."""
    for s, t, _, j in data.steps:
        beyond = max(Fraction(t), c) - max(Fraction(s), c)
        yield beyond.numerator * (j - t), beyond.denominator * j


def _worst_steps(data: Pooled, r: Fraction) -> Fraction:
    """The steps of the worst ranking, with all negatives before all positives."""
    worst = tuple((i, i + 1, data.N + i, data.N + i + 1) for i in range(data.P))
    return exact_sum(_missed_steps(Pooled(data.labels, worst), r * data.P))


def _missed_trapezoids(data: Pooled, c: Fraction) -> Iterator[tuple[int, int]]:
    """Twice what the straight pieces between the precisions miss of 1, beyond c."""
    before = Fraction(1)
    for s, t, _, j in data.steps:
        precision = Fraction(t, j)
        left = max(Fraction(s), c)
        if left < t:
            height = before + (precision - before) * (left - s) / (t - s)
            missed = (t - left) * (2 - height - precision)
            yield missed.numerator, missed.denominator
        before = precision


def _above_least_curve(data: Pooled, r: Fraction) -> Fraction:
    """2·P·(1 - r - M) with M of [Thesis, Cor. 3.6], to 100 digits."""
    with localcontext() as context:
        context.prec = 100 + len(str(data.n))
        share = Decimal(data.P) / data.n
        from_r = Decimal(r.numerator) / r.denominator
        logarithm = (share * (from_r - 1) + 1).ln()
        return Fraction(-2 * data.P * (1 - share) / share * logarithm)
