"""The log-rank statistic and the hazard against sums by hand; a forest finds what there is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import CensoredData, logrank

from ppaurora.bench.papers.data_sets import SurvivalData
from ppaurora.bench.papers.survival_forest import LEAST, grown, log_rank, survival


def drawn(n: int, seed: int) -> SurvivalData:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 3))
    days = np.ceil(generator.exponential(20 * np.exp(-1.5 * x[:, 1])))
    return SurvivalData(x, days, (generator.random(n) < 0.7).astype(np.int64))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_best_cut_has_the_largest_log_rank_statistic_of_all(seed: int) -> None:
    data = drawn(24, seed)
    values = data.x[:, 1].round(1)
    found = {}
    for cut in np.unique(values)[:-1]:
        left = values <= cut
        if min(left.sum(), (~left).sum()) >= LEAST:
            sides = [
                CensoredData(
                    uncensored=data.days[rows & (data.event == 1)],
                    right=data.days[rows & (data.event == 0)],
                )
                for rows in (left, ~left)
            ]
            found[float(cut)] = float(logrank(*sides).statistic) ** 2
    statistic, cut = log_rank(values, data.days, data.event)
    assert statistic == pytest.approx(max(found.values()))
    assert found[cut] == pytest.approx(statistic)


def test_a_forest_finds_the_covariate_that_matters() -> None:
    data = drawn(150, 4)
    trees = grown(data, 15.0, np.random.default_rng(5), trees=5)
    new = drawn(200, 6)
    chances = survival(trees, new.x)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert np.corrcoef(chances, new.x[:, 1])[0, 1] < -0.5
    assert abs(np.corrcoef(chances, new.x[:, 0])[0, 1]) < 0.3


def test_rows_without_split_are_one_leaf() -> None:
    data = SurvivalData(np.zeros((5, 2)), np.arange(1.0, 6), np.ones(5, np.int64))
    [tree] = grown(data, 3.0, np.random.default_rng(1), trees=1)
    assert survival([tree], np.zeros((1, 2)))[0] < 1
