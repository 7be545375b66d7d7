"""Wilson's limits: in private against the closed form, and that against scipy's."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import share
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.wilson import (
    beside_counts,
    wilson,
    wilson_cost,
    wilson_fits,
    wilson_in_clear,
)
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES

LEVEL = Fraction("0.95")
SMALL = [(k, m) for m in range(1, 9) for k in range(m + 1)]


def private(pairs: list[tuple[int, int]], level: Fraction, decimals: int) -> list[list[int]]:
    k, m = (share(list(column)) for column in zip(*pairs, strict=True))
    at = run_local(lambda party, k, m: wilson(party, k, m, level, decimals), k, m)
    return open_locally(at).reshape(2, -1).T.tolist()


def in_clear(k: int, m: int, level: Fraction, decimals: int) -> list[int]:
    return [half_up(10**decimals * limit) for limit in wilson_in_clear(k, m, level)]


@pytest.mark.parametrize("level", ["0.95", "0.5", "0.999"])
def test_the_closed_form_is_scipys(level: str) -> None:
    rng = np.random.default_rng(5)
    drawn = [(int(rng.integers(0, m + 1)), int(m)) for m in rng.integers(1, 10**6, 60)]
    for k, m in [*SMALL, *drawn]:
        known = binomtest(k, m).proportion_ci(float(level), method="wilson")
        found = wilson_in_clear(k, m, Fraction(level))
        assert [*map(float, found)] == pytest.approx([known.low, known.high], abs=1e-12)


def test_every_rate_of_few_samples_has_its_limits() -> None:
    assert private(SMALL, LEVEL, 4) == [in_clear(k, m, LEVEL, 4) for k, m in SMALL]


@pytest.mark.parametrize("decimals", [1, 8, 15])
def test_rates_of_many_samples_have_their_limits(decimals: int) -> None:
    m = MOST_SAMPLES
    pairs = [(0, m), (1, m), (m // 3, m), (m, m), (7, 10_000)]
    assert wilson_fits(m, len(pairs), LEVEL, decimals)
    assert private(pairs, LEVEL, decimals) == [in_clear(k, n, LEVEL, decimals) for k, n in pairs]


def test_no_samples_have_no_limits() -> None:
    assert private([(0, 0), (1, 2)], LEVEL, 4)[0] == [undefined(4)] * 2
    assert beside_counts(0, 0, LEVEL, 4) is None


def test_the_limits_take_sixteen_hops_for_four_decimals() -> None:
    assert wilson_cost(1, 4).hops == 16
