"""Cauchy noise: its law, how private it is, what it makes of a value, and every part of its δ."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, pi

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import cauchy, kstest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS
from ppaurora.protocols.release.cauchy import (
    LIKELY,
    MISSED,
    POINTS,
    SIDE_BITS,
    CauchyScale,
    drawn_point,
)
from ppaurora.protocols.release.sensitivity import UNIT, of_auroc, of_average_precision
from tests.mpc.every_case import opened

KEYS = {role: bytes([role + 1]) * 32 for role in Role}
R = 1 << SIDE_BITS


def mechanism(epsilon: str = "1", decimals: int = 4) -> CauchyScale:
    return CauchyScale(Fraction(epsilon), of_auroc, decimals)


def points(count: int, keys: dict[Role, bytes] = KEYS) -> tuple[list[int], list[int]]:
    """The coordinates of so many points of the half disc, as three parties draw them."""
    found = run_local(lambda party: drawn_point(party, "noise", count), lasting_keys=keys)
    words = opened(found[Role.P0], found[Role.P1])
    numbers = [one - (1 << WIDE_BITS) * (one >> WIDE_BITS - 1) for one in words]
    return numbers[:count], numbers[count:]


def check_law(count: int) -> None:
    X, Y = points(count)
    assert all(0 < y <= R and x * x + y * y < R * R and x % 2 for x, y in zip(X, Y, strict=True))
    x, y = (np.array([float(Fraction(one, R)) for one in of]) for of in (X, Y))
    for drawn, law in (
        (x / y, cauchy.cdf),
        # of a point in a disc the squared radius is uniform, and apart from the angle
        (x**2 + y**2, "uniform"),
    ):
        assert kstest(drawn, law).pvalue > 1e-4
    assert abs(np.corrcoef(x**2 + y**2, np.arctan(x / y))[0, 1]) < 4.5 / np.sqrt(count)


def test_the_noise_follows_cauchys_law() -> None:
    check_law(400)


@pytest.mark.soak
def test_four_thousand_draws_follow_cauchys_law() -> None:
    check_law(4_000)


def test_a_session_that_is_repeated_draws_the_same_noise_and_another_another() -> None:
    assert points(3) == points(3)
    others = {role: bytes([role + 7]) * 32 for role in Role}
    assert not {*points(3)[0]} & {*points(3, others)[0]}


@pytest.mark.parametrize(("x", "y"), [(R - 1, 1), (1 - R, 1), (1, R), (R // 3 * 2 + 1, R // 2)])
@pytest.mark.parametrize("value", [0, 731_949, 731_950, 10**6])
def test_the_number_is_cut_off_and_rounded_once(x: int, y: int, value: int) -> None:
    of, c = mechanism(), (20 << 40) + 12345

    def program(party: Party) -> Shared:
        v, scale = (WideShared.public(party.role, [one]) for one in (value, c))
        return of.released(party, v, scale, WideShared.public(party.role, [x, y]))

    exact = Fraction(value, 100) + Fraction(c, 1 << 40) * Fraction(x, y)
    cut = min(max(exact, Fraction(0)), Fraction(10**4))
    assert open_locally(run_local(program)).tolist() == [(2 * cut + 1) // 2]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
@pytest.mark.parametrize("table", [of_auroc, of_average_precision])
def test_neighbours_are_as_close_as_epsilon_says(epsilon: str, table) -> None:  # type: ignore[no-untyped-def]
    n, of = 60, CauchyScale(Fraction(epsilon), table, 4)
    c = np.array(of.scales(n)) / 2**40 / 10**4
    moved = np.array(table(n)) / UNIT
    t = np.concatenate([np.linspace(-3, 3, 4001), [-1e6, 1e6]])

    def log_density(P: int, f: float) -> NDArray[np.float64]:
        z = (t - f) / c[P]
        return np.asarray(-np.log(pi * c[P] * (1 + z * z)))

    worst = max(
        float(np.abs(log_density(P, 0.0) - log_density(Q, side * moved[P])).max())
        for P in range(n + 1)
        for Q in {max(0, P - 1), P, min(n, P + 1)}
        for side in (-1, 1)
    )
    assert float(epsilon) * 0.4 < worst <= float(epsilon)


def test_delta_is_what_rounding_and_missing_the_disc_may_add() -> None:
    assert 1 - pi / 4 < MISSED
    of = mechanism(decimals=9)
    assert log(float(of.distance), 2) < -70
    assert of.privacy.delta == pytest.approx((1 + exp(1)) * float(of.distance))
    assert float(of.distance) >= float(MISSED) ** POINTS
    assert cauchy.sf(float(LIKELY)) * 2 == pytest.approx(0.05, rel=1e-4)


def test_too_many_decimals_are_refused() -> None:
    assert mechanism(decimals=11).fits(1000)
    assert not mechanism(decimals=13).fits(1000)
    assert mechanism(decimals=13).fits(0)
