"""The simulation of [ROC-GLM, Table 1]: what is drawn, read, and between the curves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score, roc_curve

from ppaurora.bench.papers.experiments.rocglm_table import area_between, drawn, options, read
from ppaurora.bench.papers.study import SimulatedStudy


def test_the_area_between_the_curves_is_that_of_an_integral() -> None:
    scores, labels = drawn(np.random.default_rng(1), (0.3, 0.4))
    study = SimulatedStudy(options(28), scores, labels, owners=1)
    auc, curve = read(study)
    assert auc == pytest.approx(roc_auc_score(labels, scores), abs=1e-8)
    assert curve is not None
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)

    # at the middles of a hundred thousand parts
    t = (np.arange(100_000) + 0.5) / 100_000
    empirical = true[np.searchsorted(false, t, side="right") - 1]
    fitted = norm.cdf(curve.gamma1 + curve.gamma2 * norm.ppf(t))
    expected = np.abs(fitted - empirical).mean()
    assert area_between(study.pooled(), curve) == pytest.approx(expected, abs=2e-3)


def test_replaced_labels_lower_the_auc_by_half_of_their_share() -> None:
    generator = np.random.default_rng(2)
    aucs = [roc_auc_score(*drawn(generator, (0.4, 0.4))[::-1]) for _ in range(60)]
    assert np.mean(aucs) == pytest.approx(0.8, abs=0.02)
