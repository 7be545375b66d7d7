"""The tournament of a shared vector."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.ranking.largest import largest, largest_cost


def played(values: list[int]) -> tuple[int, int, int]:
    """The largest value, with the hops and bytes that it took to find it."""

    def program(party: Party, x: Shared) -> tuple[Shared, int, int]:
        found = largest(party, x)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return found, party.hops, sent

    by_role = run_local(program, share(values))
    [value] = open_locally([found for found, _, _ in by_role]).astype(np.int64).tolist()
    return value, max(hops for _, hops, _ in by_role), sum(sent for _, _, sent in by_role)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 64, 65])
def test_the_largest_wins_wherever_it_stands(n: int) -> None:
    rng = np.random.default_rng(n)
    for place in {0, n // 2, n - 1}:
        values = rng.integers(-(1 << 61), 1 << 60, n).tolist()
        values[place] = 1 << 61
        value, hops, payload = played(values)
        cost = largest_cost(n)
        assert (value, hops, payload) == (1 << 61, cost.hops, cost.payload)
        assert cost.hops == 4 * (n - 1).bit_length()


def test_equal_and_negative_numbers_are_no_exception() -> None:
    assert played([-5, -5, -7])[0] == -5
    assert played([0, 0, 0, 0])[0] == 0
