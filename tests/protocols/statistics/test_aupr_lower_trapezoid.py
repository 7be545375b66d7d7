"""The lower trapezoid of the thesis under the precision-recall curve, on a few lists."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of
from tests.protocols.statistics.test_aupr_trapezoids import lower


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_is_the_lower_trapezoid_of_the_thesis(of: Example) -> None:
    assert released("aupr_lower_trapezoid", of) == text_of(lower(of.scores, list(of.labels)))
