"""The differentially private AUROC: its value, its sensitivity, and that nothing else is told."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

TEXTS = ("auroc_dp:epsilon=1,least_class=20", "auroc_dp:epsilon=0.5,least_class=1")
ROW = tuple[float, int]


@pytest.fixture(name="silent")
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No digit of the noise is ever one: all else is computed as ever."""
    monkeypatch.setattr(GeometricNoise, "thresholds", lambda self: [0] * self.digits)


def shrunk(scores: list[float], labels: list[int], b: int) -> Fraction:
    """1/2 + (AUROC - 1/2)·min(1, min(P, N)/b), by the definition."""
    positives = [score for score, label in zip(scores, labels, strict=True) if label]
    negatives = [score for score, label in zip(scores, labels, strict=True) if not label]
    if not positives or not negatives:
        return Fraction(1, 2)
    won = sum(Fraction((x > y) + (x >= y), 2) for x in positives for y in negatives)
    area = won / (len(positives) * len(negatives))
    smaller = min(len(positives), len(negatives))
    return Fraction(1, 2) + (area - Fraction(1, 2)) * min(Fraction(1), Fraction(smaller, b))


def check_all(studies: list[Study]) -> None:
    for study in studies:
        outcome = run(study)
        [text] = study.options.metrics
        b = statistic(text).least_class
        one = 10**study.options.decimals
        word = (2 * one * shrunk(study.scores, study.labels, b) + 1) // 2
        assert Fraction(outcome.results[text]) == Fraction(word, one)


@pytest.mark.usefixtures("silent")
def test_drawn_studies_have_the_shrunk_auroc_before_the_noise() -> None:
    check_all(one_of_each_size(drawn_studies, 31, [(text,) for text in TEXTS], 9))


@pytest.mark.soak
@pytest.mark.usefixtures("silent")
def test_five_hundred_studies_have_the_shrunk_auroc_before_the_noise() -> None:
    check_all(drawn_studies(500, 32, [(text,) for text in TEXTS], 9))


def value(rows: tuple[ROW, ...], text: str, decimals: int) -> int:
    """The whole number to which the noise is added."""
    scores, labels = (np.array(column) for column in zip(*rows, strict=True))
    keys = encode(scores.astype(float), labels, PROBABILITIES)
    return statistic(text).plaintext_words(Pooled.of([keys]), decimals)[0]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_replacing_one_sample_changes_the_value_by_at_most_its_sensitivity(n: int) -> None:
    """Every labelling and order of n samples, ties included, and each with one sample replaced."""
    rows = [(score, label) for score in (0.2, 0.5, 0.8) for label in (0, 1)]
    sets = list(combinations_with_replacement(rows, n))
    for b in (1, 2, 3, 5):
        text = f"auroc_dp:epsilon=1,least_class={b}"
        values = {one: value(one, text, 6) for one in sets}
        most = 0
        for one in sets:
            for row in set(one):
                rest = Counter(one) - Counter([row])
                for other in rows:
                    neighbour = tuple(sorted((rest + Counter([other])).elements()))
                    most = max(most, abs(values[one] - values[neighbour]))
        noise = statistic(text).noise(6).noise
        assert most <= noise.sensitivity == ceil(Fraction(3 * 10**6, 2 * b))
        # it is not far from being attained
        if n == 5 and b <= 2:
            assert most > noise.sensitivity // 3


