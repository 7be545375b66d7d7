"""The Brier score, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, squared


def brier(rows: Rows) -> Cell:
    return squared(rows) / rows.n


TEXT = "brier"
DEFINITION = brier


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
