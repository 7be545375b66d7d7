"""The three parties in one process: what runs give, and what they leave behind."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.local import fresh_session_keys, open_locally, run_local
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import BLOCK


def test_session_keys_are_each_pairs_own() -> None:
    keys = fresh_session_keys()
    assert all(keys[role][peer] == keys[peer][role] for role in Role for peer in role.others)
    assert len({key for of_one in keys.values() for key in of_one.values()}) == 3
    assert keys != fresh_session_keys()


def test_results_come_in_the_order_of_the_roles() -> None:
    assert run_local(lambda party: party.role) == list(Role)
    results = run_local(multiply, share([3, -4]), share([5, 6]))
    assert open_locally(results).tolist() == [15, -24]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone can be told where to run")
def test_short_runs_stay_on_one_processor_and_others_do_not() -> None:
    before = os.sched_getaffinity(0)

    def processors(length: int, **more: Any) -> set[int]:
        zeros = np.zeros(length, np.uint64)
        found = run_local(
            lambda party, x: frozenset(os.sched_getaffinity(0)), (zeros, zeros), **more
        )
        assert os.sched_getaffinity(0) == before
        [everywhere] = set(found)
        return set(everywhere)

    here = processors(8)
    assert len(here) == 1
    assert here <= before
    assert processors(BLOCK) == before
    assert processors(8, threads=dict.fromkeys(Role, 2)) == before
    with pytest.raises(ZeroDivisionError):
        run_local(lambda party: 1 // (party.role - 1))
    assert os.sched_getaffinity(0) == before


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    run_local(multiply, share([1]), share([2]))
    with pytest.raises(ZeroDivisionError):
        run_local(lambda party: 1 // (party.role - 1))
    assert threading.active_count() == before
