"""The differentially private average precision: its value, its noise, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.release.test_noise import KEYS, drawn, worst_ratio
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.statistics.neighbours import of
from tests.protocols.studies import Owner, Study, run

TEXTS = (
    "average_precision_dp:epsilon=1,least_class=20",
    "average_precision_dp:epsilon=0.5,least_class=1",
)
SMOOTH = "average_precision_dp:epsilon=1,mechanism=smooth,delta=0.00001"
PAIR = (((4, 1), (3, 1), (2, 1), (1, 0)), ((4, 0), (3, 1), (2, 1), (1, 0)))
"""Two rankings: scores and labels."""
TOO_MUCH = "average_precision_dp:epsilon=3.1,mechanism=smooth,delta=0.1"


@pytest.fixture(name="silent")
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No digit of the noise is ever one: all else is computed as ever."""
    monkeypatch.setattr(GeometricNoise, "thresholds", lambda self: [0] * self.digits)


def pessimistic(scores: list[float], labels: list[int]) -> Fraction:
    """Σ i/(i + negatives that are as high or higher) over the positives, from the highest."""
    positives = sorted((s for s, y in zip(scores, labels, strict=True) if y), reverse=True)
    negatives = [s for s, y in zip(scores, labels, strict=True) if not y]
    return sum(
        (
            Fraction(i, i + sum(other >= score for other in negatives))
            for i, score in enumerate(positives, 1)
        ),
        Fraction(0),
    )


def check_all(studies: list[Study]) -> None:
    for study in studies:
        [text] = study.options.metrics
        one = 10**study.options.decimals
        b = statistic(text).noise(study.options.decimals).least_class
        value = one * pessimistic(study.scores, study.labels) / max(sum(study.labels), b)
        found = Fraction(run(study).results[text]) * one
        # the smooth one is rounded twice
        off = Fraction(1, 2) if text in TEXTS else Fraction(505, 1000)
        assert abs(found - value) <= off


@pytest.mark.usefixtures("silent")
def test_drawn_studies_have_the_pessimistic_average_precision_before_the_noise() -> None:
    check_all(one_of_each_size(drawn_studies, 33, [(text,) for text in (*TEXTS, SMOOTH)], 7))


@pytest.mark.soak
@pytest.mark.usefixtures("silent")
def test_five_hundred_studies_have_the_pessimistic_average_precision_before_the_noise() -> None:
    check_all(drawn_studies(500, 34, [(text,) for text in (*TEXTS, SMOOTH)], 7))


@pytest.mark.usefixtures("silent")
def test_without_ties_it_is_what_scikit_learn_gives() -> None:
    rng = np.random.default_rng(5)
    scores, labels = rng.permutation(60) / 60, rng.integers(0, 2, 60)
    study = Study(
        (Owner(scores[:25], labels[:25]), Owner(scores[25:], labels[25:])),
        Options(metrics=TEXTS, decimals=6),
    )
    assert sum(labels) >= 20
    expected = f"{average_precision_score(labels, scores):.6f}"
    assert run(study).results == dict.fromkeys(TEXTS, expected)


@pytest.mark.usefixtures("silent")
def test_beside_the_auroc_ties_count_half_there_and_against_the_classifier_here() -> None:
    auroc = "auroc_dp:epsilon=1,least_class=1"
    study = Study((Owner([0.5] * 4, [1, 1, 0, 0]),), Options(metrics=(TEXTS[1], auroc), decimals=4))
    # the positives at places 3 and 4: (1/3 + 2/4)/2
    assert run(study).results == {TEXTS[1]: "0.4167", auroc: "0.5000"}


def test_it_is_not_told_that_there_are_no_positives() -> None:
    study = Study(
        (Owner([0.1, 0.2, 0.3], [0, 0, 0]),), Options(metrics=(TEXTS[0], SMOOTH), decimals=4)
    )
    assert all(0 <= float(value) <= 1 for value in run(study).results.values())


@pytest.mark.parametrize(
    ("metrics", "says"),
    [
        ((TEXTS[0], "average_precision"), "beside exact ones"),
        (("average_precision_dp:epsilon=1",), "without least_class"),
        (("average_precision_dp:epsilon=1,least_class=0",), "from 1 to"),
        (("average_precision_dp:epsilon=1,least_class=9,delta=0.01",), "and delta"),
        (("average_precision_dp:epsilon=1,mechanism=smooth",), "without delta"),
        ((f"{SMOOTH},least_class=9",), "and least_class"),
        ((TOO_MUCH,), "not proved"),
        ((f"{TEXTS[0]},sensitivity=printed",), "not printed"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(metrics: tuple[str, ...], says: str) -> None:
    with pytest.raises(OptionRefused, match=says):
        Options(metrics=metrics)


def test_repeated_sessions_release_the_same_noisy_value_whatever_their_sort() -> None:
    rng = np.random.default_rng(8)
    lists = tuple(Owner(rng.random(n), rng.integers(0, 2, n)) for n in (20, 30))
    keys = {role: bytes([role]) * 32 for role in Role}

    def value(merge: str, lasting_keys: dict[Role, bytes]) -> list[int]:
        study = Study(lists, Options(metrics=(TEXTS[0], SMOOTH), decimals=4, merge=merge))

        def program(party: Party, *uploads: Shared) -> list[Shared]:
            return list(evaluate(party, study.options, uploads).results.values())

        at = run_local(program, *study.shares(), lasting_keys=lasting_keys)
        return [int(open_locally([one[k] for one in at])[0]) for k in (0, 1)]

    first = value("network", keys)
    assert value("shuffled", keys) == value("auto", keys) == first
    assert value("network", keys | {Role.P1: bytes(32)}) != first


def audit(draws: int) -> None:
    """Noisy releases of three positives at the top, and of the same with the first one negative.

    They differ by all that the shrunk value can, H_3/3 at b = 3. The likelihood ratio of every
    event "at least t" stays within ε; with half the noise it does not.
    """
    epsilon, b, decimals = Fraction(1), 3, 2
    for used, sound in ((epsilon, True), (2 * epsilon, False)):
        text = f"average_precision_dp:epsilon={used},least_class={b}"
        first, second = (
            statistic(text).plaintext_words(of(tuple(one)), decimals)[0] for one in PAIR
        )
        noise = statistic(text).noise(decimals).noise
        both = drawn(noise, 2 * draws, KEYS)
        worst = worst_ratio(first + both[:draws], second + both[draws:])
        assert (worst <= float(epsilon)) == sound
        assert first - second in (noise.sensitivity - 1, noise.sensitivity)


def test_an_auditor_of_two_neighbouring_rankings_finds_no_more_than_epsilon() -> None:
    audit(8_000)


@pytest.mark.soak
def test_an_auditor_of_many_releases_of_two_rankings_finds_the_same() -> None:
    audit(200_000)


def test_the_ledger_tells_what_every_number_costs() -> None:
    told = ledger(Options(metrics=(TEXTS[0], SMOOTH)), [100, 100, 100]).learns
    assert told.receivers == (
        f"{TEXTS[0]}: the noisy value, ε = 1, δ below 2^-56, and nothing else; the noise has the "
        "scale 0.179900 (19 of 20 times it is at most 0.538926 to either side)",
        f"{SMOOTH}: the noisy value, ε = 1, δ below 0.0000101, and nothing else",
        "all of them together: ε = 2, δ below 0.0000101",
    )
