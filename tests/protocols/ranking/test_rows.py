"""Sums over rows, against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate, share
from ppaurora.protocols.ranking.rows import cumulated, row_sums, spread, summed, sums_at


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_each_row_is_added_up_by_itself(rows: int) -> None:
    rng = np.random.default_rng(rows)
    x, y = rng.integers(-9, 9, (2, rows, 6))

    def program(party: Party, x: Shared, y: Shared) -> Shared:
        sums = row_sums(party, [x, y], [(0, 1), (0, 0)], rows)
        return concatenate([summed(x, rows), cumulated(x, rows), spread(summed(y, rows), 2), *sums])

    found = open_locally(run_local(program, share(x.reshape(-1)), share(y.reshape(-1))))
    wanted = [x.sum(1), x.cumsum(1), np.repeat(y.sum(1), 2), (x * y).sum(1), (x * x).sum(1)]
    assert found.tolist() == np.concatenate([one.reshape(-1) for one in wanted]).tolist()


def test_values_are_added_up_at_their_places() -> None:
    values, places = np.array([3, 5, 7, 11]), np.array([2, 0, 2, 4])
    found = open_locally(run_local(lambda party, x: sums_at(x, places, 6), share(values)))
    assert found.tolist() == [5, 0, 10, 0, 11, 0]
