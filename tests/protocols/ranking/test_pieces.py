"""The pieces of the curve: one for each group of tied scores, and empty ones between them."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.curve import Pieces
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.sorting.sort import Conditions

LISTS = {
    "without ties": [9, 6, 4, 3, 1],
    "all tied": [7, 7, 7, 6, 6],
    "tied at both ends": [9, 9, 8, 6, 5, 5, 3, 2, 2, 2],
    "one class": [9, 9, 7, 5, 5],
    "one sample": [4],
}
NEAR, FAR = Conditions(0, 1), Conditions(100_000, 1000)
"""Conditions under which the scan takes many hops, and few."""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("conditions", [NEAR, FAR])
@pytest.mark.parametrize("name", LISTS)
def test_the_pieces_are_those_of_the_groups_and_empty_elsewhere(
    name: str, conditions: Conditions, backwards: bool
) -> None:
    keys = np.array(LISTS[name], np.uint64)
    pipeline = Options(metrics=("auroc_ci",), conditions=conditions).pipeline
    assert isinstance(pipeline, SortedList)

    def program(party: Party, own: Shared) -> list[Shared]:
        inputs = frozenset({Input.GROUPS, Input.POSITIONS})
        pieces: Pieces = pipeline.ranked(party, own, inputs=inputs).pieces
        pieces = pieces.backwards() if backwards else pieces
        return [pieces.F0, pieces.F1, pieces.T0, pieces.T1, pieces.q, pieces.p]

    at = run_local(program, share(keys))
    F0, F1, T0, T1, q, p = (
        open_locally(list(parts)).view(np.int64) for parts in zip(*at, strict=True)
    )
    expected = {j: (i - s, j - t, s, t) for s, t, i, j in Pooled.of([keys]).steps}
    P, N = int((keys & np.uint64(1)).sum()), int((~keys & np.uint64(1)).sum())
    for place, piece in enumerate(zip(F0, F1, T0, T1, strict=True), 1):
        if backwards:
            F0_, F1_, T0_, T1_ = piece
            piece = (N - T1_, N - T0_, P - F1_, P - F0_)
        if place in expected:
            assert piece == expected[place]
        else:
            assert piece[0] == piece[1]
            assert piece[2] == piece[3]
    assert (q == F1 - F0).all()
    assert (p == T1 - T0).all()
