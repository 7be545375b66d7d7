"""The Youden index, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import (
    AT,
    SAMPLE,
    Cell,
    Rows,
    agree,
    at_thresholds,
    half,
    ratio,
)


def youden(rows: Rows, cut: Fraction, tp: int, fp: int, fn: int, tn: int) -> list[Cell]:
    both = half(ratio(tp, tp + fn), ratio(tn, tn + fp))
    return [both if isinstance(both, str) else 2 * both - 1]


TEXT = f"youden:{AT}"
DEFINITION = at_thresholds(youden)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
