"""Wide share vectors beyond the algebra of `test_shared_vector`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import Party, Role, Shared, WideShared
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import held_at, run_local
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.mpc.wide_shares import reconstruct_wide, share_wide
from ppaurora.mpc.wide_words import to_wide
from ppaurora.mpc.words import Words
from tests.mpc.wide_cases import WIDE_EDGES


def test_sharing_again_gives_other_shares() -> None:
    drawn = np.concatenate([share_wide([0] * 50)[0].reshape(-1) for _ in range(20)])
    assert np.unique(drawn).size == drawn.size


@given(st.lists(st.one_of(st.sampled_from(WIDE_EDGES), st.integers(-(2**255), 2**255 - 1))))
def test_the_lowest_limbs_are_shares_of_the_numbers_mod_2_64(x: list[int]) -> None:
    shares = share_wide(x)
    wide = [held_at(role, shares) for role in Role]
    assert all(isinstance(part, WideShared) for part in wide)
    p0, p1, helper = (part.low() for part in wide if isinstance(part, WideShared))
    assert all(isinstance(part, Shared) for part in (p0, p1, helper))
    assert reconstruct(p0.words, p1.words).tolist() == [a % 2**64 for a in x]
    assert len(helper) == len(x)


def test_words_of_another_shape_are_refused() -> None:
    with pytest.raises(LocalProtocolError, match="3 wide numbers in words of shape"):
        WideShared(Role.P0, np.zeros(3, np.uint64), 3)


def test_what_is_dealt_wide_makes_the_numbers_behind_all_words() -> None:
    bits, sums = np.array([5], np.uint64), np.array([7, 8], np.uint64)
    numbers = [0, 1, 2**255, 2**256 - 1]

    def program(party: Party) -> list[Words]:
        party.step()
        if party.is_helper:
            party.deal(xor=[bits], add=[sums], wide=[to_wide(numbers).reshape(4, 2, 2)])
            return []
        return list(party.dealt((1,), (2,), (4, 2, 2)))

    p0, p1, _ = run_local(program)
    np.testing.assert_array_equal(p0[0] ^ p1[0], bits)
    np.testing.assert_array_equal(p0[1] + p1[1], sums)
    assert reconstruct_wide(*(at[2].reshape(4, 4) for at in (p0, p1))) == numbers


def test_runs_take_words_and_wide_numbers_as_inputs() -> None:
    def program(party: Party, x: Shared, y: WideShared) -> WideShared:
        assert isinstance(x, Shared)
        assert isinstance(y, WideShared)
        return y * 3

    p0, p1, helper = run_local(program, share([1]), share_wide([2**200, 5]))
    assert reconstruct_wide(p0.words, p1.words) == [3 * 2**200, 15]
    assert len(helper) == 2


def scaled_down(x: list[int], bits: int) -> list[int]:
    """The opened numbers after the three roles have scaled their shares down."""
    shares = share_wide(x)
    held = [held_at(role, shares) for role in Role]
    p0, p1, helper = (part.scaled_down(bits) for part in held if isinstance(part, WideShared))
    assert len(helper) == len(x)
    return reconstruct_wide(p0.words, p1.words)


@given(x=st.lists(st.integers(0, 2**180), min_size=1, max_size=20), bits=st.integers(0, 255))
def test_scaling_down_is_off_by_at_most_one(x: list[int], bits: int) -> None:
    found = scaled_down(x, bits)
    assert all(0 <= one - (value >> bits) <= 1 for one, value in zip(found, x, strict=True))


def test_zero_and_public_numbers_are_scaled_down_exactly() -> None:
    assert scaled_down([0] * 50, 100) == [0] * 50
    p0, p1, _ = (WideShared.public(role, [7 << 100, 5]).scaled_down(100) for role in Role)
    assert reconstruct_wide(p0.words, p1.words) == [7, 0]
