"""The net benefit, against its definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

from tests.protocols.statistics.by_definition import AT, SAMPLE, Cell, Rows, agree, at_thresholds


def net_benefit(rows: Rows, cut: Fraction, tp: int, fp: int, fn: int, tn: int) -> list[Cell]:
    risk = cut if rows.higher else 1 - cut
    return [(tp - fp * risk / (1 - risk)) / rows.n]


TEXT = f"net_benefit:{AT}"
DEFINITION = at_thresholds(net_benefit)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
