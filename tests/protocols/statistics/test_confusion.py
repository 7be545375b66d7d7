"""The confusion matrix, against its definition on drawn studies."""

from __future__ import annotations

from ppaurora.protocols.release.values import Table
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.by_definition import (
    AT,
    LEVEL,
    SAMPLE,
    agree,
    at_thresholds,
    limited,
    ratio,
)

TEXT = f"confusion:{AT}"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [
        *map(str, (tp, fp, fn, tn)),
        ratio(tp, tp + fn),
        ratio(tn, tn + fp),
    ]
)
LIMITED = f"confusion:{AT},{LEVEL}"
LIMITS = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [
        *map(str, (tp, fp, fn, tn)),
        *limited(tp, tp + fn),
        *limited(tn, tn + fp),
    ]
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers


def test_a_few_studies_have_the_limits_of_the_definition() -> None:
    assert agree(LIMITED, LIMITS, SAMPLE, 1).numbers


def test_the_limits_of_withheld_counts_are_withheld() -> None:
    one = statistic("confusion:at=0.5,level=0.95")
    told = one.decode([0, 0, 0, 0, 11_001, 11_001], 4)
    assert isinstance(told, Table)
    assert set(told.rows[0][1:]) == {"withheld"}
