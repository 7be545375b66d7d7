"""The expected calibration error, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, parts


def ece(rows: Rows) -> Cell:
    gaps = (abs(sum((y - f for f, y in part), Fraction(0))) for part in parts(rows, 4))
    return sum(gaps, Fraction(0)) / rows.n


TEXT = "ece:bins=4"
DEFINITION = ece


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
