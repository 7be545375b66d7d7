"""Whole parts of sums of fractions: exact against fractions, with the stated gap and bounds."""

from fractions import Fraction
from math import floor, lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.arithmetic.reciprocals import (
    CERTAINTY_BITS,
    LEAST_LIMBS,
    MOST_LIMBS,
    Reciprocals,
)


@given(st.integers(1, 1 << 26), st.sampled_from([1, 2]), st.integers(1, 15))
def test_sums_stay_below_the_sign_and_the_gap_below_the_certainty(n, c, decimals):
    weights = Reciprocals.fitting(n, c, decimals)
    if weights is None:
        assert n > 1 << 25
        return
    assert LEAST_LIMBS <= weights.limbs <= MOST_LIMBS
    # T_l + c·P² and what the limb before carries
    assert c * n * n * (2**weights.g + 2) < 2**63
    # in units of the last decimal: c·P²/2^(gL) of 2Y, over 2cP
    assert Fraction(n, 2 << weights.g * weights.limbs) <= Fraction(1, 1 << CERTAINTY_BITS)


@pytest.mark.parametrize(("c", "proved"), [(1, 126), (2, 124)])
def test_up_to_a_stated_size_the_result_is_proved(c, proved):
    assert all(Reciprocals.fitting(n, c, 15).gap == 0 for n in range(1, proved + 1))
    beyond = Reciprocals.fitting(proved + 1, c, 15)
    assert beyond.gap * lcm(*range(1, proved + 2)) > 1


@pytest.mark.parametrize("decimals", [1, 4, 15])
@pytest.mark.parametrize("n", [1, 2, 7, 191, 3000])
def test_the_weights_are_the_digits_of_the_reciprocals(n, decimals):
    weights = Reciprocals.fitting(n, 2, decimals)
    whole, *limbs = (limb.tolist() for limb in weights.weights())
    assert len(limbs) == weights.limbs
    for j in range(1, n + 1):
        held = Fraction(whole[j - 1])
        for place, limb in enumerate(limbs, 1):
            assert 0 <= limb[j - 1] < 1 << weights.g
            held += Fraction(limb[j - 1], 1 << weights.g * place)
        rest = Fraction(2 * 10**decimals, j) - held
        assert 0 <= rest < Fraction(1, 1 << weights.g * weights.limbs)


def sums(n, P, c, rng):
    """S_j of a random list with P positives: V_j·(TP_j - B_j), or V_j·(E_j - B_j)."""
    y = np.zeros(n, int)
    y[rng.choice(n, P, replace=False)] = 1
    TP = np.cumsum(y)
    con = rng.random(n) < 0.7
    con[-1] = True
    ends = np.flatnonzero(con)
    S = np.zeros(n, np.int64)
    for place, j in enumerate(ends):
        before = TP[ends[place - 1]] if place else 0
        after = TP[ends[min(place + 1, len(ends) - 1)]] if c == 2 else TP[j]
        S[j] = TP[j] * (after - before)
    return S


@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 3, 60, 124])
def test_the_whole_part_is_that_of_fractions(n, c):
    rng = np.random.default_rng(n)
    for P in sorted({0, 1, min(n, 2), n // 2, n}):
        S = sums(n, P, c, rng)
        weights = Reciprocals.fitting(n, c, 12)
        at = run_local(
            lambda party, S, square, weights=weights: weights.whole_sum(party, S, square),
            share(S),
            share([P * P]),
        )
        exact = sum(Fraction(2 * 10**12 * int(s), j) for j, s in enumerate(S.tolist(), 1))
        assert open_locally(at).tolist() == [floor(exact)]


def test_a_sum_that_is_whole_is_not_missed():
    # 2·10^d·(1/3 + 2/3) = 2·10^d, though every weight is rounded down
    weights = Reciprocals.fitting(3, 1, 5)
    at = run_local(
        lambda party, S, square: weights.whole_sum(party, S, square), share([0, 0, 3]), share([9])
    )
    assert open_locally(at).tolist() == [2 * 10**5]


def test_sizes_beyond_the_arithmetic_have_no_weights():
    assert Reciprocals.fitting(1 << 31, 2, 4) is None
