"""Areas that a receiver computes from every point of the curve: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

from ppaurora.protocols.release.curve_areas import Point, rounded
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.every_label import FromEveryLabel


class AreaOfPoints(FromEveryLabel):
    """One number of all points, which the receiver rounds half up to the study's decimals."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.SCALAR

    @abstractmethod
    def area(self, points: Sequence[Point]) -> Decimal:
        """The area of points of which the last has a positive."""

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        points = self.points(words)
        if not points[-1][1]:
            return Scalar(undefined=self.undefined)
        return Scalar(rounded(self.area(points), decimals))

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)
