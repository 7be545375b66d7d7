"""The noisy histogram: its counts, its noise, and what the receiver makes of them.

What a receiver makes of noisy counts: exact where they are, and without a fault where not.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.statistics.histogram_dp import AtCut, along
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.release.test_noise import KEYS, drawn, worst_ratio
from tests.protocols.studies import Owner, Study, run, upload_of

TEXT = "histogram_dp:epsilon=1,bins=8"


def options(*metrics: str, bins: int = 32) -> Options:
    return Options(metrics=metrics, resolution=f"bins:{bins}")


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
            np.array(one.plaintext_words(asked.pipeline.plaintext([upload_of(rows, asked)]), 4))
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
        (("histogram_dp:epsilon=1,bins=1",), 32, "from 2 to 1024"),
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
    one.decode([2**64 - largest] * 16, 4)
    with pytest.raises(RemoteProtocolError):
        one.decode([2**64 - largest - 1] * 16, 4)


def test_counts_without_noise_give_the_auroc_and_the_curve_of_their_samples() -> None:
    rng = np.random.default_rng(6)
    positives, negatives = rng.integers(0, 9, 16), rng.integers(0, 9, 16)
    labels = np.repeat([1, 0] * 16, np.c_[positives, negatives].ravel())
    parts = np.repeat(np.arange(16), positives + negatives)
    found = along(positives.tolist(), negatives.tolist())
    assert float(found[-1].area or 0) == pytest.approx(roc_auc_score(labels, -parts))
    for part, at in enumerate(found):
        above = parts <= part
        assert at.tpr == Fraction(int((above & (labels == 1)).sum()), int(labels.sum()))
        assert at.fpr == Fraction(int((above & (labels == 0)).sum()), int((1 - labels).sum()))
        assert at.precision == Fraction(int((above & (labels == 1)).sum()), int(above.sum()))


def test_the_numerator_of_the_area_is_right_on_the_average_over_the_noise() -> None:
    rng = np.random.default_rng(7)
    positives, negatives = np.array([30, 20, 10, 5]), np.array([10, 25, 40, 60])
    exact = float(along(positives.tolist(), negatives.tolist())[-1].area or 0)
    found = []
    for _ in range(4000):
        p, q = (
            count + rng.geometric(0.4, 4) - rng.geometric(0.4, 4)
            for count in (positives, negatives)
        )
        area = along(p.tolist(), q.tolist())[-1].area or 0
        found.append(float(area) * p.sum() * q.sum() / (65 * 135))
    assert abs(np.mean(found) - exact) < 5 * np.std(found) / 4000**0.5


def test_counts_below_zero_are_cut_off_and_what_has_no_denominator_is_missing() -> None:
    no_positives = [
        AtCut(Fraction(0), None, None, None),
        AtCut(Fraction(1), None, Fraction(0), None),
    ]
    assert along([-2, 1], [0, 3]) == no_positives
    assert along([5, -1], [-1, 4])[0] == AtCut(Fraction(0), Fraction(1), Fraction(1), Fraction(0))
