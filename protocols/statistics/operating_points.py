"""Operating points: a ratio at each given rate, such as the sensitivity at a specificity.

The rate is reached at a place of the sorted list that stays secret. Each ratio is exact and
correctly rounded.

Sensitivity and specificity given the other one (`RocReading`): along the ROC curve, the other
class's members up to a threshold are at most u = r/s of theirs: the false positives for a given
specificity 1 - u. With the letters of `ppaurora.protocols.ranking.partial`,

    read=step           T/P,    T the positives of the last corner with s·F <= r·N,
    read=interpolated   (s·T0·q + p·C) / (s·q·P),    on the piece that crosses u.

`step` is what a threshold on scores reaches: the largest value at which the given rate is kept.
`interpolated` is the curve's height; where it jumps, the upper end of the jump. Both are exact and
correctly rounded, and nobody learns anything.

The specificity is read backwards and with the classes exchanged: F are the positives that are
missed and T the negatives that are left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt, lcm
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator, multiply, products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.hidden_cuts import Corners, Cut
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.outline import (
    Point,
    along_false_positives,
    along_true_positives,
)
from ppaurora.protocols.ranking.partial import (
    areas,
    areas_cost,
    areas_fits,
    vertices,
    vertices_cost,
)
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.parameters import OPTION
from ppaurora.protocols.statistics.reading import AtCorners
from ppaurora.protocols.statistics.statistic import NO_CLASS


class AtRates(AtCorners):
    """A table of ratios, one for each given rate above 0, at corners of the curve."""

    __slots__ = ()

    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    backwards: ClassVar[bool]
    """True if the curve is read from its other end, with the classes exchanged."""

    @property
    @abstractmethod
    def rates(self) -> tuple[Fraction, ...]:
        """The given rates."""

    def __post_init__(self) -> None:
        if 0 in self.rates:
            given, found = self.columns
            raise OptionRefused(
                OPTION,
                f"asks for the {found} at a {given} of 0, which every threshold reaches",
                advice=f"Name a {given} above 0.",
            )

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(map(decimal, self.rates))

    @property
    def ends(self) -> list[Fraction]:
        """The rates as they are met along the curve: how much of it may lie on the wrong side."""
        return [1 - rate for rate in self.rates]

    @property
    def scale(self) -> int:
        """s: the ends are multiples of 1/s."""
        return lcm(*(rate.denominator for rate in self.rates))

    def corners(self, party: Party, data: Ranked) -> Corners:
        pieces = data.pieces.backwards() if self.backwards else data.pieces
        corner = vertices(party, pieces, self.ends, self.scale)
        return self.turned(data, corner.F, corner.T)

    def corners_cost(self, n: int) -> Cost:
        return vertices_cost(n, ends=len(self.rates))

    def turned(self, data: Ranked, F: Shared, T: Shared) -> Corners:
        """(TP, FP) of corners (F, T) along the curve as it is read; no message."""
        if not self.backwards:
            return Corners(T, F)
        return Corners(data.P.repeat(len(F)) - F, data.N.repeat(len(T)) - T)

    def points(self, data: Pooled) -> Sequence[Point]:
        """The corners (F, T) of the curve as it is read, in the clear."""
        return (along_true_positives if self.backwards else along_false_positives)(data)

    def corners_in(self, data: Pooled) -> Sequence[Sequence[Cut]]:
        points = self.points(data)
        width = points[-1][0]
        found = [max(point for point in points if point[0] <= end * width) for end in self.ends]
        return [[self._cut(data, point)] for point in found]

    def _cut(self, data: Pooled, point: Point) -> Cut:
        F, T = point
        return (data.P - F, data.N - T) if self.backwards else (T, F)

    @property
    def in_turn(self) -> tuple[str, ...]:
        given, found = self.columns
        return tuple(f"{found} at a {given} of {decimal(rate)}" for rate in self.rates)

    def told(self, decimals: int) -> str:
        # different fractions with denominators up to D are more than 1/D² apart
        return (
            "the released decimals, which tell a ratio of counts exactly, in its lowest terms, "
            f"where its denominator is at most {isqrt(10**decimals)}, and whether the metric is "
            f"undefined: {self.undefined}"
        )


READS = ("step", "interpolated")


class RocReading(AtRates):
    """The height of the ROC curve where one rate is given."""

    __slots__ = ()

    undefined: ClassVar[str] = NO_CLASS
    read: str

    @property
    def _between(self) -> bool:
        return self.read == "interpolated"

    @property
    def cuts(self) -> int:
        return 2 if self._between else 1

    @property
    def in_turn(self) -> tuple[str, ...]:
        given, found = self.columns
        rates = (decimal(rate) for rate in self.rates)
        return tuple(f"{found} at a {given} of {rate}, {self.read}" for rate in rates)

    def corners(self, party: Party, data: Ranked) -> Corners:
        if not self._between:
            return AtRates.corners(self, party, data)
        pieces = data.pieces.backwards() if self.backwards else data.pieces
        parts = areas(party, pieces, self.ends, self.scale).parts
        # the corners before and behind the piece that crosses each end
        F = concatenate([*(one.F0 for one in parts), *(one.F0 + one.q for one in parts)])
        T = concatenate([*(one.T0 for one in parts), *(one.T0 + one.p for one in parts)])
        return self.turned(data, F, T)

    def corners_cost(self, n: int) -> Cost:
        if self._between:
            return areas_cost(n, ends=len(self.rates))
        return AtRates.corners_cost(self, n)

    def ratio(self, party: Party, data: Ranked, corners: Corners) -> Ratio:
        # as the curve is read, which is its own inverse
        read = self.turned(data, corners.TP, corners.FP) if self.backwards else corners
        T, F = (read.FP, read.TP) if self.backwards else (read.TP, read.FP)
        P, N = (data.N, data.P) if self.backwards else (data.P, data.N)
        count, bound = len(self.rates), self.bound(data.n)
        if not self._between:
            # T·N / P·N is 0/0 if and only if a class is missing
            numerator = multiply(party, T, N.repeat(count))
            return Ratio(numerator, data.groups.PN.repeat(count), bound)
        s, F0, T0 = self.scale, F[:count], T[:count]
        q, p = F[count:] - F0, T[count:] - T0
        C = concatenate(N * int(end * s) for end in self.ends) - F0 * s
        # no piece crosses an end below 1 if and only if N = 0
        Tq, pC, qP = products(party, [T0, q, p, C, P.repeat(count)], [(0, 1), (2, 3), (1, 4)])
        return Ratio(Tq * s + pC, qP * s, bound)

    def ratio_cost(self) -> Cost:
        count = len(self.rates)
        if self._between:
            return products.cost(factors=5, pairs=3).of(count)
        return multiply.cost().of(count)

    def corners_in(self, data: Pooled) -> Sequence[Sequence[Cut]]:
        if not self._between or not data.P * data.N:
            return AtRates.corners_in(self, data)
        points = self.points(data)
        return [
            [self._cut(data, point) for point in _piece(points, end * points[-1][0])]
            for end in self.ends
        ]

    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        if not data.P * data.N:
            return None
        points = self.points(data)
        width, height = points[-1]
        if self._between:
            return [_height_between(points, end * width) / height for end in self.ends]
        return [
            Fraction(max(y for x, y in points if x <= end * width), height) for end in self.ends
        ]

    def fits(self, n: int, decimals: int) -> bool:
        return areas_fits(n, self.scale) and self.bound(n) <= largest_denominator()

    def bound(self, n: int) -> int:
        """P·N, or s·q·P with q at most N, of n samples is at most this."""
        return max(1, most_pairs(n)) * (self.scale if self._between else 1)


def _piece(points: Sequence[Point], place: Fraction) -> tuple[Point, Point]:
    """The ends of the piece that crosses a place along the curve."""
    return next((one, other) for one, other in pairwise(points) if one[0] <= place < other[0])


def _height_between(points: Sequence[Point], place: Fraction) -> Fraction:
    (x0, y0), (x1, y1) = _piece(points, place)
    return y0 + (place - x0) * Fraction(y1 - y0, x1 - x0)
