"""Truncation is exact: floor(x / 2^s) for every shift and every x in [0, 2^63)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import truncate
from ppaurora.mpc.shares import share
from tests.mpc.cases import EDGES, TOP

naturals = sorted({abs(edge) for edge in EDGES})


@pytest.mark.parametrize("bits", range(1, 63))
def test_every_shift_of_every_edge(bits: int) -> None:
    def program(party: Party, x: Shared) -> Shared:
        return truncate(party, x, bits)

    x = np.tile(np.array(naturals, np.int64), 4)
    np.testing.assert_array_equal(open_locally(run_local(program, share(x))), x >> bits)


@settings(max_examples=50)
@given(st.lists(st.integers(0, TOP), min_size=1, max_size=130), st.integers(1, 62))
def test_any_value_by_any_shift(values: list[int], bits: int) -> None:
    got = open_locally(run_local(lambda party, x: truncate(party, x, bits), share(values)))
    assert got.tolist() == [value >> bits for value in values]


@pytest.mark.parametrize("bits", [-1, 0, 63, 64])
def test_other_shifts_are_refused(bits: int) -> None:
    with pytest.raises(ValueError, match="bits, not 1 to 62"):
        run_local(lambda party, x: truncate(party, x, bits), share([1]))
