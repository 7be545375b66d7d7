"""The area under the achievable precision-recall curve: through the convex hull of the ROC curve.

[Thesis, section 4.3, Thm 4.1 and 4.2], from recall 0 on. It is too high, even for large samples:
for comparison only [Thesis, section 4.4].

The servers release every point of the curve, and the receiver computes the number from them: this
discloses every label, see `ppaurora.protocols.statistics.every_label`. Correctly rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from ppaurora.protocols.release.curve_areas import Point, hull
from ppaurora.protocols.statistics.every_label import AreaOfPoints
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class Hull(AreaOfPoints):
    """Through the corners of the convex hull of the ROC curve."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aupr_hull"
    title: ClassVar[str] = (
        "area under the achievable precision-recall curve, too high, for comparison only, made at "
        "the receiver, which DISCLOSES EVERY LABEL"
    )
    known_as: ClassVar[str] = "interpolated convex estimator of the AUCPR, Davis and Goadrich"

    def area(self, points: Sequence[Point]) -> Decimal:
        return hull(points)
