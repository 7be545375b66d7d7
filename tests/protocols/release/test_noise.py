"""The noise of differential privacy: its law, how private it is, and that repetitions repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy.stats import chi2

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.words import as_signed
from ppaurora.protocols.release.noise import LARGEST_EPSILON, GeometricNoise

DRAWS = 100_000
PIECE = 20_000
KEYS = {role: bytes([role + 1]) * 32 for role in Role}


def drawn(
    noise: GeometricNoise, count: int, keys: Mapping[Role, bytes] | None = None
) -> np.ndarray:
    """Noise as the three parties draw it, put together; many by pieces, to spare memory."""
    whole, rest = divmod(count, PIECE)
    pieces = [PIECE] * whole + [rest] * (rest > 0)

    def program(party):
        return concatenate(
            [noise.drawn(party, f"piece {place}", piece) for place, piece in enumerate(pieces)]
        )

    return as_signed(open_locally(run_local(program, lasting_keys=keys)))


def law(noise: GeometricNoise, values: np.ndarray) -> np.ndarray:
    """Pr(i) = (1 - q)/(1 + q)·q^|i|."""
    q = exp(-float(noise.epsilon) / noise.sensitivity)
    return (1 - q) / (1 + q) * q ** np.abs(values)


def worst_ratio(first: np.ndarray, second: np.ndarray) -> float:
    """The ratio of the chances of an outcome of two releases, beyond what chance explains.

    Over all events "at least t": the logarithm of the ratio of their frequencies less four standard
    errors. Sound noise of ε exceeds ε in one of 15,000 events.
    """
    worst = 0.0
    for t in range(int(min(first.min(), second.min())), int(max(first.max(), second.max())) + 1):
        for a, b in (((first >= t), (second >= t)), ((first < t), (second < t))):
            hits, others = int(a.sum()), int(b.sum())
            if hits >= 50 and others >= 50:
                error = 4 * (1 / hits + 1 / others) ** 0.5
                worst = max(worst, abs(np.log(hits / others)) - error)
    return worst


@pytest.mark.parametrize(("epsilon", "sensitivity"), [("5", 1), ("1", 1), ("0.5", 3)])
def test_the_noise_follows_its_law(epsilon: str, sensitivity: int) -> None:
    """Chi-square at a false alarm rate of one in 100,000; the keys are fixed, so is the outcome."""
    noise = GeometricNoise(Fraction(epsilon), sensitivity)
    found = drawn(noise, DRAWS, KEYS)
    cells = np.arange(-40, 41)
    cells = cells[law(noise, cells) * DRAWS >= 10]
    expected = law(noise, cells) * DRAWS
    observed = np.array([(found == cell).sum() for cell in cells])
    beyond = DRAWS - observed.sum(), DRAWS - expected.sum()
    statistic = ((observed - expected) ** 2 / expected).sum()
    statistic += (beyond[0] - beyond[1]) ** 2 / beyond[1]
    assert statistic < chi2.isf(1e-5, cells.size)


def audit(epsilon: Fraction, runs: int) -> None:
    """So many runs of two neighbouring data sets whose values differ by the whole sensitivity."""
    k = 2
    for used, sound in ((epsilon, True), (2 * epsilon, False)):
        both = drawn(GeometricNoise(used, k), 2 * runs, KEYS)
        assert (worst_ratio(both[:runs], both[runs:] + k) <= float(epsilon)) == sound


def test_an_auditor_finds_no_more_than_epsilon_and_finds_half_the_noise() -> None:
    audit(Fraction(1), 20_000)


@pytest.mark.soak
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2"])
def test_an_auditor_of_many_runs_finds_the_same(epsilon: str) -> None:
    audit(Fraction(epsilon), 200_000)


def test_a_repeated_session_draws_the_same_noise() -> None:
    noise = GeometricNoise(Fraction("0.01"), 1000)
    first = drawn(noise, 3, KEYS)
    assert drawn(noise, 3, KEYS).tolist() == first.tolist()
    assert len(set(first.tolist())) == 3


@pytest.mark.parametrize("role", [Role.P0, Role.P1])
def test_another_occasion_at_either_proxy_draws_another_noise_from_both(role: Role) -> None:
    """A change at one proxy, such as its part of an upload, changes the other's words too."""
    noise = GeometricNoise(Fraction("0.01"), 1000)
    own: dict[Role, list[bytes]] = {Role.P0: [], Role.P1: []}

    def program(party):
        result = noise.drawn(party, "a number")
        if not party.is_helper:
            own[party.role].append(b"".join(sorted(map(str.encode, party._lasting._opened))))
        return result

    other = KEYS | {role: b"other uploads".ljust(32)}
    values = [
        as_signed(open_locally(run_local(program, lasting_keys=keys))).tolist()
        for keys in (KEYS, other)
    ]
    assert values[0] != values[1]
    unchanged = Role.P1 if role is Role.P0 else Role.P0
    assert own[unchanged][0] != own[unchanged][1]


