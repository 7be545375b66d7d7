"""The chi-square from rounded numbers, and its p-value, against scipy and numpy."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from ppaurora.protocols.release.chi_square import (
    Bounded,
    bounded_chi_square,
    chi_square,
    chi_square_p,
    chi_square_text,
    inverted,
)


@pytest.mark.parametrize("df", range(1, 16))
def test_p_is_scipys(df: int) -> None:
    for text in ("0.000", "0.001", "0.455", "1.000", "3.841", "11.070", "24.996", "38.5", "99.999"):
        p = chi2.sf(float(text), df)
        assert chi_square_p(text, df) == ("less than 0.0001" if p < 0.0001 else f"{p:#.4g}")
    assert chi_square_p("at least 10000", df) == "less than 0.0001"
    assert chi2.sf(100, df) < 0.0001


def drawn(k: int, seed: int) -> tuple[list[Fraction], list[list[Fraction]]]:
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 0.02, (k, k + 2))
    S, areas = root @ root.T, rng.normal(0.8, 0.02, k)
    return [Fraction(one) for one in areas], [[Fraction(one) for one in row] for row in S]


def rounded(number: Fraction, decimals: int) -> Fraction:
    return Fraction(round(Decimal(number.numerator) / number.denominator, decimals))


@pytest.mark.parametrize("k", [2, 3, 5, 16])
def test_it_is_numpys(k: int) -> None:
    areas, matrix = drawn(k, k)
    L = np.c_[-np.ones(k - 1), np.eye(k - 1)]
    gains = L @ np.array(areas, float)
    expected = gains @ np.linalg.solve(L @ np.array(matrix, float) @ L.T, gains)
    found = chi_square(areas, matrix)
    assert found is not None
    assert float(found) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("decimals", [6, 8, 12])
def test_no_rounding_moves_it_by_more_than_its_error(decimals: int) -> None:
    told = 0
    for seed in range(40):
        areas, matrix = drawn(2 + seed % 5, seed)
        exact = chi_square(areas, matrix)
        assert exact is not None
        found = bounded_chi_square(
            [rounded(one, decimals) for one in areas],
            [[rounded(one, decimals) for one in row] for row in matrix],
            Fraction(1, 10**decimals),
        )
        if found is not None:
            assert abs(found.value - exact) <= found.error
            told += found.text() is not None
    assert told >= {6: 0, 8: 10, 12: 38}[decimals]


def test_a_matrix_without_an_inverse_has_none() -> None:
    one = Fraction(1, 100)
    matrix = [[one, one, one], [one, one, one], [one, one, 2 * one]]
    assert chi_square([one, one, one], matrix) is None
    assert bounded_chi_square([one, one, one], matrix, Fraction(1, 10**12)) is None
    assert inverted([[Fraction(0), one], [one, Fraction(0)]]) == [[0, 100], [100, 0]]
    almost = [[one, one], [one, one + Fraction(1, 10**12)]]
    assert chi_square([one, 2 * one], almost) is not None
    assert bounded_chi_square([one, 2 * one], almost, Fraction(1, 10**12)) is None


def test_a_text_has_the_decimals_that_are_certain() -> None:
    assert Bounded(Fraction("3.84146"), Fraction("0.00001")).text() == "3.841"
    assert Bounded(Fraction("3.8414"), Fraction("0.001")).text() == "3.84"
    assert Bounded(Fraction("3.2"), Fraction("0.2")).text() == "3"
    assert Bounded(Fraction("3.5"), Fraction("0.2")).text() is None
    assert Bounded(Fraction(20000), Fraction(1)).text() == "at least 10000"
    assert chi_square_text(10**7) == "at least 10000"
