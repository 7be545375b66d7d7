"""The class counts, against their definition on drawn studies."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.by_definition import LEVEL, SAMPLE, Cell, Rows, agree, limited


def counts(rows: Rows) -> list[list[Cell]]:
    return [[str(rows.P), str(rows.N), Fraction(rows.P, rows.n)]]


TEXT = "class_counts"
DEFINITION = counts
LIMITED = f"class_counts:{LEVEL}"


def with_limits(rows: Rows) -> list[list[Cell]]:
    return [[str(rows.P), str(rows.N), *limited(rows.P, rows.n)]]


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers


def test_a_few_studies_have_the_limits_of_the_definition() -> None:
    assert agree(LIMITED, with_limits, SAMPLE, 1).numbers


def test_words_that_no_study_gives_are_refused() -> None:
    for words in ([0, 5], [1, 1], [(1 << 31) + 1, 1], [(1 << 64) - 1, 5]):
        with pytest.raises(RemoteProtocolError):
            statistic(TEXT).decode(words, 4)
