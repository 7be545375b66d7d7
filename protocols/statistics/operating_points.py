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
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt, lcm
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, largest_denominator, multiply, products, undefined
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import decimal, half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.curve import Pieces
from ppaurora.protocols.ranking.outline import Point
from ppaurora.protocols.ranking.partial import (
    areas,
    areas_cost,
    areas_fits,
    vertices,
    vertices_cost,
)
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.parameters import OPTION
from ppaurora.protocols.statistics.statistic import NO_CLASS, Statistic


class AtRates(Statistic[Ranked, Pooled]):
    """A table of ratios, one for each given rate above 0."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    columns: ClassVar[tuple[str, str]]
    """The names of the given and of the resulting rate."""

    @property
    @abstractmethod
    def rates(self) -> tuple[Fraction, ...]:
        """The given rates."""

    @abstractmethod
    def ratios(self, party: Party, data: Ranked) -> Ratio:
        """One ratio for each rate, all undefined or none."""

    @abstractmethod
    def ratios_cost(self, n: int) -> Cost:
        """The cost of `ratios`."""

    @abstractmethod
    def bound(self, n: int) -> int:
        """An upper bound of the denominators for n samples, as `ratios` states it."""

    @abstractmethod
    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        """The ratios in the clear, None where they are undefined."""

    def __post_init__(self) -> None:
        if 0 in self.rates:
            given, found = self.columns
            raise OptionRefused(
                OPTION,
                f"asks for the {found} at a {given} of 0, which every threshold reaches",
                advice=f"Name a {given} above 0.",
            )

    @property
    def ends(self) -> list[Fraction]:
        """The rates as they are met along the curve: how much of it may lie on the wrong side."""
        return [1 - rate for rate in self.rates]

    @property
    def scale(self) -> int:
        """s: the ends are multiples of 1/s."""
        return lcm(*(rate.denominator for rate in self.rates))

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        ratio = self.ratios(party, data)
        return divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)

    def cost(self, n: int, decimals: int) -> Cost:
        division = divide.cost(digits=decimals, bound=self.bound(n)).of(len(self.rates))
        return self.ratios_cost(n) + division

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        found = self.found(data)
        if found is None:
            return [undefined(decimals)] * len(self.rates)
        return [half_up(value * 10**decimals) for value in found]

    def words(self, decimals: int) -> int:
        return len(self.rates)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(self.columns, undefined=self.undefined)
        rates = map(decimal, self.rates)
        return Table(self.columns, tuple(zip(rates, cells, strict=True)))

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def readings(self) -> frozenset[str]:
        given, found = self.columns
        return frozenset(f"{found} at a {given} of {decimal(rate)}" for rate in self.rates)

    def leaks(self, decimals: int) -> str:
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

    @abstractmethod
    def pieces(self, data: Ranked) -> Pieces:
        """The curve along the given rate."""

    @abstractmethod
    def points(self, data: Pooled) -> Sequence[Point]:
        """Its corners in the clear."""

    def readings(self) -> frozenset[str]:
        return frozenset(f"{reading}, {self.read}" for reading in AtRates.readings(self))

    def ratios(self, party: Party, data: Ranked) -> Ratio:
        pieces, PN = self.pieces(data), data.groups.PN
        reading = _interpolated if self.read == "interpolated" else _step
        N, D = reading(party, pieces, self.ends, self.scale, PN)
        return Ratio(N, D, self.bound(data.n))

    def ratios_cost(self, n: int) -> Cost:
        count = len(self.rates)
        if self.read == "interpolated":
            return areas_cost(n, ends=count) + products.cost(factors=5, pairs=3).of(count)
        return vertices_cost(n, ends=count) + multiply.cost().of(count)

    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        if not data.P * data.N:
            return None
        height: Callable[[Sequence[Point], Fraction], Fraction]
        height = _height_between if self.read == "interpolated" else _height_at_corners
        return [height(self.points(data), end) for end in self.ends]

    def fits(self, n: int, decimals: int) -> bool:
        return areas_fits(n, self.scale) and self.bound(n) <= largest_denominator()

    def bound(self, n: int) -> int:
        """P·N, or s·q·P with q at most N, of n samples is at most this."""
        return max(1, most_pairs(n)) * (self.scale if self.read == "interpolated" else 1)


def _step(
    party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int, PN: Shared
) -> tuple[Shared, Shared]:
    """T·N / P·N, 0/0 if and only if a class is missing."""
    T, count = vertices(party, pieces, ends, s).T, len(ends)
    return multiply(party, T, pieces.N.repeat(count)), PN.repeat(count)


def _interpolated(
    party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int, PN: Shared
) -> tuple[Shared, Shared]:
    """(s·T0·q + p·C) / (s·q·P): no piece crosses an end below 1 if and only if N = 0."""
    parts = areas(party, pieces, ends, s).parts
    T0, p, q, C = (
        concatenate([getattr(part, name) for part in parts]) for name in ("T0", "p", "q", "C")
    )
    P = (len(pieces.con) - pieces.N).repeat(len(ends))
    Tq, pC, qP = products(party, [T0, q, p, C, P], [(0, 1), (2, 3), (1, 4)])
    return Tq * s + pC, qP * s


def _height_at_corners(points: Sequence[Point], end: Fraction) -> Fraction:
    width, height = points[-1]
    return Fraction(max(y for x, y in points if x <= end * width), height)


def _height_between(points: Sequence[Point], end: Fraction) -> Fraction:
    width, height = points[-1]
    place = end * width
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= place < x1:
            return (y0 + (place - x0) * Fraction(y1 - y0, x1 - x0)) / height
    raise ValueError(f"no piece crosses {end}")
