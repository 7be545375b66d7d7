"""The log loss, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, ln


def log_loss(rows: Rows) -> Cell:
    least = Fraction(1, 2**52)
    kept = [(min(max(f, least), 1 - least), y) for f, y in rows.risks()]
    return -sum((ln(f if y else 1 - f) for f, y in kept), Fraction(0)) / rows.n


TEXT = "log_loss"
DEFINITION = log_loss


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
