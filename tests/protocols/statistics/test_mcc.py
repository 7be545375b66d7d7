"""Matthews' correlation coefficient, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import (
    AT,
    SAMPLE,
    Cell,
    Rows,
    agree,
    at_thresholds,
    root,
)


def mcc(rows: Rows, cut: Fraction, tp: int, fp: int, fn: int, tn: int) -> list[Cell]:
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    excess = tp * tn - fp * fn
    return [root(Fraction(excess**2, margins), excess < 0) if margins else "undefined"]


TEXT = f"mcc:{AT}"
DEFINITION = at_thresholds(mcc)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
