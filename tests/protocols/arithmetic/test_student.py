"""Quantiles of Student's law, to the last digit that is asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import t

from ppaurora.protocols.arithmetic.student import scaled_student

TAILS = ("0.5", "0.3", "0.025", "0.001", "1e-9", "5e-18")
TABLES = {(3, "0.025"): 3182446, (4, "0.025"): 2776445, (7, "0.005"): 3499483, (1, "0.05"): 6313752}


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 12, 37, 100, 509, 510])
@pytest.mark.parametrize("tail", TAILS)
def test_the_quantile_is_that_of_scipy(df: int, tail: str) -> None:
    found = scaled_student(df, Fraction(tail), 24)
    assert found / 10**24 == pytest.approx(t.isf(float(tail), df), rel=1e-11, abs=1e-14)


@pytest.mark.parametrize(("df", "tail"), TABLES)
def test_the_quantile_is_that_of_the_tables(df: int, tail: str) -> None:
    assert scaled_student(df, Fraction(tail), 6) == TABLES[df, tail]


@pytest.mark.parametrize("df", [3, 8, 200])
def test_more_digits_begin_with_the_same_ones(df: int) -> None:
    many, few = (scaled_student(df, Fraction("0.025"), digits) for digits in (60, 12))
    assert (2 * many + 10**48) // (2 * 10**48) == few


def test_there_is_none_without_a_degree_of_freedom() -> None:
    with pytest.raises(ValueError, match="fewer than 1"):
        scaled_student(0, Fraction(1, 40), 12)
