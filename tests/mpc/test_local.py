"""The three parties in one process: sharing, and what runs leave behind."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.local import (
    fresh_session_keys,
    open_locally,
    reconstruct,
    run_local,
    share,
    shared_at,
)
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import as_signed


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_shares_make_the_values(values: list[int]) -> None:
    assert as_signed(reconstruct(*share(values))).tolist() == values


def test_sharing_again_gives_other_shares() -> None:
    drawn = np.concatenate([part for _ in range(20) for part in share([0] * 50)[:1]])
    assert np.unique(drawn).size == drawn.size


def test_the_helper_gets_no_share() -> None:
    held = [shared_at(role, share([1, 2])) for role in Role]
    assert [x.present for x in held] == [True, True, False]


def test_session_keys_are_each_pairs_own() -> None:
    keys = fresh_session_keys()
    assert all(keys[role][peer] == keys[peer][role] for role in Role for peer in role.others)
    assert len({key for of_one in keys.values() for key in of_one.values()}) == 3
    assert keys != fresh_session_keys()


def test_results_come_in_the_order_of_the_roles() -> None:
    assert run_local(lambda party: party.role) == list(Role)
    results = run_local(multiply, share([3, -4]), share([5, 6]))
    assert open_locally(results).tolist() == [15, -24]


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    run_local(multiply, share([1]), share([2]))
    with pytest.raises(ZeroDivisionError):
        run_local(lambda party: 1 // (party.role - 1))
    assert threading.active_count() == before
