"""The area under the precision-recall curve interpolated through the median precisions.

[Thesis, section 4.3, Thm 4.1 and 4.2, erratum 3], through the median of the precisions that each
recall has, from the first recall reached on, as printed: 0 for one recall. It is one of the three
estimators that the thesis recommends.

The servers release every point of the curve, and the receiver computes the number from them: this
discloses every label, see `ppaurora.protocols.statistics.every_label`. Correctly rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from ppaurora.protocols.release.curve_areas import Point, interpolated_median
from ppaurora.protocols.statistics.every_label import AreaOfPoints
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class InterpolatedMedian(AreaOfPoints):
    """Through the median precision at each recall."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aupr_interpolated_median"
    title: ClassVar[str] = (
        "area under the precision-recall curve through the median precision at each recall, made "
        "at the receiver, which DISCLOSES EVERY LABEL"
    )
    known_as: ClassVar[str] = "interpolated median estimator of the AUCPR"

    def area(self, points: Sequence[Point]) -> Decimal:
        return interpolated_median(points)
