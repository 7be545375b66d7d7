"""The three parties in one process: what runs give, and what they leave behind."""

from __future__ import annotations

import threading

import pytest

from ppaurora.mpc.local import fresh_session_keys, open_locally, run_local
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share


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
