"""Calibration-in-the-large in private against statsmodels with the binned scores as an offset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import brentq
from scipy.special import expit

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.statistics.test_calibration_slope import binned, well_calibrated
from tests.protocols.studies import Owner, Study, run, run_all

TEXT = "calibration_in_the_large:bins=64"
ASKED = [(f"calibration_in_the_large:bins={bins}",) for bins in (2, 10, 16, 64, 1000)]


def fitted_by_statsmodels(x: np.ndarray, positives: np.ndarray, samples: np.ndarray) -> Any:
    """The regression from the root of its score: its own start runs away from far off."""
    P = positives.sum()
    start = brentq(lambda a: P - samples @ expit(a + x), -40, 40)
    endog, family = np.c_[positives, samples - positives], sm.families.Binomial()
    model = sm.GLM(endog, np.ones(x.size), family=family, offset=x)
    return model.fit(start_params=[start], tol=1e-14)


def check_all(studies: list[Study]) -> int:
    compared = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        x, positives, samples = binned(study)
        [told] = outcome.results.values()
        if not 0 < positives.sum() < samples.sum():
            assert told == "undefined: a class is missing"
            continue
        fitted = fitted_by_statsmodels(x, positives, samples)
        found = [float(one.split()[1]) for one in told.split(", ")]
        within = 0.5 * 10**-study.options.decimals + 1e-10
        assert found[0] == pytest.approx(fitted.params[0], abs=within)
        # statsmodels takes the information of the step before the last one
        assert found[1] == pytest.approx(fitted.bse[0], abs=within, rel=1e-7)
        compared += 1
    return compared


def test_drawn_studies_have_the_intercept_of_their_binned_scores() -> None:
    assert check_all(one_of_each_size(drawn_studies, 96, ASKED, 9)) > 5


@pytest.mark.soak
def test_five_hundred_studies_have_the_intercept_of_their_binned_scores() -> None:
    assert check_all(drawn_studies(500, 97, ASKED, 9)) > 300


@pytest.mark.parametrize("times", [0.01, 3.0, pytest.param(1.0, marks=pytest.mark.weekly)])
def test_odds_that_are_a_multiple_of_the_true_ones_have_its_logarithm_less(times: float) -> None:
    study = well_calibrated(20_000, sure=1.0)
    odds = [
        replace(one, scores=[f * times / (1 - f + f * times) for f in one.scores])
        for one in study.owners
    ]
    options = replace(study.options, metrics=("calibration_in_the_large",))
    [told] = run(replace(study, owners=tuple(odds), options=options)).results.values()
    assert float(told.split(",")[0].split()[1]) == pytest.approx(-np.log(times), abs=0.05)


def test_scores_of_0_and_1_count_as_half_a_bin_away() -> None:
    scores, labels = [0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 1, 1]
    study = Study((Owner(scores, labels),), Options(metrics=(TEXT,), decimals=6))
    # six samples with p = 1/128 or 127/128
    error = f"intercept_se {128 / np.sqrt(6 * 127):.6f}"
    assert run(study).results == {TEXT: f"intercept 0.000000, {error}"}


def test_lower_scores_are_the_probabilities_of_the_other_class() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.integers(0, 65, 90) / 64 - 1 / 128, rng.integers(0, 2, 90)
    x = np.clip(x, 1 / 128, 127 / 128)
    options = Options(metrics=(TEXT,), decimals=8)
    lower = run(Study((Owner(x, y),), options, "lower")).results
    assert lower == run(Study((Owner(1 - x, y),), options)).results


@pytest.mark.parametrize(
    ("decimals", "hops"),
    [(1, 49 + 10), pytest.param(4, 49 + 20, marks=pytest.mark.weekly), (9, 49 + 30)],
)
def test_it_takes_the_stated_hops_and_bytes(decimals: int, hops: int) -> None:
    study = well_calibrated(300, sure=1.0, decimals=decimals)
    study = replace(study, options=replace(study.options, metrics=("calibration_in_the_large",)))
    measured, predicted = run(study), phase_estimates(study.options, study.sizes)
    assert predicted[-1].spent.hops == hops
    assert measured.hops == sum(one.spent.hops for one in predicted)
    assert measured.payload == sum(one.spent.payload for one in predicted)


def test_the_ledger_says_what_the_proxies_learn() -> None:
    study = well_calibrated(300, sure=1.0)
    learnt = ledger(replace(study.options, metrics=(TEXT,)), study.sizes).learns
    assert "the intercept to 12 decimals, or that a class is missing" in learnt.P0[-1]
    assert not any("intercept" in text for text in learnt.helper)


def test_words_that_no_study_gives_are_refused() -> None:
    with pytest.raises(RemoteProtocolError):
        statistic(TEXT).decode([10**6 + 1, 0], 4)
    with pytest.raises(RemoteProtocolError):
        statistic(TEXT).decode([0, 10**7 + 1], 4)
