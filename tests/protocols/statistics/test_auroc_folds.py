"""The mean AUROC over folds, against the value of each fold."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from ppaurora.protocols.options import Options
from tests.protocols.statistics.examples import TIED, mean, text_of
from tests.protocols.statistics.test_fold_mean import auroc, influences
from tests.protocols.studies import Owner, Study, interval, run

ROWS = list(zip(TIED.scores, TIED.labels, strict=True))
FOLDS = [ROWS[0::2], ROWS[1::2]]


def test_the_mean_of_two_folds_has_its_limits() -> None:
    values = [value for value in map(auroc, FOLDS) if value is not None]
    assert len(values) == 2
    half = NormalDist().inv_cdf(0.975) * sqrt(influences(FOLDS))
    middle = mean(values)
    ends = (middle, max(float(middle) - half, 0.0), min(float(middle) + half, 1.0))
    owner = Owner(TIED.scores, TIED.labels, parts=[0, 1] * 5)
    [found] = run(Study((owner,), Options(metrics=("auroc_folds",), folds=2))).results.values()
    assert found == interval(*map(text_of, ends))
