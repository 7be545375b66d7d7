"""The Kaplan-Meier estimate on shares, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.ranking.survival_curve import (
    POINT,
    SurvivalCurve,
    pooled_curve,
    survival_curve,
    survival_curve_cost,
)

UNIT = Fraction(1, 1 << POINT)


@pytest.mark.parametrize(
    ("events", "censored"),
    [
        ([3, 0, 2, 1, 0], [1, 4, 0, 2, 5]),
        ([0, 0, 0], [0, 0, 0]),
        ([0, 2, 0], [7, 0, 0]),
        ([5, 0], [0, 0]),
        ([1 << 20, 1, 1 << 19, 0], [1, 1 << 30, 3, 7]),
    ],
)
@pytest.mark.parametrize("greenwood", [True, False])
def test_it_is_never_too_low_and_hardly_too_high(
    events: list[int], censored: list[int], *, greenwood: bool
) -> None:
    n, K = sum(events) + sum(censored), len(events) - 1
    parties: list[Party] = []

    def program(party: Party, d: Shared, c: Shared) -> SurvivalCurve:
        parties.append(party)
        return survival_curve(party, d, c, n, greenwood=greenwood)

    first, second, _ = run_local(
        program, *(share(np.array(one, np.uint64)) for one in (events, censored))
    )
    exact = pooled_curve(events, censored)
    S = reconstruct_wide(first.S.words, second.S.words)
    for found, wanted in zip(S, exact.S, strict=True):
        assert 0 <= found * UNIT - wanted < (n + 2 * K) * UNIT
    if greenwood:
        assert first.V is not None
        assert second.V is not None
        V = reconstruct_wide(first.V.words, second.V.words)
        for found, wanted in zip(V, exact.V, strict=True):
            assert 0 <= found * UNIT - wanted < 3 * K * UNIT
    cost = survival_curve_cost(K + 1, greenwood=greenwood)
    assert cost.hops == parties[0].hops
    sent = sum(link.counters.bytes_sent for one in parties for link in one.links.values())
    assert cost.payload == sent


def test_in_the_clear_it_is_the_product_of_its_factors() -> None:
    found = pooled_curve([1, 1, 0], [1, 0, 1])
    assert (Fraction(3, 4), Fraction(3, 8)) == found.S
    assert (Fraction(1, 12), Fraction(1, 12) + Fraction(1, 2)) == found.V
    assert found.left == (4, 2, 1)
    assert Role.P0 is not Role.P1
