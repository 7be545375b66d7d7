"""The precision-recall curve, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import QUARTERS, SAMPLE, agree, at_thresholds, ratio

TEXT = "pr_curve:points=4"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [ratio(tp, tp + fn), ratio(tp, tp + fp)], QUARTERS
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
