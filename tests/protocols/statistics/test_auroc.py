"""The AUROC, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, won


def auroc(rows: Rows) -> Cell:
    pairs = won(rows)
    return sum(pairs, Fraction(0)) / len(pairs) if pairs else "undefined: a class is missing"


TEXT = "auroc"
DEFINITION = auroc


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
