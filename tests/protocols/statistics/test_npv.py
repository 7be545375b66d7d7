"""The negative predictive value, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import (
    AT,
    LEVEL,
    SAMPLE,
    agree,
    at_thresholds,
    limited,
    ratio,
)

TEXT = f"npv:{AT}"
DEFINITION = at_thresholds(lambda rows, cut, tp, fp, fn, tn: [ratio(tn, tn + fn)])
LIMITED = f"npv:{AT},{LEVEL}"
LIMITS = at_thresholds(lambda rows, cut, tp, fp, fn, tn: limited(tn, tn + fn))


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers


def test_a_few_studies_have_the_limits_of_the_definition() -> None:
    assert agree(LIMITED, LIMITS, SAMPLE, 1).numbers
