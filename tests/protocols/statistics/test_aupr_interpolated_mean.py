"""The area through the mean precision at each recall, against an integral by small steps."""

from __future__ import annotations

from itertools import groupby
from statistics import mean

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of
from tests.protocols.statistics.integral import area_through


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_the_integral_through_the_mean_of_each_recall(of: Example) -> None:
    points = [
        (t / mean([t / j for j, _ in same]), t)
        for t, same in groupby(of.points(), key=lambda point: point[1])
        if t
    ]
    expected = text_of(area_through(points) / of.P)
    assert released("aupr_interpolated_mean:samples=20", of) == expected
