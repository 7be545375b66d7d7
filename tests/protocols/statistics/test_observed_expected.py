"""The ratio of observed to expected positives, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree


def observed_expected(rows: Rows) -> Cell:
    expected = sum((f for f, _ in rows.risks()), Fraction(0))
    if not expected:
        return "undefined: all scores are 0"
    return min(rows.P / expected, Fraction(100))


TEXT = "observed_expected"
DEFINITION = observed_expected


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
