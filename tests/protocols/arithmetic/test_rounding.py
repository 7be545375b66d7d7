"""Exact rounding: halves go up, and long sums are decided by fractions where brackets do not."""

from fractions import Fraction

import pytest

from ppaurora.protocols.arithmetic.rounding import half_up, scaled_sum


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(Fraction(5, 2), 3), (Fraction(3, 2), 2), (Fraction(49, 100), 0), (Fraction(-1, 2), 0)],
)
def test_halves_are_rounded_up(value, rounded):
    assert half_up(value) == rounded


def test_rounding_that_depends_on_the_last_bit_is_decided_by_fractions():
    # 1/3 + 1/3 + 1/3 is 1, though every bracketed third is below
    assert scaled_sum(lambda: iter([(1, 3)] * 3), 2, 1) == 1


def test_a_sum_just_below_a_half_is_rounded_down():
    terms = [(1, 2), (-1, 10**90)]
    assert scaled_sum(lambda: iter(terms), 1, 1) == 0
    assert half_up(sum(Fraction(n, d) for n, d in terms)) == 0
