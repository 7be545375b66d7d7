"""The AUROC of untied classes, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, won
from tests.protocols.statistics.test_auroc import auroc


def auroc_no_ties(rows: Rows) -> Cell:
    if Fraction(1, 2) in won(rows):
        return "undefined: a positive is tied with a negative"
    return auroc(rows)


TEXT = "auroc_no_ties"
DEFINITION = auroc_no_ties


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
