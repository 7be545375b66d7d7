"""The ROC-GLM in private against statsmodels, of rates counted positive by positive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.role import Role
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import probit_scoring
from ppaurora.protocols.release.roc_glm import MOST_STEPS, Binormal, fit
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

POINTS = 6
GLM = f"rocglm:points={POINTS}"


def rates_of(study: Study) -> np.ndarray | None:
    """The share of the positives whose S0 is at most j/7; None without positives."""
    scores, labels = np.array(study.scores), np.array(study.labels, bool)
    if study.options.counted:
        bins = study.options.scale.number
        scores = np.minimum(np.floor(scores * bins), bins - 1)
    positives, negatives = scores[labels], scores[~labels]
    if not positives.size:
        return None
    above = [int((negatives > one).sum()) for one in positives]
    return np.array(
        [
            sum((POINTS + 1) * one <= j * negatives.size for one in above) / positives.size
            for j in range(1, POINTS + 1)
        ]
    )


def expected(rates: np.ndarray) -> tuple[float, float, float]:
    """γ1, γ2 and the area, by statsmodels."""
    t = np.arange(1, POINTS + 1) / (POINTS + 1)
    exog = np.c_[np.ones(POINTS), norm.ppf(t)]
    family = sm.families.Binomial(link=sm.families.links.Probit())
    found = sm.GLM(rates, exog, family=family).fit(maxiter=80, tol=1e-15).params
    return found[0], found[1], norm.cdf(found[0] / np.hypot(1, found[1]))


def check_all(studies: list[Study]) -> int:
    compared = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        rates, decimals = rates_of(study), study.options.decimals
        for text, told in outcome.results.items():
            if rates is None:
                assert told.startswith("undefined: there are no positives")
                continue
            fitted = fit(rates.tolist())
            if isinstance(fitted, str):
                assert told.startswith("undefined: ")
                continue
            if told.startswith("undefined: "):
                assert fitted.sensitivity > 10 ** (11 - decimals)
                continue
            # to the last digit that is shown, unless the fit lies at a half
            close = [abs(one * 10**decimals % 1 - 0.5) < 1e-4 for one in expected(rates)]
            right = [f"{round(one, decimals) + 0.0:.{decimals}f}" for one in expected(rates)]
            shown = [one.split()[1] for one in told.split(", ")]
            assert [one for one, skip in zip(shown, close, strict=True) if not skip] == [
                one for one, skip in zip(right, close, strict=True) if not skip
            ], text
            compared += 1
    return compared


def test_drawn_studies_have_the_fit_of_their_positives() -> None:
    metrics = [(GLM,)]
    assert check_all(one_of_each_size(drawn_studies, 86, metrics, 6)) > 1
    assert check_all(drawn_studies(10, 87, [(GLM,)], 6, (16, 256))[5:]) > 1


@pytest.mark.soak
def test_five_hundred_studies_have_the_fit_of_their_positives() -> None:
    compared = check_all(drawn_studies(350, 83, [(GLM,)], 6))
    compared += check_all(drawn_studies(150, 84, [(GLM,)], 6, (2, 16, 1024)))
    assert compared > 150


def study(*texts: str, shift: float = 0.2, decimals: int = 6) -> Study:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 80)
    scores = np.clip(rng.normal(0.4 + shift * labels, 0.15), 0, 1).round(2)
    return Study((Owner(scores[:50], labels[:50]), Owner(scores[50:], labels[50:])),
                 Options(metrics=texts, decimals=decimals))  # fmt: skip


def opened_scores(monkeypatch: pytest.MonkeyPatch, of: Study) -> list[list[int]]:
    """The numbers that P0 sees at every step."""
    opened, honest = [], probit_scoring.open_words

    def spy(party, x):
        words = honest(party, x)
        if party.role is Role.P0:
            opened.append(words.tolist())
        return words

    spy.cost = honest.cost
    with monkeypatch.context() as patch:
        patch.setattr(probit_scoring, "open_words", spy)
        run(of)
    return opened


def test_the_proxies_see_two_numbers_a_step_and_zeros_after_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = study(GLM)
    rates = rates_of(of)
    assert rates is not None
    found = fit(rates.tolist())
    assert isinstance(found, Binormal)
    opened = opened_scores(monkeypatch, of)
    assert len(opened) == MOST_STEPS
    assert [any(words) for words in opened] == [
        *[True] * (found.steps - 1), any(opened[found.steps - 1]),
        *[False] * (MOST_STEPS - found.steps),
    ]  # fmt: skip
    told = ledger(of.options, of.sizes)
    assert "at each of at most 25 steps" in told.learns.P0[-1]
    assert told.learns.P0 == told.learns.P1
    assert not any("steps" in text for text in told.learns.helper)


def test_classes_apart_are_told_as_separated() -> None:
    told = run(study(GLM, shift=1.0)).results[GLM]
    assert told.startswith("undefined: there are no positives, fewer than two rates lie strictly")


def test_lower_scores_may_speak_for_the_positive_class() -> None:
    of = study(GLM)
    turned = tuple(Owner(1 - np.array(one.scores), one.labels) for one in of.owners)
    assert run(replace(of, owners=turned, direction="lower")).results == run(of).results


def test_words_that_no_study_gives_are_refused() -> None:
    for words in ([10**6 + 1] * 3, [5, 5, 1_100_000]):
        with pytest.raises(RemoteProtocolError):
            statistic(GLM).decode(words, 4)


def test_a_fit_by_the_released_curve_is_no_longer_offered() -> None:
    with pytest.raises(OptionRefused, match="by"):
        statistic("rocglm:by=curve")
