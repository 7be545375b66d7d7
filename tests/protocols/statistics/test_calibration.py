"""The calibration curve, against its definition on drawn studies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, parts


def calibration(rows: Rows) -> list[Sequence[Cell]]:
    """From the most positive part on: each row reaches to the end of a part that is not empty."""
    order = [*range(4)][:: -1 if rows.higher else 1]
    inside = parts(rows, 4)
    groups: list[list[int]] = [[]]
    for place in order:
        groups[-1].append(place)
        if inside[place]:
            groups.append([])
    rest = groups.pop()
    groups[-1] += rest
    found: list[list[Cell]] = []
    for group in groups:
        members = [row for place in group for row in inside[place]]
        found.append(
            [
                Fraction(min(group), 4),
                Fraction(max(group) + 1, 4),
                sum((f for f, _ in members), Fraction(0)) / len(members),
                Fraction(sum(y for _, y in members), len(members)),
            ]
        )
    return list(found if not rows.higher else reversed(found))


TEXT = "calibration:bins=4"
DEFINITION = calibration


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
