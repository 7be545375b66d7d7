"""Quantiles of the normal law, to the last digit that is asked for."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from scipy.stats import norm

from ppaurora.protocols.arithmetic.normal import density_and_tails, scaled_quantile

TABLES = {
    "0.025": "1.959963984540054235524594430521",
    "0.05": "1.644853626951472714863848907992",
    "0.25": "0.674489750196081743202227014541",
}


@pytest.mark.parametrize("tail", TABLES)
def test_the_quantile_is_that_of_the_tables(tail: str) -> None:
    assert scaled_quantile(Fraction(tail), 30) == Fraction(TABLES[tail]) * 10**30


@pytest.mark.parametrize("tail", ["0.5", "0.499999", "0.3", "0.001", "1e-9", "1e-17"])
def test_the_quantile_is_that_of_scipy(tail: str) -> None:
    found = scaled_quantile(Fraction(tail), 24)
    assert found / 10**24 == pytest.approx(norm.isf(float(tail)), abs=1e-13)


@pytest.mark.parametrize("x", ["0", "0.3", "-2", "7.5", "-12"])
def test_density_and_tails_are_those_of_scipy(x: str) -> None:
    found = [float(one) for one in density_and_tails(Decimal(x), 20)]
    z = float(x)
    assert found == pytest.approx([norm.pdf(z), norm.cdf(z), norm.sf(z)], rel=1e-13)


@pytest.mark.parametrize("tail", ["0.4999", "0.1", "1e-17"])
def test_more_digits_begin_with_the_same_ones(tail: str) -> None:
    many, few = (scaled_quantile(Fraction(tail), digits) for digits in (80, 12))
    assert abs(Fraction(many, 10**80) - Fraction(few, 10**12)) <= Fraction(1, 2 * 10**12)


@pytest.mark.parametrize("tail", [Fraction(0), Fraction(-1, 2), Fraction(51, 100)])
def test_other_tails_are_refused(tail: Fraction) -> None:
    with pytest.raises(ValueError, match="a tail of"):
        scaled_quantile(tail, 4)
