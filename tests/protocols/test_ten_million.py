"""Ten million scores of four decimals, counted: the released numbers are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from numpy.typing import NDArray

from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, run

SAMPLES, OWNERS = 10_000_000, 8
DECIMALS = 9


def delong_error(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The standard error of the AUROC after DeLong, from midranks, in doubles."""
    positives, negatives = scores[labels == 1], scores[labels == 0]
    p, n = len(positives), len(negatives)
    among_all = scipy.stats.rankdata(np.concatenate([positives, negatives]))
    of_positives = (among_all[:p] - scipy.stats.rankdata(positives)) / n
    of_negatives = 1 - (among_all[p:] - scipy.stats.rankdata(negatives)) / p
    variance = np.var(of_positives, ddof=1) / p + np.var(of_negatives, ddof=1) / n
    return float(np.sqrt(variance))


@pytest.mark.soak
def test_the_area_and_its_interval_are_those_of_ten_million_pooled_scores() -> None:
    rng = np.random.default_rng(26)
    labels = (rng.random(SAMPLES) < 0.2).astype(np.int64)
    scores = np.rint(rng.beta(1.5 + labels, 3 - labels) * 10_000) / 10_000
    options = Options(
        metrics=("auroc", "auroc_ci:method=delong"),
        decimals=DECIMALS,
        resolution="decimals:4",
        table="counted",
    )
    parts = np.array_split(np.arange(SAMPLES), OWNERS)
    owners = tuple(Owner(scores[part].tolist(), labels[part].tolist()) for part in parts)
    outcome = run(Study(owners, options))
    expected = sklearn.metrics.roc_auc_score(labels, scores)
    area = outcome.results["auroc"].split()[0]
    assert area == f"{expected:.{DECIMALS}f}"
    value, low, _, high = (
        outcome.results["auroc_ci:method=delong"].replace("(", "").replace(")", "").split()
    )
    assert value == area
    half = 1.959963984540054 * delong_error(scores, labels)
    # doubles lose some digits in the sum of ten million squares
    assert float(low) == pytest.approx(expected - half, abs=2e-9)
    assert float(high) == pytest.approx(expected + half, abs=2e-9)
    assert outcome.samples == SAMPLES
