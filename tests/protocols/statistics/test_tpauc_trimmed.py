"""The trimmed two-way partial area, against all pairs and order statistics as printed."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ppaurora.bench.papers.experiments.tpauc_bias import ONE_LAW, estimates
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.lists.scale import Scale, encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn import labellings, one_of_each_size, varied_studies
from tests.protocols.studies import Owner, Study, run, run_all

REGIONS = {
    "tpauc_trimmed:min_tpr=0.5,max_fpr=0.5": ("0.5", "0.5"),
    "tpauc_trimmed:min_tpr=0.8,max_fpr=0.2": ("0.8", "0.2"),
    "tpauc_trimmed:min_tpr=0.125,max_fpr=0.9": ("0.125", "0.9"),
    "tpauc_trimmed:min_tpr=0.333,max_fpr=0.05": ("0.333", "0.05"),
}
ASKED = [tuple(REGIONS)[:2], tuple(REGIONS)[2:]]


def order_statistic(values: list[float], place: Fraction) -> float:
    """The value at the largest index smaller than `place`, -∞ at an index below 1."""
    index = max((i for i in range(len(values) + 1) if i < place), default=0)
    return sorted(values)[index - 1] if index >= 1 else -inf


def by_pairs(study: Study, b: Fraction, u: Fraction) -> Fraction | None:
    """[tpAUC, Eq. 14], pair by pair."""
    rows = list(zip(study.scores, study.labels, strict=True))
    X, Y = ([score for score, label in rows if label == of] for of in (1, 0))
    if not X or not Y:
        return None
    most, least = order_statistic(X, (1 - b) * len(X)), order_statistic(Y, (1 - u) * len(Y))
    won = sum(x > y and x <= most and y >= least for x in X for y in Y)
    return Fraction(won, len(X) * len(Y))


def check_all(studies: list[Study]) -> int:
    """Assert that all values are right; how many are above 0."""
    positive = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        for text, told in outcome.results.items():
            b, u = map(Fraction, REGIONS[text])
            value = by_pairs(study, b, u)
            if value is None:
                assert told == "undefined: a class is missing"
                continue
            assert told == rounded(value, study.options.decimals)
            positive += value > 0
    return positive


def test_drawn_studies_have_the_pairs_between_the_order_statistics() -> None:
    assert check_all(one_of_each_size(varied_studies, 29, ASKED, 15)) > 4


@pytest.mark.soak
def test_five_hundred_studies_have_the_pairs_between_the_order_statistics() -> None:
    assert check_all(varied_studies(500, 30, ASKED, 15)) > 150


def test_every_labelling_of_four_samples_has_the_pairs_between_the_order_statistics() -> None:
    """With four samples many of the printed indices are 0."""
    studies = [
        Study((Owner(scores, labels),), Options(metrics=tuple(REGIONS)[::2]))
        for scores in ([0.1, 0.2, 0.2, 0.7], [0.1, 0.2, 0.3, 0.4])
        for labels in labellings(scores)
    ]
    assert check_all(studies) >= 5


def test_the_printed_floor_leaves_out_a_whole_number() -> None:
    """Of four positives and b = 1/2 the smallest is kept, of four negatives all from the first."""
    scores, labels = [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], [1, 0, 1, 0, 1, 0, 1, 0]
    text = "tpauc_trimmed:min_tpr=0.5,max_fpr=0.5"
    study = Study((Owner(scores, labels),), Options(metrics=(text,)))
    # X <= 0.2 and Y >= 0.1: one pair of sixteen
    assert run(study).results == {text: "0.0625"}


def binormal_truth() -> float:
    """[tpAUC, Eq. 30-31] for N(2, 1.5²) and N(0, 1), both bounds 0.6."""
    lowest = norm.isf(0.4)
    highest = norm.isf(0.6, 2, 1.5)
    both, _ = quad(lambda z: norm.sf(z, 2, 1.5) * norm.pdf(z), lowest, highest)
    return float(both - (0.4 - norm.sf(highest)) * 0.6)


def drawn_estimates(P: int, N: int, count: int, seed: int) -> np.ndarray:
    """Of drawn studies with P positives and N negatives: `tpauc` and `tpauc_trimmed`."""
    return estimates(ONE_LAW, P, N, count, np.random.default_rng(seed))[:, 0]


def test_the_estimator_by_trapezoids_is_less_biased_in_small_samples() -> None:
    truth = binormal_truth()
    assert truth == pytest.approx(0.0628228, abs=5e-8)
    by_trapezoids, trimmed = drawn_estimates(10, 10, 500, seed=31).mean(axis=0) - truth
    assert 0.004 < by_trapezoids < trimmed - 0.005


@pytest.mark.soak
def test_both_estimators_have_the_bias_that_the_paper_compares() -> None:
    truth = binormal_truth()
    for place, (P, N) in enumerate([(10, 10), (20, 20), (50, 50), (90, 10), (500, 500)]):
        drawn = drawn_estimates(P, N, 10_000 if P + N <= 100 else 2000, seed=32 + place)
        by_trapezoids, trimmed = drawn.mean(axis=0) - truth
        error = drawn.std(axis=0).max() / len(drawn) ** 0.5
        print(f"P={P} N={N}: {by_trapezoids:.5f} {trimmed:.5f} ± {error:.5f}")
        assert abs(by_trapezoids) < abs(trimmed) + 2 * error
        assert abs(by_trapezoids) < 0.1 / min(P, N) + 3 * error


@pytest.mark.parametrize("seed", range(2))
def test_a_binormal_study_has_the_same_estimates_in_private(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.r_[rng.normal(2, 1.5, 30), rng.normal(0, 1, 30)]
    labels = np.repeat([1, 0], [30, 30])
    texts = ("tpauc:min_tpr=0.6,max_fpr=0.4", "tpauc_trimmed:min_tpr=0.6,max_fpr=0.4")
    options = Options(metrics=texts, decimals=9, range=("any",))
    study = Study((Owner(scores[::2], labels[::2]), Owner(scores[1::2], labels[1::2])), options)
    data = Pooled.of([encode(scores, labels, Scale.of("full", ("any",)))])
    expected = [
        rounded(Fraction(one.plaintext_words(data, 9)[0], 10**9), 9) for one in options.statistics
    ]
    assert list(run(study).results.values()) == expected


def test_the_bound_follows_the_digits_of_the_ends() -> None:
    texts = ("tpauc_trimmed:min_tpr=0.5,max_fpr=0.5", "tpauc_trimmed:min_tpr=0.5,max_fpr=0.007")
    assert [most_samples(Options(metrics=(text,))) for text in texts] == [1_325_455_683] * 2
    # 1/s = 4·10^-12 and s·(n + 1) < 2^63
    longer = "tpauc_trimmed:min_tpr=0.123456789012,max_fpr=0.5"
    assert most_samples(Options(metrics=(longer,))) == 36_893_487


@pytest.mark.parametrize(
    "text",
    ["tpauc_trimmed", "tpauc_trimmed:min_tpr=0.5", "tpauc_trimmed:min_tpr=0,max_fpr=0.5"],
)
def test_both_ends_are_named_and_lie_between_0_and_1(text: str) -> None:
    with pytest.raises(OptionRefused):
        statistic(text)
