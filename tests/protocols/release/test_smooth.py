"""Noise of a secret scale: its law, how private it is, and every part of its δ."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.release.sensitivity import of_auroc
from ppaurora.protocols.release.smooth import LARGEST_SMOOTH_EPSILON, SecretScale
from tests.protocols.release.test_noise import worst_ratio

KEYS = {role: bytes([role + 1]) * 32 for role in Role}
PIECE = 10_000


def mechanism(epsilon: str = "1", delta: str = "0.00001", decimals: int = 2) -> SecretScale:
    return SecretScale(Fraction(epsilon), Fraction(delta), of_auroc, decimals)


def released(
    of: SecretScale,
    value: Fraction,
    P: int,
    n: int,
    draws: int,
    keys: Mapping[Role, bytes] = KEYS,
) -> NDArray[np.int64]:
    """Noisy releases of a value, as the three parties make them."""
    v = int(value * 10**of.digits)

    def program(party: Party) -> Shared:
        pieces = []
        for start in range(0, draws, PIECE):
            count = min(PIECE, draws - start)
            positives = Shared.public(party.role, [P])
            noise = of.drawn(party, f"piece {start}", positives, n, count)
            pieces.append(of.rounded(party, noise + v * of.unit))
        return concatenate(pieces)

    return open_locally(run_local(program, lasting_keys=keys))


def scale(of: SecretScale, P: int, n: int) -> float:
    """c in units of the last decimal."""
    return of.scales(n)[P] / 2**40


def check_law(draws: int) -> None:
    """Chi-square against Laplace's law between the boundaries of the rounding."""
    of, P, n = mechanism(decimals=4), 1000, 2000
    c = scale(of, P, n)
    assert 20 < c < 20.1
    found = released(of, Fraction(1, 2), P, n, draws) - 5000
    cells = np.arange(-400, 401)

    def below(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(x < 0, np.exp(x / c) / 2, 1 - np.exp(-x / c) / 2)

    law = below(cells + 0.5) - below(cells - 0.5)
    cells, expected = cells[law * draws >= 10], law[law * draws >= 10] * draws
    observed = np.array([(found == cell).sum() for cell in cells])
    beyond = np.array([draws - observed.sum(), draws - expected.sum()])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    statistic += float((beyond[0] - beyond[1]) ** 2 / beyond[1])
    assert statistic < chi2.isf(1e-5, cells.size)


def test_the_noise_follows_laplaces_law() -> None:
    """At a false alarm rate of one in 100,000; the keys are fixed, so is the outcome."""
    check_law(2_000)


@pytest.mark.soak
def test_a_hundred_thousand_draws_follow_laplaces_law() -> None:
    check_law(100_000)


def audit(draws: int) -> None:
    """A perfect ranking of 1,000 + 1,000, and the highest positive at its end, or turned negative.

    The theorem's noise is twice what a shift alone needs, so that half of it would still be private
    but for the change of the scale; a quarter is not.
    """
    epsilon, n = Fraction(1), 2000
    for used, sound in ((epsilon, True), (4 * epsilon, False)):
        of = SecretScale(used, Fraction(1, 100_000), of_auroc, 4)
        first = released(of, Fraction(1), 1000, n, draws)
        shifted = released(of, Fraction(999, 1000), 1000, n, draws)
        fewer = released(of, Fraction(1000, 1001), 999, n, draws)
        worst = [worst_ratio(first, other) for other in (shifted, fewer)]
        assert (max(worst) <= float(epsilon)) == sound


def test_an_auditor_finds_no_more_than_epsilon_and_finds_a_quarter_of_the_noise() -> None:
    audit(2_000)


@pytest.mark.soak
def test_an_auditor_of_many_smooth_releases_finds_the_same() -> None:
    audit(100_000)


def test_the_scale_is_twice_the_smooth_sensitivity_over_epsilon() -> None:
    """[Thesis, Thm 2.9]; beside it at most the hundredth of a decimal of the rounding."""
    of, n = mechanism("0.5", "0.01", 4), 2000
    β = 0.5 / (2 * log(2 / 0.01))
    for P in (0, 1, 5, 40, 1000, 1999):
        x = min(P, n - P)
        S = 1.0 if x <= 1 else max(1 / x, exp(-β * (x - 1)), exp(-β * (x - 2)) / 2)
        least, most = (2 * (S * 10**4 + more) / 0.5 for more in (0, 0.01))
        assert least * (1 - 1e-9) < scale(of, P, n) < most * (1 + 1e-9)
    assert scale(of, 1000, n) == pytest.approx(2 * (10 + 0.01) / 0.5, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.001", "1", str(LARGEST_SMOOTH_EPSILON)])
@pytest.mark.parametrize("delta", ["0.000000000001", "0.00001", "0.1"])
@pytest.mark.parametrize("decimals", [1, 4, 9])
def test_delta_is_the_studys_and_little_more(epsilon: str, delta: str, decimals: int) -> None:
    of = mechanism(epsilon, delta, decimals)
    assert of.fits(1000)
    assert of.own_delta < of.privacy.delta < of.own_delta * Fraction(102, 100)
    # steps of the noise, of c/2^r last decimals, are the part that r is chosen for
    c = 2 * (1 + 10.0 ** -(decimals + 2)) / float(epsilon) * 10**decimals
    steps = (1 + exp(float(epsilon))) * 2.0 ** (1 - of.bits) * (c + 1)
    assert steps <= float(of.own_delta) / 100 * (1 + 1e-9)
    assert of.bits == 40 or 2 * steps > float(of.own_delta) / 100
    assert of.distance > steps / (1 + exp(float(epsilon))) * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", ["0.001", "1", str(LARGEST_SMOOTH_EPSILON)])
def test_a_distance_counts_for_both_data_sets_and_e_to_the_epsilon_times_for_one(
    epsilon: str,
) -> None:
    """Pr(M in S) <= e^ε·Pr(M' in S) + δ, and either law is off by up to the distance."""
    of = mechanism(epsilon)
    added = of.privacy.delta - of.own_delta
    assert float(added / of.distance) == pytest.approx(1 + exp(float(epsilon)), rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.001", "0.37", "1", "2.9"])
@pytest.mark.parametrize("delta", ["0.000000000001", "0.00001", "0.07"])
def test_the_decay_of_the_sensitivity_is_rounded_up(epsilon: str, delta: str) -> None:
    with localcontext() as context:
        context.prec = 60
        β = Decimal(epsilon) / (2 * (2 / Decimal(delta)).ln())
        exact = (-β).exp() * 2**64
    assert exact <= mechanism(epsilon, delta).decay < exact + 1 + Decimal("1e-9")


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01, 0.1])
def test_the_theorems_proof_holds_for_every_epsilon_that_is_allowed(
    epsilon: float, delta: float
) -> None:
    """Stretching Laplace's law by e^λ, |λ| <= β, costs at most ε/2 up to |z| = ln(2/δ)."""
    L = log(2 / delta)
    β = epsilon / (2 * L)
    for λ in np.linspace(0, β, 50):
        assert L * (exp(λ) - 1) - λ <= epsilon / 2 + 1e-12
    assert β <= epsilon / 2


def test_the_steps_of_the_noise_are_rounded_half_up() -> None:
    of = mechanism()
    point = 1 << of.bits + 40
    sums = [0, point // 2 - 1, point // 2, -(point // 2), -(point // 2) - 1, 7 * point, -3 * point]

    def program(party: Party) -> Shared:
        # fresh shares, as random as any
        x = WideShared.public(party.role, sums)
        if not party.is_helper:
            mask = party.common("mask").words(4 * len(sums)).reshape(4, -1)
            sign = 1 if party.role is Role.P0 else -1
            x = x + WideShared.from_words(party.role, mask) * sign
        return of.rounded(party, x)

    for _ in range(5):
        assert open_locally(run_local(program)).tolist() == [0, 0, 1, 0, -1, 7, -3]
