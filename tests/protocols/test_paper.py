"""The experiments of [ppAURORA, section 7] on data of the same shape and size."""

import numpy as np
import pytest

from ppaurora.protocols.options import Options
from tests.protocols.studies import ALL_METRICS, Study, owners_of, run

UNB = (12, 18, 32, 58, 107, 258, 507, 1008)


def like_aml(rng):
    """191 patients, 136 with remission, scores with two decimals: many ties."""
    labels = rng.permutation(np.r_[np.ones(136, int), np.zeros(55, int)])
    return np.clip(rng.normal(0.5 + 0.1 * labels, 0.2), 0, 1).round(2), labels


def one_of_each_tie(rng, scores, labels):
    """The subset that the paper made: one sample picked at random from each tie."""
    order = rng.permutation(scores.size)
    _, first = np.unique(scores[order], return_index=True)
    kept = order[first]
    return scores[kept], labels[kept]


def like_heart(rng):
    """54 patients, scores without ties."""
    labels = rng.integers(0, 2, 54)
    return np.clip(rng.random(54) * 0.6 + 0.35 * labels, 0, 1), labels


def study(scores, labels, sizes, **options):
    return Study(owners_of(scores, labels, sizes), Options(metrics=ALL_METRICS, **options))


@pytest.mark.parametrize("decimals", [4, 6, 9])
def test_191_samples_with_ties(decimals):
    scores, labels = like_aml(np.random.default_rng(191))
    one = study(scores, labels, (64, 64, 63), decimals=decimals)
    assert run(one).results == one.expected()


def test_the_191_without_their_ties_have_one_auroc_either_way():
    rng = np.random.default_rng(136)
    scores, labels = one_of_each_tie(rng, *like_aml(rng))
    one = study(scores, labels, (30, scores.size - 30))
    results = run(one).results
    assert results == one.expected()
    assert results["auroc"] == results["auroc_no_ties"]


@pytest.mark.parametrize("merge", ["network", "delta"])
def test_54_samples_without_ties(merge):
    scores, labels = like_heart(np.random.default_rng(54))
    assert len(set(scores)) == 54
    one = study(scores, labels, (20, 20, 14), merge=merge)
    results = run(one).results
    assert results == one.expected()
    assert results["auroc"] == results["auroc_no_ties"]


def test_eight_unbalanced_lists():
    rng = np.random.default_rng(2000)
    labels = rng.integers(0, 2, sum(UNB))
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2).round(3), 0, 1)
    one = study(scores, labels, UNB)
    assert run(one).results == one.expected()
