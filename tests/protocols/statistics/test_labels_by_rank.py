"""Samples and positives down to each score, against rows counted one by one."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released


@pytest.mark.parametrize("of", EXAMPLES)
def test_each_score_has_a_row_of_counts(of: Example) -> None:
    rows = [f"samples {j}, positives {t}" for j, t in of.points()]
    assert released("labels_by_rank:samples=20", of) == "; ".join(rows)
