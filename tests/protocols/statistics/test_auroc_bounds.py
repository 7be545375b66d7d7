"""The AUROC of binned scores, against scikit-learn; the bounds, against all pairs one by one."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.release.values import Interval
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols import pooled
from tests.protocols.statistics.counted_uploads import decimal, of_counts
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

ASKED = [("auroc",)]
BINS = (2, 4, 64, 1024, 1 << 14)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        [told] = outcome.results.values()
        exact = pooled.auroc(study.scores, study.labels)
        if exact is None:
            assert told == "undefined: a class is missing"
            continue
        bins, decimals = study.options.scale.number, study.options.decimals
        places = np.array([min(int(Fraction(x) * bins), bins - 1) for x in study.scores])
        labels = np.array(study.labels)
        differences = np.subtract.outer(places[labels == 1], places[labels == 0])
        pairs = differences.size
        least, most = (
            Fraction(int(count), pairs)
            for count in ((differences > 0).sum(), (differences >= 0).sum())
        )
        value, lower, upper = told.replace("(", "").replace(")", "").replace("to ", "").split()
        assert value == pooled.rounded((least + most) / 2, decimals)
        assert lower == decimal(floor(least * 10**decimals), decimals)
        assert upper == decimal(ceil(most * 10**decimals), decimals)
        assert Fraction(lower) <= exact <= Fraction(upper)
        assert abs(float(value) - roc_auc_score(labels, places)) <= 0.5 * 10**-decimals + 1e-12


def test_drawn_studies_have_the_auroc_of_their_bins_and_bounds_that_hold() -> None:
    check_all(one_of_each_size(drawn_studies, 21, ASKED, MOST_DECIMALS, BINS))


@pytest.mark.soak
def test_five_hundred_studies_have_the_auroc_of_their_bins_and_bounds_that_hold() -> None:
    check_all(drawn_studies(500, 22, ASKED, MOST_DECIMALS, BINS))


@pytest.mark.parametrize("decimals", [1, 4, MOST_DECIMALS])
def test_two_thousand_million_samples_are_exact(decimals: int) -> None:
    """The most samples in all, nearly balanced: the products reach 2^60 and more."""
    options = Options(metrics=("auroc",), decimals=decimals, resolution="bins:4")
    assert most_samples(options) == MOST_SAMPLES
    half = MOST_SAMPLES // 4 - 5
    counts = [[half, 1, 0, half - 3, 2, half, 5, half], [7, 0, 2, 0, 0, 0, 0, 0]]
    counts[1][7] = MOST_SAMPLES - sum(map(sum, counts))
    total = [a + b for a, b in zip(*counts, strict=True)]
    positives, negatives = total[:4], total[4:]
    pairs = sum(positives) * sum(negatives)
    won = sum(p * sum(negatives[k + 1 :]) for k, p in enumerate(positives))
    tied = sum(p * q for p, q in zip(positives, negatives, strict=True))
    value = pooled.rounded((won + Fraction(tied, 2)) / pairs, decimals)
    lower = decimal(10**decimals * won // pairs, decimals)
    upper = decimal(-(-(10**decimals) * (won + tied) // pairs), decimals)
    assert of_counts(counts, options) == f"{value} ({lower} to {upper})"


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_lower_scores_are_counted_from_the_other_end(direction: str) -> None:
    owners = (Owner([0.1, 0.2, 0.9, 0.95], [1, 1, 0, 0]),)
    options = Options(metrics=("auroc",), decimals=2, resolution="bins:4")
    expected = {"lower": "1.00 (1.00 to 1.00)", "higher": "0.00 (0.00 to 0.00)"}[direction]
    assert run(Study(owners, options, direction)).results == {"auroc": expected}


def test_one_bin_for_all_says_nothing_and_few_decimals_round_outwards() -> None:
    options = Options(metrics=("auroc",), decimals=1, resolution="bins:2")
    tied = Study((Owner([0.6, 0.7, 0.8], [1, 0, 1]),), options)
    assert run(tied).results == {"auroc": "0.5 (0.0 to 1.0)"}
    # 2 of 3 pairs are decided, none within a bin
    thirds = Study((Owner([0.6, 0.7, 0.2, 0.8], [1, 1, 1, 0]), Owner([], [])), options)
    assert run(thirds).results == {"auroc": "0.3 (0.0 to 0.7)"}


def test_hops_and_bytes_of_the_computation_do_not_depend_on_the_samples() -> None:
    options = Options(metrics=("auroc",), decimals=4, resolution="bins:64")
    rng = np.random.default_rng(1)
    few, many = (
        run(Study((Owner(rng.random(n), rng.integers(0, 2, n)),), options)) for n in (10, 5000)
    )
    assert (few.hops, few.payload) == (many.hops, many.payload)
    # 9 for the check, 2 for the sums, 5 for every two decimals
    assert few.hops == 9 + 2 + 5 * 2


def test_shares_of_different_runs_are_refused() -> None:
    one = statistic("auroc").over_cells(certain=False)
    assert one.decode([5000, 4000, 3000], 4) == Interval("0.5000", "0.4000", "0.7000")
    for words in ([5000, 4000, 11000], [11000, 4000, 11000], [5000, 4000, 10_001]):
        with pytest.raises(Exception, match="do not make a result"):
            one.decode(words, 4)
