"""The ROC-GLM of binned scores: that of the sorted list, whose scores are the bins."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released


@pytest.mark.parametrize("of", EXAMPLES)
def test_bins_that_tell_all_scores_apart_give_the_value_of_the_sorted_list(of: Example) -> None:
    assert released("rocglm_binned", of) == released("rocglm", of)
