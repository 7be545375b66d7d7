"""Sums of fractions as fixed-point numbers: the stated error, and the bound of their limbs."""

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.arithmetic.fixed_point import MOST_LIMBS, FixedPoint


@pytest.mark.parametrize(("n", "F"), [(1, 64), (2, 100), (50, 131), (400, 177)])
def test_sums_are_too_low_by_less_than_the_sum_of_the_numerators(n, F):
    rng = np.random.default_rng(n)
    columns = [rng.integers(0, n + 1, n), np.zeros(n, int), np.full(n, n)]
    point = FixedPoint.fitting(n, n * n, F)
    at = run_local(
        lambda party, *S: point.sums(party, S), *(share(one.tolist()) for one in columns)
    )
    for place, column in enumerate(columns):
        [found] = reconstruct_wide(at[0][place].words, at[1][place].words)
        exact = sum(Fraction(int(S) << F, j) for j, S in enumerate(column.tolist(), 1))
        assert found <= exact
        assert exact - found < int(column.sum()) or found == exact == 0


@pytest.mark.parametrize("n", [1, 7, 1 << 20, (1 << 31) - 1])
def test_a_limb_of_every_sum_stays_below_2_to_63(n):
    point = FixedPoint.fitting(n, n * n, 24)
    assert point is None or n * n << point.g < 1 << 63


def test_sums_that_no_limb_holds_have_no_weights():
    assert FixedPoint.fitting(1 << 31, 1 << 62, 64) is None
    few = FixedPoint.fitting(1 << 20, 1 << 40, 22 * MOST_LIMBS)
    assert few is not None
    assert few.limbs == MOST_LIMBS
    assert FixedPoint.fitting(1 << 20, 1 << 40, 22 * MOST_LIMBS + 1) is None
