"""The area under the achievable precision-recall curve, against an integral by small steps."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of
from tests.protocols.statistics.integral import area_through


def hull(of: Example) -> list[tuple[float, int]]:
    """The points that no line between two others passes above, over (negatives, positives)."""
    points = [(0, 0), *of.points()]
    kept = [
        (j, t)
        for j, t in points
        if not any(
            (b - a) * (j - t - (i - a)) > (t - a) * (k - b - (i - a))
            for i, a in points
            for k, b in points
            if i < j < k
        )
    ]
    return [(float(j), t) for j, t in kept]


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_the_integral_through_the_hull(of: Example) -> None:
    assert released("aupr_hull:samples=20", of) == text_of(area_through(hull(of)) / of.P)
