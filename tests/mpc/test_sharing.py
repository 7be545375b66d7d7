"""Sharing: two shares make the value, each by itself is random, and the helper gets none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import reconstruct, share, shared_at
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
