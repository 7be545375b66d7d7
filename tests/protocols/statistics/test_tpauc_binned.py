"""The two-way partial area of binned scores: that of the sorted list, whose scores are the bins."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released


@pytest.mark.parametrize("of", EXAMPLES)
def test_bins_that_tell_all_scores_apart_give_the_value_of_the_sorted_list(of: Example) -> None:
    region = "min_tpr=0.5,max_fpr=0.5"
    assert released(f"tpauc_binned:{region}", of) == released(f"tpauc:{region}", of)
