"""Sums above public cuts: those that plain integers give, and codes of thresholds."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.ranking import above_cuts as module
from ppaurora.protocols.ranking.above_cuts import above_cuts, above_cuts_cost, first_codes

KEYS = np.array([-1, 0, 5, 9, 5, (1 << 31) - 4, 8, -1])
COLUMNS = np.array([[0, 1, 1, 0, 1, 1, 0, 1], [3, 0, 7, 1 << 40, 2, 5, 6, 9]])
CUTS = (0, 5, 6, 9, (1 << 31) - 4)


def found(
    cuts: tuple[int, ...], ends: tuple[int, ...], *, narrow: bool
) -> tuple[list[list[list[int]]], list[tuple[int, int]]]:
    """The sums, segment by segment and column by column, and the parties' hops and bytes."""
    spent = []

    def program(party: Party, keys: Shared, *columns: Shared) -> list[Shared]:
        sums = above_cuts(party, keys, columns, cuts, ends=ends, narrow=narrow)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        spent.append((party.hops, sent))
        return [column for segment in sums for column in segment]

    at = run_local(program, share(KEYS), *map(share, COLUMNS))
    opened = [
        open_locally(list(parts)).astype(np.int64).tolist() for parts in zip(*at, strict=True)
    ]
    return [opened[start : start + 2] for start in range(0, len(opened), 2)], spent


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("ends", [(8,), (3, 8), (0, 3, 3, 8)])
@pytest.mark.parametrize("cuts", [CUTS, CUTS[1:2], ()])
def test_the_sums_of_each_segment_are_those_of_plain_integers(
    cuts: tuple[int, ...], ends: tuple[int, ...], narrow: bool
) -> None:
    sums, spent = found(cuts, ends, narrow=narrow)
    for segment, (start, stop) in enumerate(itertools.pairwise((0, *ends))):
        for place, column in enumerate(COLUMNS):
            wanted = [int(column[start:stop][KEYS[start:stop] >= cut].sum()) for cut in cuts]
            assert sums[segment][place] == wanted
    cost = above_cuts_cost(len(KEYS), len(COLUMNS), len(cuts), ends=ends, narrow=narrow)
    assert max(hops for hops, _ in spent) == cost.hops
    assert sum(sent for _, sent in spent) == cost.payload


def test_cuts_in_strips_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = found(CUTS, (3, 8), narrow=True)
    monkeypatch.setattr(module, "STRIP", 2 * len(KEYS))
    strips, spent = found(CUTS, (3, 8), narrow=True)
    assert strips == whole
    assert max(hops for hops, _ in spent) == 3 * 5


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("resolution", ["full", "float32", "decimals:2"])
def test_the_first_code_of_a_threshold_is_that_of_the_first_score_called_positive(
    resolution: str, direction: str
) -> None:
    scale = Scale.of(resolution, (0, 1), direction)
    at = tuple(map(Fraction, ("0", "0.1", "0.3", "0.7", "1")))
    grid = Thresholds(at, scale.single, direction=direction)
    codes = first_codes(grid, scale)
    rng = np.random.default_rng(3)
    scores = np.unique(np.r_[np.round(rng.random(500), 2), [0, 0.1, 0.3, 0.7, 1]])
    own = scale.codes(scores)
    for above, code in enumerate(codes, start=1):
        assert ((own >= code) == (grid.places(scale.scores(own)) < above)).all()
    assert sorted(codes, reverse=True) == codes
