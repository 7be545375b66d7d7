"""ROC-GLMs and intervals of many data sets are those of one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.papers.experiments.rocglm_noise import placed, same_as_released
from ppaurora.bench.papers.experiments.rocglm_table import drawn, options
from ppaurora.bench.papers.many_fits import fits, limits, rates_of, variance
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.roc_glm import Binormal, fit
from ppaurora.protocols.release.values import Interval
from ppaurora.protocols.statistics.rocglm import exact_rates


def test_fits_side_by_side_are_the_fits_of_each() -> None:
    generator = np.random.default_rng(1)
    rates = np.sort(generator.integers(0, 21, (60, 12)) / 20, axis=1)
    rates[0] = 0.5
    rates[1, :-1], rates[1, -1] = 0, 1
    found = fits(rates)
    fitted = 0
    for row, gamma1, gamma2, auc in zip(rates, found.gamma1, found.gamma2, found.auc, strict=True):
        one = fit(row.tolist())
        assert isinstance(one, Binormal) == bool(np.isfinite(auc))
        if isinstance(one, Binormal):
            expected = one.gamma1, one.gamma2, one.auc
            assert (gamma1, gamma2, auc) == pytest.approx(expected, abs=1e-7)
            fitted += 1
    assert 40 < fitted < 60


def test_rates_are_the_exact_ones_of_the_list() -> None:
    scores, labels = drawn(np.random.default_rng(2), (0.3, 0.4))
    S0, _ = placed(scores, labels, scores)
    data = SimulatedStudy(options(28), scores, labels, owners=1).pooled()
    np.testing.assert_allclose(rates_of(S0, 28), np.array(exact_rates(data, 28), float))


def test_the_interval_is_that_of_the_system() -> None:
    scores, labels = drawn(np.random.default_rng(3), (0.5, 0.6))
    S0, S1 = placed(scores, labels, scores)
    low, high = limits(np.array(S1.mean()), np.array(variance(S1, S0)))
    metric = Options(metrics=("auroc_ci:method=logit",), decimals=6, range=("any",))
    study = SimulatedStudy(metric, scores, labels, owners=1)
    [[*words]] = study.plaintext_words()
    found = metric.statistics[0].decode(words, 6)
    assert isinstance(found, Interval)
    assert (float(str(found.lower)), float(str(found.upper))) == pytest.approx(
        (float(low), float(high)), abs=2e-6
    )


def test_three_parties_release_the_same_curve() -> None:
    assert same_as_released(np.random.default_rng(4))
