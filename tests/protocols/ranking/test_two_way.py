"""Sums over cells of times and scores, against sums over all other cells."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.two_way import TwoWay


@pytest.mark.parametrize(("times", "scores"), [(1, 1), (1, 5), (4, 1), (3, 4), (7, 2)])
def test_each_sum_is_that_over_the_cells_that_it_names(times: int, scores: int) -> None:
    counts = np.random.default_rng(times).integers(0, 1 << 40, (times, scores))
    cells = Shared.public(Role.P0, counts.reshape(-1))
    found = TwoWay.of(cells, times)
    assert found.scores == scores
    for sums, chosen in (
        (found.of_time(cells), lambda t, s, k, r: t == k),
        (found.lower(cells), lambda t, s, k, r: t == k and r > s),
        (found.later(cells), lambda t, s, k, r: k > t and r == s),
    ):
        wanted = [
            sum(
                int(counts[k, r]) for k in range(times) for r in range(scores) if chosen(t, s, k, r)
            )
            for t in range(times)
            for s in range(scores)
        ]
        assert sums.words.tolist() == wanted


def test_at_the_helper_sums_have_a_length_alone() -> None:
    cells = Shared.absent(6)
    layout = TwoWay.of(cells, 3)
    assert [len(sums) for sums in (layout.of_time(cells), layout.lower(cells))] == [6, 6]
    assert len(layout.later(cells)) == 6