def test_the_released_value_is_noisy_and_unbiased() -> None:
    rng = np.random.default_rng(4)
    labels = np.repeat([0, 1], 100)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1)
    study = Study(
        (Owner(scores, labels),),
        Options(metrics=("auroc_dp:epsilon=1,least_class=100",), decimals=4),
    )
    found = np.array([float(*one.results.values()) for one in run_all([study] * 40)])
    # scale 0.015, standard deviation 0.0212
    assert abs(found.mean() - roc_auc_score(labels, scores)) < 5 * 0.0212 / 40**0.5
    assert 0.012 < found.std() < 0.035
    assert len(set(found)) > 20


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1]])
def test_a_missing_class_is_not_told(labels: list[int]) -> None:
    study = Study((Owner([0.1, 0.2, 0.3], labels),), Options(metrics=(TEXTS[0],), decimals=4))
    assert all(0 <= float(value) <= 1 for value in run(study).results.values())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"metrics": (TEXTS[0], "auroc")}, "beside exact ones"),
        ({"metrics": (TEXTS[0],), "ties": "helper"}, "would learn about the lists"),
        ({"metrics": (TEXTS[0],), "merge": "delta", "delta": 3}, "would learn about the lists"),
        ({"metrics": ("auroc_dp:epsilon=11,least_class=9",)}, "0.001 to 10"),
        ({"metrics": ("auroc_dp:least_class=9",)}, "without epsilon"),
        ({"metrics": ("auroc_dp:epsilon=1,least_class=0",)}, "from 1 to"),
    ],
)
def test_what_would_undo_it_is_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(OptionRefused, match=says):
        Options(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_sorts_of_which_nobody_learns_anything_go_with_it(merge: str) -> None:
    options = Options(metrics=(TEXTS[0],), merge=merge)
    told = ledger(options, [100, 100, 100]).learns
    # what the helper hears follows from chance alone; the ledger tells it all the same
    assert options.pipeline.helper_learns(300, options.inputs) == ()
    beside = told.helper[len(told.P0) :]
    assert [one.count("tell nothing of the lists") for one in beside] == [1] * (merge != "network")


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_a_repeated_session_releases_the_same_noisy_value(merge: str) -> None:
    rng = np.random.default_rng(8)
    lists = [Owner(rng.random(n), rng.integers(0, 2, n)) for n in (50, 40)]
    study = Study(tuple(lists), Options(metrics=(TEXTS[0],), decimals=4, merge=merge))

    def value(lasting_keys: dict[Role, bytes]) -> int:
        def program(party: Party, *uploads: Shared) -> Shared:
            return evaluate(party, study.options, uploads).results[TEXTS[0]]

        at = run_local(program, *study.shares(), lasting_keys=lasting_keys)
        return int(open_locally(at)[0])

    keys = {role: bytes([role]) * 32 for role in Role}
    assert len({value(keys) for _ in range(3)}) == 1
    assert len({value(keys | {Role.P1: bytes([number]) * 32}) for number in range(10, 14)}) > 1


def test_the_ledger_adds_up_what_several_numbers_cost() -> None:
    alone = ledger(Options(metrics=(TEXTS[0],)), [100, 100, 100])
    assert alone.learns.receivers == (
        f"{TEXTS[0]}: the noisy value, ε = 1, δ below 2^-56, and nothing else; the noise has the "
        "scale 0.075000 (19 of 20 times it is at most 0.224678 to either side)",
    )
    both = ledger(Options(metrics=TEXTS), [100, 100, 100])
    assert both.learns.receivers[-1] == "all of them together: ε = 1.5, δ below 2^-55"


def test_a_number_with_noise_of_a_public_scale_says_it() -> None:
    released = statistic(TEXTS[0]).decode([8273], 4)
    # 1.5/(epsilon·least_class)
    assert released.to_json()["noise"] == "0.075000"


def test_the_scale_of_secret_class_counts_is_told_for_the_least_sizes() -> None:
    """As measured: 20 and 20 samples have noise of scale .918, not 2/(1·20)."""
    text = "auroc_dp:epsilon=1,mechanism=smooth,delta=0.00001"
    told = ledger(Options(metrics=(text,), merge="network"), [20, 10, 10]).warnings[0]
    assert told.startswith(f"{text}: among 40 samples the noise has the scale 0.918372 (19 of 20 ")
    assert "0.1 " not in told
    assert "size of the smaller class" not in statistic(text).title
    assert "noise" not in statistic(text).decode([8273], 4).to_json()


def test_words_that_no_noise_makes_are_refused() -> None:
    one = statistic(TEXTS[0])
    largest = one.noise(4).largest
    assert str(one.decode([10**4 + largest], 4)) == "1.0000"
    assert str(one.decode([2**64 - largest], 4)) == "0.0000"
    for word in (10**4 + largest + 1, 2**64 - largest - 1):
        with pytest.raises(RemoteProtocolError):
            one.decode([word], 4)
