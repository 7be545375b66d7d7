"""The noisy histogram: its counts, its noise, and what the receiver makes of them."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.release.test_noise import KEYS, drawn, worst_ratio
from tests.protocols.studies import Owner, Study, run, upload_of

TEXT = "histogram_dp:epsilon=1,bins=8"


def options(*metrics: str, bins: int = 32) -> Options:
    return Options(metrics=metrics, mode="grid", bins=bins)


def owners(seed: int, sizes: tuple[int, ...] = (70, 0, 50)) -> tuple[Owner, ...]:
    rng = np.random.default_rng(seed)
    return tuple(Owner(rng.random(size), rng.integers(0, 2, size)) for size in sizes)


def counted(of: tuple[Owner, ...]) -> list[list[int]]:
    """Positives and negatives in eight parts, the highest first."""
    scores = np.concatenate([one.scores for one in of])
    labels = np.concatenate([one.labels for one in of])
    return [np.histogram(scores[labels == label], 8, (0, 1))[0][::-1].tolist() for label in (1, 0)]


def rows(text: str) -> list[dict[str, str]]:
    return [dict(cell.split(" ") for cell in row.split(", ")) for row in text.split("; ")]


def test_without_noise_the_counts_are_those_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GeometricNoise, "thresholds", lambda self: [0] * self.digits)
    of = owners(1)
    [text] = run(Study(of, options(TEXT))).results.values()
    positives, negatives = counted(of)
    assert [int(row["positives"]) for row in rows(text)] == positives
    assert [int(row["negatives"]) for row in rows(text)] == negatives
    assert [row["threshold"] for row in rows(text)][:2] == ["0.875", "0.75"]
    assert rows(text)[-1]["tpr"] == rows(text)[-1]["fpr"] == "1.0000"


def test_every_count_has_noise_of_its_own_around_zero() -> None:
    of = owners(2)
    positives, negatives = counted(of)
    off = []
    for _ in range(25):
        [text] = run(Study(of, options(TEXT))).results.values()
        off.append(
            [int(row["positives"]) for row in rows(text)]
            + [int(row["negatives"]) for row in rows(text)]
        )
    noise = np.array(off) - [*positives, *negatives]
    # variance of Pr(i) ~ q^|i| with q = e^(-1/2): 2q/(1 - q)² = 7.84
    q = exp(-0.5)
    deviation = (2 * q / (1 - q) ** 2) ** 0.5
    assert abs(noise.mean()) < 5 * deviation / noise.size**0.5
    assert 0.75 * deviation < noise.std() < 1.25 * deviation
    assert np.abs(np.corrcoef(noise.T) - np.eye(16)).max() < 0.9
    assert len(np.unique(noise, axis=0)) == 25


def test_replacing_one_sample_changes_two_counts_by_one() -> None:
    rng = np.random.default_rng(3)
    asked, one = options(TEXT), statistic(TEXT)
    changes = set()
    for _ in range(60):
        scores, labels = rng.random(5), rng.integers(0, 2, 5)
        other = Owner(np.r_[rng.random(1), scores[1:]], np.r_[rng.integers(0, 2, 1), labels[1:]])
        before, after = (
            np.array(one.in_clear(asked.pipeline.in_clear([upload_of(rows, asked)]), 4))
            for rows in (Owner(scores, labels), other)
        )
        changes.add(tuple(sorted((after - before)[after != before].tolist())))
    assert changes == {(), (-1, 1)}


def audit(draws: int) -> None:
    """Two data sets of which a sample lies in the first cell, or in the second one.

    The event that both counts speak for the first cell, by t at least: with half the noise its
    likelihood ratio is beyond ε.
    """
    for used, sound in ((1, True), (2, False)):
        noise = statistic(f"histogram_dp:epsilon={used},bins=8").noise
        g = drawn(noise, 4 * draws, KEYS).reshape(4, draws)
        here = np.minimum(g[0] + 1, -g[1])
        there = np.minimum(g[2], -g[3] - 1)
        assert (worst_ratio(here, there) <= 1) == sound


def test_an_auditor_of_two_cells_finds_no_more_than_epsilon() -> None:
    audit(15_000)


@pytest.mark.soak
def test_an_auditor_of_many_draws_of_two_cells_finds_the_same() -> None:
    audit(300_000)


def test_delta_counts_every_cell() -> None:
    one = statistic(TEXT)
    assert one.privacy(4).epsilon == 1
    assert one.privacy(4).delta == 16 * one.noise.delta
    both = options(TEXT, "histogram_dp:epsilon=0.5,bins=4").privacy
    assert both is not None
    assert both.epsilon == Fraction(3, 2)


def test_a_missing_class_is_not_told() -> None:
    of = (Owner([0.2, 0.4, 0.9], [0, 0, 0]),)
    found = run(Study(of, options("histogram_dp:epsilon=0.1,bins=8"))).results
    [text] = found.values()
    assert any(int(row["positives"]) != 0 for row in rows(text))


def test_the_ledger_says_that_all_follows_from_the_counts() -> None:
    [told] = ledger(options(TEXT), [100, 100, 100]).learns.receivers
    assert told == (
        f"{TEXT}: the noisy counts of both classes in 8 parts of the scores, ε = 1, δ below 2^-53, "
        "and nothing else: rates and area follow from these counts"
    )


@pytest.mark.parametrize(
    ("metrics", "bins", "says"),
    [
        ((TEXT, "brier"), 32, "beside exact ones"),
        (("histogram_dp:epsilon=1,bins=12",), 32, "power of two"),
        (("histogram_dp:epsilon=1,bins=64",), 32, "not between two of the 32 bins"),
        (("histogram_dp:epsilon=11",), 64, "0.001 to 10"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    metrics: tuple[str, ...], bins: int, says: str
) -> None:
    with pytest.raises(OptionRefused, match=says):
        options(*metrics, bins=bins).pipeline  # noqa: B018


def test_words_that_no_noise_makes_are_refused() -> None:
    one = statistic(TEXT)
    largest = one.noise.largest
    one.released([2**64 - largest] * 16, 4)
    with pytest.raises(RemoteProtocolError):
        one.released([2**64 - largest - 1] * 16, 4)
