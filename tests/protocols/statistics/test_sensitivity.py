"""The sensitivity at given specificities, against all thresholds."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_the_largest_of_all_thresholds_that_keep_the_specificity(of: Example) -> None:
    rows = [
        f"specificity {given}, sensitivity "
        + text_of(max(tpr for fpr, tpr in of.corners() if 1 - fpr >= given))
        for given in (0.25, 0.5, 0.75)
    ]
    assert released("sensitivity:at_specificity=0.25/0.5/0.75", of) == "; ".join(rows)
