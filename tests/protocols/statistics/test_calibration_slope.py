"""The calibration slope in private against statsmodels on the binned scores."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.role import Role
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import logit_scoring
from ppaurora.protocols.release.recalibration import MOST_STEPS, line
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, owners_of, run, run_all

TEXT = "calibration_slope:bins=64"
ASKED = [(f"calibration_slope:bins={bins}",) for bins in (2, 10, 16, 64, 1000)]


def binned(study: Study) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logit of the middle, positives and samples of each part that holds any."""
    [asked] = study.options.metrics
    parts = int(asked.partition("bins=")[2])
    scores, labels = np.array(study.scores), np.array(study.labels)
    places = np.minimum((scores * parts).astype(int), parts - 1)
    middle = (np.arange(parts) + 0.5) / parts
    samples = np.bincount(places, minlength=parts)
    positives = np.bincount(places, labels, parts).astype(int)
    there = samples > 0
    return np.log(middle / (1 - middle))[there], positives[there], samples[there]


def check_all(studies: list[Study]) -> int:
    compared = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        x, positives, samples = binned(study)
        [told] = outcome.results.values()
        if told.startswith("undefined: a class is missing"):
            assert line(x.tolist(), positives.tolist(), samples.tolist()) is None
            continue
        endog, exog = np.c_[positives, samples - positives], np.c_[np.ones(x.size), x]
        family = sm.families.Binomial()
        fitted = sm.GLM(endog, exog, family=family).fit(maxiter=100, tol=1e-14)
        found = [float(one.split()[1]) for one in told.split(", ")]
        within = 0.5 * 10**-study.options.decimals + 1e-8
        # statsmodels takes the information of the step before the last one
        assert found[:2] == pytest.approx(fitted.params[::-1], abs=within)
        assert found[2:] == pytest.approx(fitted.bse[::-1], abs=within, rel=1e-7)
        compared += 1
    return compared


def test_drawn_studies_have_the_slope_of_their_binned_scores() -> None:
    assert check_all(drawn_studies(10, 93, [(TEXT,)], 8)[5:]) > 2


@pytest.mark.soak
def test_five_hundred_studies_have_the_slope_of_their_binned_scores() -> None:
    assert check_all(drawn_studies(500, 92, ASKED, 8)) > 150


def well_calibrated(n: int, *, sure: float, decimals: int = 4) -> Study:
    rng = np.random.default_rng(6)
    true = rng.normal(-1, 1, n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-true))).astype(int)
    scores = 1 / (1 + np.exp(-sure * true))
    return Study(
        owners_of(scores.tolist(), labels.tolist(), [n // 3, n - n // 3]),
        Options(metrics=(TEXT,), decimals=decimals),
    )


def test_scores_that_are_twice_too_sure_have_half_the_slope() -> None:
    for sure in (0.5, 2.0):
        [told] = run(well_calibrated(20_000, sure=sure)).results.values()
        slope, intercept, *_ = (float(one.split()[1]) for one in told.split(", "))
        assert slope == pytest.approx(1 / sure, rel=0.05)
        assert intercept == pytest.approx(0, abs=0.05)


def test_scores_of_0_and_1_count_as_half_a_bin_away() -> None:
    scores, labels = [0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 1, 1]
    study = Study((Owner(scores, labels),), Options(metrics=(TEXT,), decimals=6))
    # the rates 1/3 and 2/3 at logits of ±ln 127
    slope = np.log(2) / np.log(127)
    # three samples at either end, each with p(1 - p) = 2/9
    weight = 6 * 2 / 9
    errors = f"slope_se {1 / np.sqrt(weight) / np.log(127):.6f}, intercept_se {weight**-0.5:.6f}"
    assert run(study).results == {TEXT: f"slope {slope:.6f}, intercept 0.000000, {errors}"}


def test_the_proxies_see_the_iterates_and_zeros_after_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, opened, honest = well_calibrated(300, sure=2.0), [], logit_scoring.open_words

    def spy(party, x):
        words = honest(party, x)
        if party.role is Role.P0:
            opened.append(words.tolist())
        return words

    spy.cost = honest.cost
    monkeypatch.setattr(logit_scoring, "open_words", spy)
    run(study)
    expected = line(*(one.tolist() for one in binned(study)))
    assert expected is not None
    steps = [words for words in opened if len(words) == 2]
    assert len(steps) == MOST_STEPS
    assert [words for words in opened if len(words) == 1] == [[0]]
    assert all(any(words) for words in steps[: expected.steps - 1])
    assert not any(any(words) for words in steps[expected.steps :])
    learnt = ledger(study.options, study.sizes).learns
    assert "slope and intercept after each of at most 32 steps" in learnt.P0[-1]
    assert not any("slope" in text for text in learnt.helper)


def test_words_that_no_study_gives_are_refused() -> None:
    with pytest.raises(RemoteProtocolError):
        statistic(TEXT).decode([10**6 + 1, 0, 0, 0], 4)
    with pytest.raises(RemoteProtocolError):
        statistic(TEXT).decode([10**6, 0, 10**7 + 1, 0], 4)
