"""The noises in very many draws, and whole releases: law, mean, and nothing between neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, ks_2samp, norm

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import as_signed
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.release.smooth import SecretScale
from ppaurora.protocols.statistics.histogram_dp import NoisyHistogram
from ppaurora.protocols.statistics.noisy_number import NoisyNumber
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.release.test_smooth import mechanism, released, scale
from tests.protocols.studies import Owner, Study, run

PIECE = 20_000
CELLS, MOST_CELLS = 100, 1000
Whole = NDArray[np.int64]
Law = tuple[Whole, NDArray[np.float64]]
"""The whole numbers that occur, and how likely each is."""
Keys = Mapping[Role, bytes]
AGAIN = 1e-3
"""A smaller p-value is followed by as many draws with other keys."""


def keys(turn: int) -> Keys:
    return {role: bytes([16 * turn + role + 1]) * 32 for role in Role}


def drawn(noise: GeometricNoise, wide: bool, count: int, own: Keys) -> Whole:
    """Noise as the three parties draw it, by pieces."""

    def program(party: Party) -> Shared:
        pieces = []
        for start in range(0, count, PIECE):
            use, size = f"{'wide' if wide else 'narrow'} {start}", min(PIECE, count - start)
            pieces.append(
                noise.drawn_wide(party, use, size).low() if wide else noise.drawn(party, use, size)
            )
        return concatenate(pieces)

    return as_signed(open_locally(run_local(program, lasting_keys=own)))


def geometric(noise: GeometricNoise) -> Law:
    """Pr(i) = (1 - q)/(1 + q)·q^|i|."""
    values = np.arange(-noise.largest, noise.largest + 1)
    q = np.exp(-float(noise.epsilon) / noise.sensitivity)
    return values, (1 - q) / (1 + q) * q ** np.abs(values)


def laplace(c: float) -> Law:
    """Laplace's law of scale c, rounded to whole numbers."""
    values = np.arange(-round(60 * c), round(60 * c) + 1)
    ends = np.append(values - 0.5, values[-1] + 0.5)
    below = np.where(ends < 0, np.exp(-abs(ends) / c) / 2, 1 - np.exp(-abs(ends) / c) / 2)
    return values, np.diff(below)


def alarms(found: Whole, values: Whole, chances: NDArray[np.float64]) -> tuple[float, float, float]:
    """The p-values of a chi-square, of the mean, and of lag one.

    The cells of the chi-square are the numbers that are expected ten times; where these are more
    than a thousand, hundredths of the law.
    """
    cells = np.arange(values.size)
    if (chances * found.size >= 10).sum() > MOST_CELLS:
        cells = np.minimum((np.cumsum(chances) * CELLS).astype(int), CELLS - 1)
    expected = np.bincount(cells, chances) * found.size
    observed = np.bincount(cells[found - values[0]], minlength=expected.size).astype(float)
    filled = expected >= 10
    rest = found.size - np.array([observed[filled].sum(), expected[filled].sum()])
    statistic = ((observed - expected)[filled] ** 2 / expected[filled]).sum()
    statistic += (rest[0] - rest[1]) ** 2 / rest[1] if rest[1] >= 10 else 0.0
    deviation = np.sqrt((chances * values.astype(float) ** 2).sum())
    scaled = found / deviation
    of_mean = scaled.mean() * np.sqrt(found.size)
    of_lag = (scaled[1:] * scaled[:-1]).mean() * np.sqrt(found.size - 1)
    freedom = int(filled.sum()) - 1 + (rest[1] >= 10)
    chance = float(chi2.sf(statistic, max(1, freedom))) if freedom else 1.0
    return chance, float(2 * norm.sf(abs(of_mean))), float(2 * norm.sf(abs(of_lag)))


GEOMETRIC = {
    f"{'wide' if wide else 'narrow'} geometric, epsilon {epsilon}, k {k}": (
        GeometricNoise(Fraction(epsilon), k),
        wide,
    )
    for epsilon, k in (("0.1", 1), ("1", 1), ("10", 1), ("0.5", 3), ("3", 1000))
    for wide in (False, True)
}
SECRET = "a secret scale"
NOISES = [*GEOMETRIC, SECRET]


def noise_and_law(name: str, draws: int, own: Keys) -> tuple[Whole, Law]:
    if name == SECRET:
        of, P, n = mechanism(decimals=4), 1000, 2000
        found = released(of, Fraction(1, 2), P, n, draws, own) - 5000
        return found, laplace(scale(of, P, n))
    noise, wide = GEOMETRIC[name]
    return drawn(noise, wide, draws, own), geometric(noise)


def check(name: str, draws: int) -> None:
    """The keys are fixed, and so is the outcome: an alarm is false three times in a million."""
    for turn in (0, 1):
        found, law = noise_and_law(name, draws, keys(turn))
        assert found.size == draws
        told = dict(zip(("chi-square", "mean", "lag"), alarms(found, *law), strict=True))
        print(f"{name}, {draws:,} draws: {', '.join(f'{k} {p:.4f}' for k, p in told.items())}")
        if min(told.values()) > AGAIN:
            return
    pytest.fail(f"{name}: two runs of {draws} draws with other keys give {told}")


@pytest.mark.parametrize("name", NOISES)
def test_ten_thousand_draws_of_each_noise_follow_its_law(name: str) -> None:
    check(name, 10_000)