def test_the_distance_bounds_what_62_bits_and_few_digits_change() -> None:
    """The exact law of G as drawn, in fractions of its thresholds, against the geometric law."""
    noise = GeometricNoise(Fraction(10), 1)
    q = Fraction(Decimal(-10).exp(Context(prec=60)))
    drawn_law = {0: Fraction(1)}
    for digit, threshold in enumerate(noise.thresholds()):
        one = Fraction(threshold, 1 << 62)
        drawn_law = {
            value + (bit << digit): p * (one if bit else 1 - one)
            for value, p in drawn_law.items()
            for bit in (0, 1)
        }
    ideal = {value: (1 - q) * q**value for value in drawn_law}
    off = sum(abs(drawn_law[value] - ideal[value]) for value in ideal) + 1 - sum(ideal.values())
    # of G - G' at most twice that of G
    assert 0 < off <= noise.distance


@pytest.mark.parametrize("epsilon", ["0.001", "1", str(LARGEST_EPSILON)])
@pytest.mark.parametrize("sensitivity", [1, 30, 10**12])
def test_delta_is_small_and_no_digit_that_matters_is_missing(
    epsilon: str, sensitivity: int
) -> None:
    noise = GeometricNoise(Fraction(epsilon), sensitivity)
    assert noise.delta < Fraction(1, 1 << 41)
    assert (noise.largest + 1) * noise.epsilon >= 45 * noise.sensitivity
    assert all(0 <= threshold <= 1 << 61 for threshold in noise.thresholds())


@pytest.mark.parametrize("k", [1, 3, 16])
def test_the_distance_counts_every_digit_that_is_rounded_and_all_that_are_left_out(k: int) -> None:
    """At the least epsilon for which so few digits are enough, the ones left out weigh most."""
    noise = GeometricNoise(Fraction(45 * k, 8 * k), k)
    exactly = Context(prec=80)
    power = -noise.epsilon * (1 << noise.digits) / noise.sensitivity
    beyond = Fraction(exactly.exp(exactly.divide(power.numerator, power.denominator)))
    # G and G': a digit's probability is off by half a unit of 2^-62 at most
    assert noise.distance >= 2 * noise.digits * Fraction(1, 1 << 63) + 2 * beyond * (1 - beyond)


@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "10"])
def test_a_distance_counts_for_both_data_sets_and_e_to_the_epsilon_times_for_one(
    epsilon: str,
) -> None:
    """(ε, δ) of a law that is off by Δ: P <= P* + Δ <= e^ε·Q* + Δ <= e^ε·(Q + Δ) + Δ."""
    noise = GeometricNoise(Fraction(epsilon), 7)
    factor = noise.delta / noise.distance
    assert abs(float(factor) / (1 + exp(float(noise.epsilon))) - 1) < 1e-12


def test_its_cost_is_as_declared() -> None:
    noise = GeometricNoise(Fraction(1), 20)
    parties = []

    def program(party):
        parties.append(party)
        return noise.drawn(party, "a number", 3)

    run_local(program)
    assert max(party.hops for party in parties) == noise.cost(3).hops == 6
    sent = sum(link.counters.bytes_sent for party in parties for link in party.links.values())
    assert sent == noise.cost(3).payload
