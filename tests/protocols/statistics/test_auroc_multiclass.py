"""Means of the AUROCs of several classes, against all pairs one by one, and scikit-learn."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.protocols.options import Options
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn_classes import columns_of
from tests.protocols.statistics.test_auroc_classes import MISSING, outcome, rests
from tests.protocols.studies import Owner, Study, run

MACRO, WEIGHTED, PAIRS = (
    "auroc_multiclass",
    "auroc_multiclass:mean=weighted",
    "auroc_multiclass:mean=pairs",
)
ASKED = [(MACRO, WEIGHTED, PAIRS)]


def means(study: Study) -> dict[str, Fraction | None]:
    classes, scores = columns_of(study)
    k = len(scores)
    sizes = [classes.count(place) for place in range(k)]
    if not all(sizes):
        return dict.fromkeys((MACRO, WEIGHTED, PAIRS))
    of_rest = [one or Fraction(0) for one in rests(study)]
    of_pairs = [
        outcome(scores[a], classes, a, [b]) or Fraction(0) for a, b in permutations(range(k), 2)
    ]
    weighted = sum((one * size for one, size in zip(of_rest, sizes, strict=True)), Fraction(0))
    return {
        MACRO: sum(of_rest, Fraction(0)) / k,
        WEIGHTED: weighted / len(classes),
        PAIRS: sum(of_pairs, Fraction(0)) / len(of_pairs),
    }


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every text is right; how many numbers lay too close to a boundary."""
    close, decimals = 0, study.options.decimals
    for text, exact in means(study).items():
        if text not in results:
            continue
        if exact is None:
            assert results[text] == MISSING
            continue
        above = (exact * 10**decimals + Fraction(1, 2)) % 1
        if min(above, 1 - above) <= Fraction(1, 10**8):
            close += 1
        else:
            assert results[text] == rounded(exact, decimals)
    return close


@pytest.mark.parametrize("k", [3, 5])
def test_they_are_those_of_scikit_learn(k: int) -> None:
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, 60)
    x = (rng.random((60, k)) + 0.6 * np.eye(k)[y]).round(1)
    x /= x.sum(axis=1, keepdims=True)
    owner = Owner(x[:, 0], (y == 0).astype(int), list(x.T[1:]), classes=y)
    options = Options(metrics=ASKED[0], decimals=6, classes=tuple("abcde"[:k]))
    found = run(Study((owner,), options)).results
    assert float(found[MACRO]) == pytest.approx(roc_auc_score(y, x, multi_class="ovr"), abs=1e-6)
    weighted = roc_auc_score(y, x, multi_class="ovr", average="weighted")
    assert float(found[WEIGHTED]) == pytest.approx(weighted, abs=1e-6)
    assert float(found[PAIRS]) == pytest.approx(roc_auc_score(y, x, multi_class="ovo"), abs=1e-6)
