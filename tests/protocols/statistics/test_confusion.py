"""The confusion matrix, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import AT, SAMPLE, agree, at_thresholds, ratio

TEXT = f"confusion:{AT}"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [
        *map(str, (tp, fp, fn, tn)),
        ratio(tp, tp + fn),
        ratio(tn, tn + fp),
    ]
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
