"""The scaled Brier score, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, squared


def scaled_brier(rows: Rows) -> Cell:
    if not rows.P * rows.N:
        return "undefined: a class is missing"
    return max(1 - rows.n * squared(rows) / (rows.P * rows.N), Fraction(-1))


TEXT = "scaled_brier"
DEFINITION = scaled_brier


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
