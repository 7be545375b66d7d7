"""The area under the precision-recall curve interpolated through the mean precision at each recall.

[Thesis, section 4.3, Thm 4.1 and 4.2, erratum 3], from the first recall reached on, as printed: 0
for one recall.

The servers release every point of the curve, and the receiver computes the number from them: this
discloses every label, see `ppaurora.protocols.statistics.every_label`. Correctly rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from ppaurora.protocols.release.curve_areas import Point, interpolated_mean
from ppaurora.protocols.statistics.every_label import AreaOfPoints
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class InterpolatedMean(AreaOfPoints):
    """Through the mean precision at each recall."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aupr_interpolated_mean"
    title: ClassVar[str] = (
        "area under the precision-recall curve through the mean precision at each recall, made at "
        "the receiver, which DISCLOSES EVERY LABEL"
    )
    known_as: ClassVar[str] = "interpolated mean estimator of the AUCPR"

    def area(self, points: Sequence[Point]) -> Decimal:
        return interpolated_mean(points)
