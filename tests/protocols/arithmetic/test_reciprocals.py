"""The fixed point of the precision-recall metrics: its declared error, reached by no data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc.primitives import largest_denominator
from ppaurora.protocols.arithmetic.reciprocals import FixedPoint


@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 54, 191, 8000, 1 << 17, 1 << 20])
def test_the_declared_error_is_far_below_a_billionth(n, c):
    fixed = FixedPoint.fitting(n, c)
    assert fixed.error <= Fraction(1, 10**11)
    assert fixed.error <= Fraction(80 * n, 2**63)


@pytest.mark.parametrize("c", [1, 2])
@given(n=st.integers(1, 1 << 21), positives=st.floats(0, 1))
@settings(derandomize=True, deadline=None, database=None, max_examples=200)
def test_every_bound_holds_for_the_worst_sums(c, n, positives):
    fixed = FixedPoint.fitting(n, c)
    P = round(positives * n)
    # Σ S <= c·P^2, c2 < 2^g
    assert c * P * P * ((1 << fixed.g) - 1) < 2**63
    assert fixed.bound <= largest_denominator()
    assert n << fixed.g < 2**64
    # the numerator is at most c·P·2^f + k·P
    assert ((c << fixed.f) + fixed.k) * P <= fixed.bound


@pytest.mark.parametrize("n", [1, 2, 7, 191, 5000])
def test_two_limbs_never_exceed_the_reciprocal_and_hardly_fall_short(n):
    fixed = FixedPoint.fitting(n, 2)
    c1, c2 = (limb.tolist() for limb in fixed.reciprocals())
    for j in range(1, n + 1):
        held = c1[j - 1] + Fraction(c2[j - 1], 1 << fixed.g)
        assert 0 <= Fraction(1 << fixed.f, j) - held < Fraction(1, 1 << fixed.g)


@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize("n", [1, 3, 100, 4000])
def test_what_is_divided_lies_above_the_truth_by_the_declared_error_at_most(n, c):
    rng = np.random.default_rng(n)
    for P in {1, min(n, 2), n // 2, n} - {0}:
        y = np.zeros(n, int)
        y[rng.choice(n, P, replace=False)] = 1
        TP = np.cumsum(y)
        con = rng.random(n) < 0.7
        con[-1] = True
        S = steps(TP, con, c)
        fixed = FixedPoint.fitting(n, c)
        c1, c2 = (limb.tolist() for limb in fixed.reciprocals())
        A = sum(s * a for s, a in zip(S, c1, strict=True))
        A += sum(s * b for s, b in zip(S, c2, strict=True)) >> fixed.g
        divided = Fraction(A + fixed.k * P, P * c << fixed.f)
        true = sum(Fraction(s, j) for j, s in enumerate(S, 1)) / (c * P)
        assert 0 < divided - true <= fixed.error


def steps(TP, con, c):
    """S_j = V_j·(TP_j - B_j), or V_j·(E_j - B_j)."""
    boundaries = np.flatnonzero(con)
    S = [0] * TP.size
    for place, j in enumerate(boundaries):
        before = TP[boundaries[place - 1]] if place else 0
        after = TP[boundaries[min(place + 1, len(boundaries) - 1)]] if c == 2 else TP[j]
        S[j] = int(TP[j]) * int(after - before)
    return S


def test_sizes_beyond_the_arithmetic_fit_no_fixed_point():
    assert FixedPoint.fitting(1 << 31, 2) is None
