"""Sensitivity and specificity where the other one is given: what both have in common.

Along the curve, the other class's members up to a threshold are at most u = r/s of theirs: the
false positives for a given specificity 1 - u. With the letters of
`ppaurora.protocols.ranking.partial`,

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
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator, multiply, products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.ranking.outline import Point
from ppaurora.protocols.ranking.partial import areas, areas_cost, holds_areas
from ppaurora.protocols.ranking.pieces import Pieces
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.ranking.vertices import vertices, vertices_cost
from ppaurora.protocols.statistics.at_rates import AtRates
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.statistic import NO_CLASS

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
        return frozenset(f"{one}, {self.read}" for one in AtRates.readings(self))

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

    def holds(self, n: int, decimals: int) -> bool:
        return holds_areas(n, self.scale) and self.bound(n) <= largest_denominator()

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