@pytest.mark.soak
@pytest.mark.parametrize("draws", [100_000, 10_000_000])
@pytest.mark.parametrize("name", NOISES)
def test_ten_million_draws_of_each_noise_follow_its_law(name: str, draws: int) -> None:
    check(name, draws)


def test_the_alarms_are_raised_by_noise_that_is_wrong() -> None:
    noise = GeometricNoise(Fraction(1), 3)
    law, rng = geometric(noise), np.random.default_rng(1)
    sound = rng.choice(law[0], 100_000, p=law[1] / law[1].sum())
    assert min(alarms(sound, *law)) > 1e-5
    for wrong in (sound + (rng.random(sound.size) < 0.1), np.repeat(sound[::2], 2), sound // 2):
        assert min(alarms(wrong, *law)) < 1e-5


SCORES = np.clip(np.random.default_rng(7).normal(0.35 + 0.25 * (np.arange(200) % 2), 0.15), 0, 1)
LABELS = np.arange(200) % 2
NUMBERS = (
    "auroc_dp:epsilon=1,least_class=100",
    "auroc_dp:epsilon=1,mechanism=smooth,delta=0.00001",
    "average_precision_dp:epsilon=1,least_class=100",
    "average_precision_dp:epsilon=1,mechanism=smooth,delta=0.00001",
)
HISTOGRAM = "histogram_dp:epsilon=1,bins=4"
DECIMALS = 4


def ideal(one: NoisyNumber, draws: int) -> NDArray[np.float64]:
    """The released number, with noise from numpy's own generator in the place of the parties'."""
    keys = encode(SCORES, LABELS, PROBABILITIES)
    [word] = one.plaintext_words(Pooled.of([keys]), DECIMALS)
    of = one.noise(DECIMALS)
    c = (
        scale(of, int((1 - LABELS).sum()), LABELS.size)
        if isinstance(of, SecretScale)
        else of.noise.sensitivity / float(of.noise.epsilon)  # type: ignore[attr-defined]
    )
    noise = np.round(np.random.default_rng(8).laplace(0, c, draws))
    return np.asarray(np.clip((word + noise) / 10**DECIMALS, 0, 1))


def releases(count: int, metrics: tuple[str, ...], **own: Any) -> list[dict[str, str]]:
    """The numbers that so many whole studies of fresh keys release."""
    owners = Owner(SCORES[:80], LABELS[:80]), Owner(SCORES[80:], LABELS[80:])
    of = Study(owners, Options(metrics=metrics, decimals=DECIMALS, **own))
    return [run(of).results for _ in range(count)]


def uncorrelated(columns: NDArray[Any]) -> None:
    between = np.corrcoef(columns.T)[np.triu_indices(columns.shape[1], 1)]
    print(f"correlations up to {np.abs(between).max():.4f}, {len(columns)} releases")
    assert np.abs(between).max() < 5 / np.sqrt(len(columns))


def check_releases(count: int, numbers: tuple[str, ...] = NUMBERS) -> None:
    told = releases(count, numbers, merge="network")
    found = np.array([[float(one[text]) for text in numbers] for one in told])
    for text, column in zip(numbers, found.T, strict=True):
        one = statistic(text)
        assert isinstance(one, NoisyNumber)
        expected = ideal(one, 100_000)
        chance = float(ks_2samp(column, expected).pvalue)
        print(f"{text}: {count} releases, sd {column.std():.4f}, expected {expected.std():.4f}, "
              f"Kolmogorov-Smirnov {chance:.3f}")  # fmt: skip
        assert chance > 1e-5
    uncorrelated(found)


def counts(told: str) -> list[float]:
    """The noisy counts of the bins, as the text of the table has them."""
    cells = (cell.split() for row in told.split("; ") for cell in row.split(", "))
    return [float(value) for name, value in cells if name in ("positives", "negatives")]


def check_histogram(count: int) -> None:
    one = statistic(HISTOGRAM)
    assert isinstance(one, NoisyHistogram)
    of_all = releases(count, (HISTOGRAM,), resolution="bins:8")
    found = np.array([counts(one[HISTOGRAM]) for one in of_all])
    # the highest bin first; a score of 1 is in it
    places = np.minimum((SCORES * 4).astype(int), 3)
    exact = [
        int(((places == bin) & (label == LABELS)).sum()) for bin in (3, 2, 1, 0) for label in (1, 0)
    ]
    noise = (found - exact).astype(int)
    # each count moves by one, and two of them move: ε/2 for one
    law = geometric(GeometricNoise(Fraction(1, 2), 1))
    told = alarms(noise.reshape(-1), *law)
    print(f"{HISTOGRAM}: {noise.size} counts, chi-square {told[0]:.4f}, mean {told[1]:.4f}, "
          f"lag {told[2]:.4f}")  # fmt: skip
    assert min(told) > 1e-5
    uncorrelated(noise)


@pytest.mark.parametrize(
    "numbers",
    # each statistic and each mechanism once
    [(NUMBERS[0], NUMBERS[3]), pytest.param(NUMBERS, marks=pytest.mark.weekly)],
)
def test_forty_whole_releases_of_each_private_statistic_have_their_law(
    numbers: tuple[str, ...],
) -> None:
    check_releases(40, numbers)
    check_histogram(40)


@pytest.mark.soak
def test_two_thousand_whole_releases_of_each_private_statistic_have_their_law() -> None:
    check_releases(2000)
    check_histogram(2000)
