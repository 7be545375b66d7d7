"""The binormal area on a grid, against means and variances by numpy and an integral by scipy.

The binormal area against an integral over the recall, and the thesis's true area.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.aupr_binormal import aupr_binormal
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

NAME = "aupr_binormal"
BINS = (2, 16, 1024, 1 << 12)


def area(a: float, b: float, share: float) -> float:
    """∫ precision dt over the recall t, in u = Φ⁻¹(t)."""

    def of(u: float) -> float:
        found, wrong = share * norm.cdf(u), (1 - share) * norm.cdf(b * u - a)
        return float(found / (found + wrong) * norm.pdf(u)) if found else 0.0

    ends = sorted({-9.0, -3.0, 0.0, 3.0, 9.0, min(8.0, max(-8.0, a / b))})
    return sum(quad(of, low, high, limit=300, epsabs=1e-12)[0] for low, high in pairwise(ends))


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        told, bins = outcome.results[NAME], study.options.scale.number
        x = np.minimum(np.floor(np.array(study.scores) * bins), bins - 1)
        labels = np.array(study.labels, bool)
        if labels.all() or not labels.any() or not x[labels].std() or not x[~labels].std():
            assert told == "undefined: a class is missing, or all its scores lie in one bin"
            continue
        a = (x[labels].mean() - x[~labels].mean()) / x[~labels].std()
        expected = area(a, x[labels].std() / x[~labels].std(), labels.mean())
        assert float(told) == pytest.approx(expected, abs=0.5 * 10**-study.options.decimals + 1e-7)


def test_drawn_studies_have_the_area_of_their_means_and_variances() -> None:
    check_all(one_of_each_size(drawn_studies, 61, [(NAME,)], 6, BINS))


@pytest.mark.soak
def test_five_hundred_studies_have_the_area_of_their_means_and_variances() -> None:
    check_all(drawn_studies(500, 62, [(NAME,)], 6, BINS))


def test_normal_scores_reach_the_thesiss_true_area() -> None:
    """Means 0 and 1, variances 1, a tenth positives: .2928, within four standard errors."""
    rng = np.random.default_rng(7)
    labels = np.repeat([1, 0], [20_000, 180_000])
    scores = np.clip((rng.normal(size=labels.size) + labels + 8) / 17, 0, 1)
    study = Study(
        (Owner(scores, labels),), Options(metrics=(NAME,), decimals=6, resolution="bins:4096")
    )
    [told] = run(study).results.values()
    assert float(told) == pytest.approx(0.2928, abs=0.008)


def test_classes_far_apart_have_the_whole_area() -> None:
    """|a| beyond 100, either way."""
    scores = [0.9995, 0.999, 0.0001, 0.0006, 0.0011]
    for labels, least, most in (([1, 1, 0, 0, 0], 0.9999, 1.0), ([0, 0, 1, 1, 1], 0.3, 0.75)):
        study = Study(
            (Owner(scores, labels),), Options(metrics=(NAME,), decimals=4, resolution="bins:4096")
        )
        [told] = run(study).results.values()
        assert least <= float(told) <= most


def test_what_it_tells_is_said_before_anybody_uploads() -> None:
    one = statistic(NAME)
    assert "number of positives exactly" in one.leaks(4)
    assert one.warnings((10**6,) * 3, 4) == (
        "aupr_binormal tells its receivers the number of positives exactly",
    )
    assert one.fits(MOST_SAMPLES, 9)
    assert not one.fits(2, 10)


@pytest.mark.parametrize(
    "words", [[10**10 + 1, 1, 0, 5, 5], [1, 1, 2, 5, 5], [1, 1, 0, 0, 0], [1, 1, 0, 1 << 63, 5]]
)
def test_words_that_no_study_gives_are_refused(words: list[int]) -> None:
    with pytest.raises(RemoteProtocolError):
        statistic(NAME).decode(words, 4)


def test_the_thesiss_binormal_case_has_its_true_area() -> None:
    assert aupr_binormal(1, 1, 0.1) == pytest.approx(0.292836, abs=5e-7)


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        # every two of the three numbers come together
        pytest.param(a, b, share, marks=[pytest.mark.weekly] * ((of_a + of_b + of_share) % 3 > 0))
        for of_a, a in enumerate([-1, 0, 0.5, 3])
        for of_b, b in enumerate([0.25, 0.5, 1, 4, 30])
        for of_share, share in enumerate([0.01, 0.5, 0.95])
    ],
)
def test_the_area_is_the_integral_over_the_thresholds(a: float, b: float, share: float) -> None:
    def precision(c: float) -> float:
        found, wrong = share * norm.sf(c, a, b), (1 - share) * norm.sf(c)
        return float(found / (found + wrong) * norm.pdf(c, a, b))

    low, high = a - 12 * b, a + 12 * b
    parts = [low, a - 3 * b, a, a + 3 * b, high]
    area = sum(quad(precision, *ends, limit=400, epsabs=1e-13)[0] for ends in pairwise(parts))
    assert aupr_binormal(a, b, share) == pytest.approx(area, abs=1e-10)


def test_guessing_reaches_the_share_of_positives() -> None:
    assert aupr_binormal(0, 1, 0.3) == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("b", "share"), [(0, 0.5), (1, 0), (1, 1)])
def test_laws_without_a_width_and_shares_without_a_class_are_refused(
    b: float, share: float
) -> None:
    with pytest.raises(ValueError, match="b above 0"):
        aupr_binormal(1, b, share)
