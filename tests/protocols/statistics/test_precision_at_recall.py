"""The precision at given recalls, against all thresholds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_that_of_the_highest_threshold_that_reaches_the_recall(of: Example) -> None:
    rows = [
        f"recall {given}, precision "
        + text_of(next(Fraction(t, j) for j, t in of.points() if t >= given * of.P))
        for given in (0.25, 0.5, 0.75)
    ]
    assert released("precision_at_recall:recall=0.25/0.5/0.75", of) == "; ".join(rows)
