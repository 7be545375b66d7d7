"""The covariance of several AUROCs, against all pairs of samples compared one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn_models import OfAllPairs, rows_of
from tests.protocols.statistics.test_contrasts import signed
from tests.protocols.statistics.test_delong import FEW
from tests.protocols.studies import Owner, Study, run

TEXT = "auroc_covariance"
ASKED = [(TEXT,)]
MOST_DECIMALS = 9


def check(study: Study, results: dict[str, str]) -> None:
    exact, held = OfAllPairs.of(study), study.options.decimals + 8
    names = ("score", *study.options.against)
    if exact is None:
        assert results[TEXT] == FEW
        return
    rows = rows_of(results[TEXT])
    for place, row in enumerate(rows):
        assert row["model"] == names[place]
        assert row["auroc"] == signed(exact.areas[place], held)
        told = [row[name] for name in names]
        assert told == [signed(one, held) for one in exact.matrix[place]]


def test_it_is_numpys_covariance_of_structural_components() -> None:
    rng = np.random.default_rng(7)
    labels = rng.permutation(np.repeat([1, 0], [40, 60]))
    models = [np.clip(rng.normal(0.4 + gain * labels, 0.2), 0, 1) for gain in (0.3, 0.2, 0.1)]
    owner = Owner(models[0], labels, models[1:])
    found = run(Study((owner,), Options(metrics=(TEXT,), against=("b", "c")))).results[TEXT]
    outcomes = [
        (one[labels == 1][:, None] > one[labels == 0])
        + 0.5 * (one[labels == 1][:, None] == one[labels == 0])
        for one in models
    ]
    S = np.cov([one.mean(axis=1) for one in outcomes]) / 40
    S += np.cov([one.mean(axis=0) for one in outcomes]) / 60
    told = [[float(row[name]) for name in ("score", "b", "c")] for row in rows_of(found)]
    assert np.abs(np.array(told) - S).max() < 1e-12


def test_more_decimals_than_its_words_hold_are_refused() -> None:
    assert statistic(TEXT).fits(100, MOST_DECIMALS)
    assert not statistic(TEXT).fits(100, MOST_DECIMALS + 1)


def test_sites_see_how_many_decimals_the_receivers_hold() -> None:
    assert statistic(TEXT).decimals_held(4) == 12
    with pytest.raises(OptionRefused):
        Options(metrics=(TEXT, TEXT), against=("b",))
