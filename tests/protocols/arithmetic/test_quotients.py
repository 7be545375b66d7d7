"""Quotients in words against whole division, up to the largest denominators."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate, share
from ppaurora.protocols.arithmetic.quotients import BASE, MOST_DIGITS, Quotients

MOST = Quotients.bound


@pytest.mark.parametrize("decimals", range(1, 24))
def test_the_words_tell_the_decimals_and_no_word_is_too_long(decimals: int) -> None:
    quotients = Quotients.to(decimals)
    assert quotients.one >= 10**decimals
    assert quotients.digits <= MOST_DIGITS
    # one digit less in each word, or one word less, would not do
    assert BASE ** (quotients.limbs * (quotients.digits - 1)) < 10**decimals
    assert BASE ** ((quotients.limbs - 1) * MOST_DIGITS) < 10**decimals
    # a sum of n words, weighted with counts that add up to n, stays below the sign
    assert 2 * MOST * BASE**quotients.digits < 1 << 63


@pytest.mark.parametrize("decimals", [9, 12, 23])
def test_the_words_joined_are_the_quotient_rounded_down(decimals: int) -> None:
    quotients = Quotients.to(decimals)
    rng = np.random.default_rng(decimals)
    D = [1, 1, 2, 3, 3, MOST, MOST, MOST, MOST - 1, *rng.integers(1, MOST, 140).tolist()]
    N = [0, 1, 1, 1, 2, 0, 1, MOST, MOST - 2, *(int(rng.integers(0, one + 1)) for one in D[9:])]

    def program(party: Party, N: Shared, D: Shared) -> Shared:
        words = quotients.rounded_down(party, N, D)
        assert len(words) == quotients.limbs
        return concatenate(words)

    words = open_locally(run_local(program, share(N), share(D)))
    for one, of, *found in zip(N, D, *words.reshape(quotients.limbs, len(N)).tolist(), strict=True):
        joined = 0
        for word in found:
            joined = joined * BASE**quotients.digits + word
        assert joined == quotients.one * one // of


def test_nothing_of_nothing_stays_below_twice_the_largest_word() -> None:
    quotients = Quotients.to(12)

    def program(party: Party, N: Shared, D: Shared) -> Shared:
        return concatenate(quotients.rounded_down(party, N, D))

    words = open_locally(run_local(program, share([0, 0]), share([0, 5]))).tolist()
    for nothing, zero in zip(words[::2], words[1::2], strict=True):
        assert zero == 0
        assert nothing < 2 * BASE**quotients.digits
