"""Sums of folds: what an owner uploads, and what is told of it."""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.counted_folds import CountedFolds
from ppaurora.protocols.pipelines.together import Together
from tests.protocols.studies import Owner, Study, keys_of, run

ASKED = ("mean_folds:of=accuracy:at=0.5", "mean_folds:of=brier")


def test_an_upload_has_the_counts_and_sums_of_each_fold() -> None:
    options = Options(metrics=ASKED, folds=3)
    pipeline = options.pipeline
    assert isinstance(pipeline, CountedFolds)
    scores, labels, folds = [0.75, 0.25, 0.5, 0.25], [1, 0, 0, 1], [0, 0, 2, 2]
    keys = keys_of(Owner(scores, labels, parts=folds), options)
    upload = pipeline.repeatable(keys, bytes(KEY_BYTES))
    assert pipeline.sizes(keys) == (2, 0, 2)
    each = np.split(upload, 3)
    # positives above and below .5, negatives, and three words of the squared errors
    assert [one[:4].tolist() for one in each] == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]]
    assert len(upload) == pipeline.words(4) == 3 * 7
    pooled = pipeline.plaintext([upload], pipeline.sizes(keys))
    assert [fold and fold.n for fold in pooled.folds] == [2, None, 2]


def test_lists_and_sums_of_folds_are_two_parts_with_equal_positives_in_each_fold() -> None:
    options = Options(metrics=(*ASKED, "auroc_folds"), folds=2, merge="network", least_cell=1)
    assert isinstance(options.pipeline, Together)
    assert options.pipeline.totals_each == 2
    rng = np.random.default_rng(3)
    owners = tuple(Owner(rng.random(n), rng.integers(0, 2, n)) for n in (30, 0, 21))
    study = Study(owners, options)
    assert (run(study).refused, run(study).samples) == ((), 51)


def test_folds_of_few_are_warned_of_and_their_sizes_are_told() -> None:
    pipeline = Options(metrics=ASKED, folds=2).pipeline
    [warned, smallest] = pipeline.warnings([30, 1, 30, 20])
    assert warned.startswith("a list has one sample only in some fold")
    assert smallest.startswith("the smallest fold has 21 samples")
    assert "in each fold" in pipeline.proxies_learn()[0]
    assert pipeline.vectors([30, 0, 30, 0]) == (2, 0)
