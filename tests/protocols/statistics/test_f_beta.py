"""The F-beta score, against its definition on drawn studies, scikit-learn, and F1."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.by_definition import AT, SAMPLE, agree, at_thresholds, ratio
from tests.protocols.studies import Owner, Study, run

TEXT = f"f_beta:{AT},beta=0.3"
DEFINITION = at_thresholds(
    lambda rows, cut, tp, fp, fn, tn: [ratio(109 * tp, 109 * tp + 9 * fn + 100 * fp)]
)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers


@pytest.mark.parametrize("beta", ["0.5", "1", "2"])
def test_it_is_that_of_scikit_learn(beta: str) -> None:
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 2, 90), rng.random(90)
    asked = (f"f_beta:at=0.4,beta={beta}", "f1:at=0.4")
    study = Study((Owner(scores, labels),), Options(metrics=asked, decimals=9))
    told = [float(text.split()[-1]) for text in run(study).results.values()]
    assert told[0] == pytest.approx(fbeta_score(labels, scores >= 0.4, beta=float(beta)), abs=1e-9)
    assert (told[0] == told[1]) == (beta == "1")


def test_a_weight_of_many_digits_fits_fewer_samples() -> None:
    assert statistic("f_beta:at=0.5").fits(MOST_SAMPLES, 15)
    fine = statistic("f_beta:at=0.5,beta=1.2345678")
    # a² + b² is 631,042 millions of millions: below 2^63 for 2,324,152 / 1,000,000 samples
    assert 0 < fine.most_samples(4) < MOST_SAMPLES
    with pytest.raises(OptionRefused, match=r"0\.1 to 10"):
        statistic("f_beta:at=0.5,beta=0")
