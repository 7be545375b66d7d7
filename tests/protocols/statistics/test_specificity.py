"""The specificity at given sensitivities, against all thresholds."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_the_largest_of_all_thresholds_that_keep_the_sensitivity(of: Example) -> None:
    rows = [
        f"sensitivity {given}, specificity "
        + text_of(max(1 - fpr for fpr, tpr in of.corners() if tpr >= given))
        for given in (0.25, 0.5, 0.75)
    ]
    assert released("specificity:at_sensitivity=0.25/0.5/0.75", of) == "; ".join(rows)
