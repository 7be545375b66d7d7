"""The paper's three estimators in doubles are those of this system, and two are the same."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.papers.partial_areas import by_one_area, by_three_areas, over_pairs
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.options import Options


@pytest.mark.parametrize("levels", [8, 1000])
def test_estimators_are_those_of_the_system(levels: int) -> None:
    generator = np.random.default_rng(levels)
    zero = 0
    for _ in range(60):
        n = int(generator.integers(6, 40))
        labels = (generator.random(n) < 0.5).astype(np.int64)
        labels[:2] = 0, 1
        scores = (generator.integers(0, levels, n) + labels * levels // 4) / (2 * levels)
        tpr, fpr = (float(one) for one in generator.choice([0.2, 0.25, 0.5, 0.6, 0.8], 2))
        texts = tuple(f"{name}:min_tpr={tpr},max_fpr={fpr}" for name in ("tpauc", "tpauc_trimmed"))
        options = Options(metrics=texts, decimals=9, range=("any",))
        study = SimulatedStudy(options, scores, labels, owners=1)
        proposed, trimmed = (words[0] / 10**9 for words in study.plaintext_words())
        assert by_three_areas(scores, labels, tpr, fpr) == pytest.approx(proposed, abs=1e-8)
        assert by_one_area(scores, labels, tpr, fpr) == pytest.approx(proposed, abs=1e-8)
        assert over_pairs(scores, labels, tpr, fpr) == pytest.approx(trimmed, abs=1e-8)
        zero += not proposed
    assert 0 < zero < 60
