"""The area above the least precision-recall curve, against sums, integrals and the thesis."""

from fractions import Fraction
from math import log

import pytest
from scipy.integrate import quad

from ppaurora.protocols.arithmetic.achievable import above_integral, above_steps

BITS = 100
RECALLS = [Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1, 3)]


@pytest.mark.parametrize("r", RECALLS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 41])
def test_the_table_of_steps_is_the_worst_ranking_rounded_up(n, r):
    table = above_steps(n, r, BITS)
    assert len(table) == n + 1
    assert table[0] == table[n] == 0
    for P in range(1, n):
        N = n - P
        # the i-th positive of the worst ranking has the precision i/(i + N), over the recalls
        # from (i - 1)/P to i/P
        missed = Fraction(0)
        for i in range(1, P + 1):
            width = max(Fraction(0), Fraction(i, P) - max(Fraction(i - 1, P), r))
            missed += width * P * r.denominator * Fraction(N, i + N)
        above = table[P] - missed * 2**BITS
        assert 0 <= above <= r.denominator * n * n / 4 + 2


@pytest.mark.parametrize("r", RECALLS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 41])
def test_the_table_of_the_integral_is_that_of_the_least_curve(n, r):
    table = above_integral(n, r, BITS)
    assert len(table) == n + 1
    assert table[0] == table[n] == 0
    for P in range(1, n):
        # [Thesis, Thm 3.3]
        least = quad(lambda t, P=P: P * t / (n - P + P * t), float(r), 1)[0]
        assert table[P] / 2**BITS == pytest.approx(2 * P * (1 - float(r) - least), abs=1e-10)


def test_logarithms_are_right_to_the_last_bits():
    # 2·N·ln(n/N) for n = 2, N = 1, and for n = 4, N = 2: ln 2 to 40 decimals
    ln2 = Fraction(6931471805599453094172321214581765680755, 10**40)
    assert abs(Fraction(above_integral(2, Fraction(0), 120)[1], 1 << 120) - 2 * ln2) < 1e-35
    assert abs(Fraction(above_integral(4, Fraction(0), 120)[2], 1 << 120) - 4 * ln2) < 1e-35


def test_the_least_areas_that_the_thesis_draws():
    for share, least in ((1, 0.00502), (10, 0.05176), (50, 0.30685)):
        found = 1 - above_integral(100, Fraction(0), BITS)[share] / 2**BITS / (2 * share)
        assert found == pytest.approx(least, abs=5e-6)
        assert found == pytest.approx(1 + (100 - share) / share * log(1 - share / 100), abs=1e-12)


def test_the_least_step_sum_of_many_samples_is_close_to_the_integral():
    n = 3000
    steps, integral = above_steps(n, Fraction(0), BITS), above_integral(n, Fraction(0), BITS)
    for P in (300, 1500, 2700):
        assert steps[P] / 2**BITS == pytest.approx(integral[P] / 2**BITS / 2, rel=1e-3)
