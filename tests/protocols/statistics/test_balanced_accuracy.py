"""The balanced accuracy, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import AT, SAMPLE, agree, at_thresholds, half, ratio

TEXT = f"balanced_accuracy:{AT}"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [half(ratio(tp, tp + fn), ratio(tn, tn + fp))]
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
