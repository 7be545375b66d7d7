"""Means over folds of rates and losses, against the rows of each fold, and against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import accuracy_score, brier_score_loss

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.mean_folds import MeanOverFolds
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.by_definition import Compared
from tests.protocols.statistics.test_fold_mean import (
    PRECISION,
    Drawn,
    Rows,
    deviation,
    drawn,
    quantile,
)
from tests.protocols.studies import Owner, Study, interval, run, run_all

AT = Fraction(1, 2)


def counts(rows: Rows) -> tuple[int, int, int, int]:
    """The four counts, tp, fp, fn and tn."""
    called = [(score >= AT, label) for score, label in rows]
    tp, fp, fn, tn = (called.count(one) for one in ((True, 1), (True, 0), (False, 1), (False, 0)))
    return tp, fp, fn, tn


def share(part: Fraction | int, whole: int) -> Fraction | None:
    return Fraction(part) / whole if whole else None


def accuracy(rows: Rows) -> Fraction | None:
    tp, _, _, tn = counts(rows)
    return share(tp + tn, len(rows))


def ppv(rows: Rows) -> Fraction | None:
    tp, fp, _, _ = counts(rows)
    return share(tp, tp + fp)


def youden(rows: Rows) -> Fraction | None:
    tp, fp, fn, tn = counts(rows)
    return share(tp * tn - fp * fn, (tp + fn) * (fp + tn))


def brier(rows: Rows) -> Fraction | None:
    return share(sum(((label - Fraction(f)) ** 2 for f, label in rows), Fraction(0)), len(rows))


def scaled_brier(rows: Rows) -> Fraction | None:
    P, square = sum(label for _, label in rows), brier(rows)
    if square is None or not P * (len(rows) - P):
        return None
    return max(Fraction(-1), 1 - square * len(rows) ** 2 / (P * (len(rows) - P)))


def observed_expected(rows: Rows) -> Fraction | None:
    expected = sum((Fraction(f) for f, _ in rows), Fraction(0))
    return min(Fraction(100), sum(label for _, label in rows) / expected) if expected else None


VALUES: dict[str, tuple[Callable[[Rows], Fraction | None], int, int]] = {
    "accuracy:at=0.5": (accuracy, 0, 1),
    "ppv:at=0.5": (ppv, 0, 1),
    "youden:at=0.5": (youden, -1, 9),
    "brier": (brier, 0, 1),
    "scaled_brier": (scaled_brier, -1, 9),
    "observed_expected": (observed_expected, 0, 100),
}
"""The value in a fold, and the ends of its public range."""
ASKED = tuple(
    tuple(
        f"mean_folds:level={level},empty={empty},quantile={law},of={of}"
        for of in [*VALUES][half::2]
    )
    for level, law in (("0.9", "t"), ("0.5", "normal"))
    for empty in ("undefined", "skip")
    for half in (0, 1)
)


def expected(one: Drawn, text: str) -> str:
    """The released text, from the definitions."""
    asked = statistic(text)
    assert isinstance(asked, MeanOverFolds)
    value_of, low, high = VALUES[asked.of]
    folds = one.in_folds()
    values = [value_of(rows) if rows else None for rows in folds]
    there = [value for value in values if value is not None]
    if len(there) < (2 if asked.empty == "skip" else len(folds)):
        return f"undefined: {asked.undefined}"
    root = Fraction(isqrt(int(deviation(there) * 100**PRECISION)), 10**PRECISION)
    half = quantile(asked, len(there)) * root
    mean = sum(there, Fraction(0)) / len(there)
    ends = (mean, max(Fraction(low), mean - half), min(Fraction(high), mean + half))
    rounded = (Compared().text(end, one.study.options.decimals, False) for end in ends)
    left_out = f", folds left out: {len(folds) - len(there)}" if asked.empty == "skip" else ""
    return f"{interval(*rounded)}{left_out}"


def check(studies: Sequence[Drawn]) -> None:
    for one, found in zip(studies, run_all([one.study for one in studies]), strict=True):
        assert found.results == {text: expected(one, text) for text in one.study.options.metrics}


def test_a_few_studies_have_the_means_and_limits_of_their_definitions() -> None:
    check(drawn(2, 81, ASKED[1::2], 5))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_five_hundred_studies_have_the_means_of_their_definitions(part: int) -> None:
    for batch in range(2):
        check(drawn(50, 82 + 2 * part + batch, ASKED, 5))


def five_folds() -> tuple[Owner, ...]:
    rng = np.random.default_rng(9)
    return tuple(
        Owner(rng.random(n), rng.integers(0, 2, n), parts=(np.arange(n) % 5).tolist())
        for n in (400, 350)
    )


def test_they_are_the_means_of_scikit_learns_scores_with_scipys_limits() -> None:
    owners = five_folds()
    columns = (
        np.concatenate([np.asarray(getattr(one, of)) for one in owners])
        for of in ("scores", "labels", "parts")
    )
    scores, labels, folds = columns
    each = [(labels[folds == v], scores[folds == v]) for v in range(5)]
    values = {
        "accuracy:at=0.5": [accuracy_score(y, f >= 0.5) for y, f in each],
        "brier": [brier_score_loss(y, f) for y, f in each],
    }
    # lists and sums of folds in one study
    asked = (*(f"mean_folds:quantile=t,of={of}" for of in values), "auroc_folds")
    found = run(Study(owners, Options(metrics=asked, decimals=6, folds=5))).results
    for text, of_folds in zip(asked, values.values(), strict=False):
        mean = np.mean(of_folds)
        low, high = scipy.stats.t.interval(0.95, 4, mean, scipy.stats.sem(of_folds))
        assert found[text] == f"{mean:.6f} ({low:.6f} to {high:.6f})"
    alone = run(Study(owners, Options(metrics=asked[2:], decimals=6, folds=5))).results
    assert found[asked[2]] == alone[asked[2]]


def test_a_threshold_that_one_fold_keeps_back_is_kept_back_in_all() -> None:
    rng = np.random.default_rng(10)
    folds = np.arange(150) % 3
    scores, labels = rng.random(150), np.arange(150) // 3 % 2
    # in fold 2 nobody but one negative is below the threshold
    scores[folds == 2] = np.r_[0.1, np.linspace(0.3, 0.9, 49)]
    owner = Owner(scores.tolist(), labels.tolist(), parts=folds.tolist())
    asked = ("mean_folds:of=accuracy:at=0.25", "mean_folds:of=brier")
    shown, withheld = (
        run(Study((owner,), Options(metrics=asked, folds=3, least_cell=least))).results
        for least in (1, 5)
    )
    assert shown[asked[0]].startswith("0.")
    assert withheld[asked[0]] == (
        "undefined: fewer than 5 of a class between this cut and another, in some fold"
    )
    assert withheld[asked[1]] == shown[asked[1]]


def test_an_unsound_or_an_empty_fold_and_the_cost_of_all_sizes() -> None:
    rng = np.random.default_rng(11)
    owners = tuple(
        Owner(rng.random(len(folds)).round(1), rng.integers(0, 2, len(folds)), parts=folds)
        for folds in ([0] * 30 + [2], [0] * 9 + [3, 3], [])
    )
    asked = (
        "mean_folds:of=balanced_accuracy:at=0.5",
        "mean_folds:empty=skip,quantile=t,of=ece:bins=4",
        "auroc_folds:empty=skip",
    )
    study = Study(owners, Options(metrics=asked, decimals=3, folds=5, merge="network"))
    measured, predicted = run(study), phase_estimates(study.options, study.sizes)
    assert measured.results[asked[1]].endswith("folds left out: 2")
    assert sum(one.spent.hops for one in predicted) == measured.hops
    assert sum(one.spent.payload for one in predicted) == measured.payload


def test_the_ledger_says_what_servers_and_receivers_learn() -> None:
    options = Options(metrics=("mean_folds:of=ppv:at=0.5",), folds=2)
    told = ledger(options, [100] * 4)
    [receivers] = told.learns.receivers
    assert "nobody is called positive" in receivers
    assert "the least cell of the study is not reached" in receivers
    assert any("in each fold" in one for one in told.learns.P0)


@pytest.mark.parametrize(
    "of",
    ["auroc", "confusion:at=0.5", "accuracy:at=0.5/0.6", "ppv:at=0.5,level=0.9", "mcc:at=0.5"],
)
def test_what_is_no_ratio_of_each_fold_is_refused(of: str) -> None:
    with pytest.raises(OptionRefused, match=r"accuracy.*brier.*at one threshold"):
        statistic(f"mean_folds:of={of}")


def test_words_of_different_runs_are_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="do not make a result"):
        statistic("mean_folds").decode([10**5, 0, 0], 4)


def test_numbers_without_folds_and_folds_beside_other_numbers_are_refused() -> None:
    with pytest.raises(OptionRefused, match="folds"):
        Options(metrics=("mean_folds",))
    with pytest.raises(OptionRefused, match="lists of different kinds"):
        Options(metrics=("mean_folds", "brier"), folds=3)
