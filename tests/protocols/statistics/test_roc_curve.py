"""The ROC curve, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import QUARTERS, SAMPLE, agree, at_thresholds, ratio

TEXT = "roc_curve:points=4"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [ratio(fp, fp + tn), ratio(tp, tp + fn)], QUARTERS
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
