"""Curves at cut points of equal distance: what they have in common.

[ROC-GLM, "calibration curve"], with its least count per point: there a hospital leaves out a point
of its own that has too few samples, which moves the curve; here the pooled counts decide, and the
cut points of the whole study are merged at once. Each class must reach the least count, for a curve
tells the counts of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.statistics.parameters import OPTION, whole

MOST_PARTS = 1 << 10


def equal_parts(text: str, key: str, parts: int) -> None:
    """Refuse parts of the grid that no grid has."""
    if parts.bit_count() != 1:
        near = f"{1 << parts.bit_length() - 1} or {1 << parts.bit_length()}"
        raise OptionRefused(
            OPTION, f"asks for {text} with {key}={parts}", advice=f"A power of two, such as {near}."
        )


def equal_places(bins: int, parts: int) -> list[int]:
    """The numbers of bins above the cut points between equal parts of a grid."""
    return [bins // parts * place for place in range(1, parts)]


@dataclass(frozen=True, slots=True)
class AtPoints(Cutting):
    """What is read between `points` equal parts of the grid."""

    points: int = whole("equal parts of the scores: a power of two", 64, least=2, most=MOST_PARTS)
    least: int = whole("of each class between any two points, in every owner's eyes", 5, least=1)

    def __post_init__(self) -> None:
        equal_parts(self.text, "points", self.points)

    def thresholds(self) -> Sequence[Fraction]:
        return [Fraction(place, self.points) for place in range(1, self.points)]

    @property
    def least_count(self) -> int:
        return self.least

    @property
    def both_classes_count(self) -> bool:
        return True
