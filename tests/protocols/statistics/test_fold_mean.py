"""Means over folds against row-by-row definitions in exact fractions, and against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import average_precision_score, roc_auc_score

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.student import scaled_student
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.aucnpr import above_steps
from ppaurora.protocols.statistics.fold_mean import FoldMean
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.pooled import rounded
from tests.protocols.studies import Owner, Study, interval, run, run_all

Rows = Sequence[tuple[float, int]]
PRECISION = 60


@dataclass(frozen=True)
class Drawn:
    """All rows with the fold of each, and the study over them."""

    rows: tuple[tuple[float, int], ...]
    folds: tuple[int, ...]
    study: Study

    def in_folds(self) -> list[Rows]:
        return [
            [row for row, fold in zip(self.rows, self.folds, strict=True) if fold == one]
            for one in range(self.study.options.folds)
        ]


def drawn(
    count: int, seed: int, metrics: Sequence[tuple[str, ...]], most_decimals: int = 7
) -> list[Drawn]:
    """Studies of one to four owners and two to six folds, of which some are empty or one class."""
    rng = np.random.default_rng(seed)
    found = []
    for place in range(count):
        n = int(rng.choice([6, 10, 24, 60, 150]))
        k = int(rng.choice([2, 3, 4, 6]))
        labels = (rng.random(n) < rng.choice([0.1, 0.3, 0.5, 0.8])).astype(int)
        match rng.integers(0, 4):
            case 0:
                scores = rng.integers(0, 4, n) / 4
            case 1:
                scores = labels / 2 + rng.integers(0, 5, n) / 10
            case _:
                scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1)
        folds = rng.integers(0, k, n) if rng.random() < 0.7 else np.arange(n) % k
        cuts = np.sort(rng.integers(0, n + 1, int(rng.integers(0, 4))))
        decimals = int(rng.integers(1, most_decimals + 1))
        owners = tuple(
            Owner(scores[part].tolist(), labels[part].tolist(), parts=folds[part].tolist())
            for part in np.split(np.arange(n), cuts)
        )
        options = Options(
            metrics=metrics[place % len(metrics)], decimals=decimals, folds=k, least_cell=1
        )
        rows = tuple(zip(scores.tolist(), labels.tolist(), strict=True))
        found.append(Drawn(rows, tuple(folds.tolist()), Study(owners, options)))
    return found


def split(rows: Rows) -> tuple[list[float], list[int]]:
    return [score for score, _ in rows], [label for _, label in rows]


def auroc(rows: Rows) -> Fraction | None:
    return pooled.auroc(*split(rows))


def average_precision(rows: Rows) -> Fraction | None:
    return pooled.average_precision(*split(rows))


def aucnpr(rows: Rows) -> Fraction | None:
    """The average precision between the worst ranking's and 1."""
    P = sum(label for _, label in rows)
    N = len(rows) - P
    if not P * N:
        return None
    value = average_precision(rows)
    assert value is not None
    least = sum((Fraction(i, i + N) for i in range(1, P + 1)), Fraction(0)) / P
    return (value - least) / (1 - least)


VALUES: dict[str, Callable[[Rows], Fraction | None]] = {
    "auroc_folds": auroc,
    "average_precision_folds": average_precision,
    "aucnpr_folds": aucnpr,
}


def influences(folds: Sequence[Rows]) -> Fraction:
    """SE² of the mean AUROC, sample by sample as cvAUC does it, ties counted half."""
    n = sum(map(len, folds))
    P = sum(label for rows in folds for _, label in rows)
    total = Fraction(0)
    for rows in folds:
        area, squares = auroc(rows), Fraction(0)
        assert area is not None
        for score, label in rows:
            others = [one for one, other in rows if other != label]
            below = sum((one < score) + Fraction(one == score, 2) for one in others)
            share = below / len(others) if label else 1 - below / len(others)
            squares += ((share - area) * n / (P if label else n - P)) ** 2
        total += squares / len(rows)
    return total / len(folds) / n


def deviation(values: Sequence[Fraction]) -> Fraction:
    k = len(values)
    mean = sum(values) / k
    return sum(((one - mean) ** 2 for one in values), Fraction(0)) / (k * (k - 1))


def quantile(asked: FoldMean, counted: int) -> Fraction:
    """z or t, by the tables that `test_normal` and `test_student` hold against others."""
    tail = (1 - asked.level) / 2
    if getattr(asked, "quantile", "normal") == "normal":
        return Fraction(scaled_quantile(tail, PRECISION), 10**PRECISION)
    return Fraction(scaled_student(counted - 1, tail, PRECISION), 10**PRECISION)


def expected(one: Drawn, text: str) -> str:
    """The released text, from the definitions."""
    asked = statistic(text)
    assert isinstance(asked, FoldMean)
    folds = one.in_folds()
    values = [VALUES[asked.name](rows) if rows else None for rows in folds]
    counted = [rows for rows, value in zip(folds, values, strict=True) if value is not None]
    there = [value for value in values if value is not None]
    skip = asked.empty == "skip"
    least = 1 if asked.name == "auroc_folds" else 2
    if len(there) < (least if skip else len(folds)):
        return f"undefined: {asked.undefined}"
    squared = influences(counted) if asked.name == "auroc_folds" else deviation(there)
    half = quantile(asked, len(there)) * Fraction(
        isqrt(int(squared * 100**PRECISION)), 10**PRECISION
    )
    mean = sum(there, Fraction(0)) / len(there)
    limits = (mean, max(Fraction(0), mean - half), min(Fraction(1), mean + half))
    value, lower, upper = (rounded(end, one.study.options.decimals) for end in limits)
    left_out = f", folds left out: {len(folds) - len(there)}" if skip else ""
    return f"{interval(value, lower, upper)}{left_out}"


ASKED = tuple(
    (
        f"auroc_folds:level={level},empty={empty}",
        f"average_precision_folds:level={level},empty={empty}",
        f"aucnpr_folds:level={level},empty={empty},quantile=t",
    )
    for level in ("0.9", "0.5")
    for empty in ("undefined", "skip")
)


def check(studies: Sequence[Drawn]) -> None:
    for one, found in zip(studies, run_all([one.study for one in studies]), strict=True):
        texts = one.study.options.metrics
        assert found.results == {text: expected(one, text) for text in texts}


def test_a_few_studies_have_the_means_and_limits_of_their_definitions() -> None:
    check(drawn(2, 71, ASKED[::3]))


@pytest.mark.soak
def test_five_hundred_studies_have_the_means_and_limits_of_their_definitions() -> None:
    for batch in range(10):
        check(drawn(50, 72 + batch, ASKED))


def test_the_definitions_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        labels = np.r_[0, 1, rng.integers(0, 2, 18)]
        scores = rng.random(20).round(1)
        rows = list(zip(scores.tolist(), labels.tolist(), strict=True))
        assert float(auroc(rows) or 0) == pytest.approx(roc_auc_score(labels, scores))
        ap = average_precision_score(labels, scores)
        assert float(average_precision(rows) or 0) == pytest.approx(ap)
        P = int(labels.sum())
        above = above_steps(20, Fraction(0), 80)[P] / 2**80
        value = aucnpr(rows)
        assert value is not None
        assert float(value) == pytest.approx(1 - (1 - ap) * P / above)


def test_three_folds_worked_by_hand() -> None:
    # in each fold one pair of four is lost: 3/4; then all are won: 1; then half of them: 1/2
    folds = {
        0: ((0.9, 1), (0.7, 0), (0.5, 1), (0.1, 0)),
        1: ((0.8, 1), (0.2, 0)),
        2: ((0.6, 1), (0.6, 0)),
    }
    rows = [(score, label, fold) for fold, of in folds.items() for score, label in of]
    owner = Owner(*([row[place] for row in rows] for place in (0, 1)), parts=[r[2] for r in rows])
    found = run(Study((owner,), Options(metrics=("auroc_folds",), decimals=4, folds=3)))
    # influences in fold 0 are ±1/2, of which the mean square is 1/4; SE² = 1/4/3/8
    half = NormalDist().inv_cdf(0.975) * (1 / 96) ** 0.5
    assert found.results["auroc_folds"] == f"0.7500 ({0.75 - half:.4f} to {0.75 + half:.4f})"


def test_an_empty_fold_makes_undefined_or_is_left_out_as_the_study_says() -> None:
    owner = Owner([0.9, 0.1, 0.8, 0.3, 0.7], [1, 0, 1, 0, 1], parts=[0, 0, 1, 1, 2])
    asked = ("auroc_folds", "auroc_folds:empty=skip", "average_precision_folds")
    for folds, left_out in ((3, 1), (5, 3)):
        found = run(Study((owner,), Options(metrics=asked, decimals=2, folds=folds))).results
        one = "1.00 (1.00 to 1.00, no width)"
        assert found["auroc_folds"].startswith("undefined: a class is missing")
        assert found["auroc_folds:empty=skip"] == f"{one}, folds left out: {left_out}"
        whole = found["average_precision_folds"]
        # the one positive of fold 2 is a fold by itself; folds 3 and 4 have nobody
        assert (
            whole == "1.00 (1.00 to 1.00, no width)"
            if folds == 3
            else whole.startswith("undefined")
        )


@pytest.mark.parametrize("merge", ["network", "delta"])
def test_folds_of_all_sizes_cost_what_is_foreseen(merge: str) -> None:
    rng = np.random.default_rng(8)
    owners = tuple(
        Owner(rng.random(len(folds)).round(1), rng.integers(0, 2, len(folds)), parts=folds)
        for folds in ([0] * 30 + [2], [0] * 9 + [3, 3], [])
    )
    options = Options(
        metrics=("auroc_folds", "aucnpr_folds:empty=skip"), decimals=3, folds=5, merge=merge
    )
    study = Study(owners, options)
    measured, predicted = run(study), phase_estimates(options, study.sizes)
    assert study.sizes == [30, 0, 1, 0, 0, 9, 0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert sum(one.spent.hops for one in predicted) == measured.hops
    assert sum(one.spent.payload for one in predicted) == measured.payload


def test_a_mean_on_a_rounding_boundary_is_rounded_up() -> None:
    # AUROCs of 1/3, 1/3 and 1/12: none has finitely many decimals, their mean is 1/4
    rows = []
    for fold, (P, N, won) in enumerate(((1, 3, 1), (3, 1, 1), (3, 4, 1))):
        below, above = (0.2, 0.8)
        lost = [(above, 0)] * (N - 1) + [(below, 0)] if P == 1 else [(above, 0)] * (N - 1)
        rows += [(score, label, fold) for score, label in lost]
        if P > 1:
            rows += [(0.5, 0, fold), (0.6, 1, fold)] + [(0.4, 1, fold)] * (P - 1)
        else:
            rows += [(0.5, 1, fold)]
        of_fold = [(score, label) for score, label, one in rows if one == fold]
        assert auroc(of_fold) == Fraction(won, P * N)
    owner = Owner(*([row[place] for row in rows] for place in (0, 1)), parts=[r[2] for r in rows])
    found = run(Study((owner,), Options(metrics=("auroc_folds:level=0.5",), decimals=1, folds=3)))
    assert found.results["auroc_folds:level=0.5"].startswith("0.3 (")


def test_an_unsound_list_of_one_fold_has_the_whole_upload_refused() -> None:
    owners = tuple(Owner([0.1, 0.7, 0.4, 0.6], [0, 1, 1, 0], parts=[0, 0, 1, 1]) for _ in range(3))
    study = Study(owners, Options(metrics=("auroc_folds",), decimals=2, folds=2))
    sound = run(study)
    assert (sound.refused, sound.samples) == ((), 12)

    class Swapped(Study):
        def shares(self):  # type: ignore[no-untyped-def]
            one, two, three = super().shares()
            # the second fold of the second owner, from the lowest key up
            return [one, tuple(half[[0, 1, 3, 2]] for half in two), three]

    found = run(Swapped(study.owners, study.options))
    assert (found.refused, found.samples) == ((1,), 8)
    assert found.results == run(replace(study, owners=owners[:2])).results


@pytest.mark.parametrize(
    ("metrics", "more", "says"),
    [
        (("auroc_folds",), {}, "are missing"),
        (("auroc",), {"folds": 5}, "no metric is the mean over them"),
        (("auroc_folds", "auroc"), {"folds": 5}, "lists of different kinds"),
        (("auroc_folds",), {"folds": 1}, "from 2 to 100"),
        (("auroc_folds",), {"folds": 101}, "from 2 to 100"),
        (("auroc_folds",), {"folds": 5, "ties": "helper"}, "tells of every fold"),
        (("auroc",), {"folds": 5, "resolution": "bins:8"}, "no metric is the mean over them"),
    ],
)
def test_folds_go_with_statistics_of_folds_only(
    metrics: tuple[str, ...], more: dict[str, object], says: str
) -> None:
    with pytest.raises(OptionRefused, match=says):
        Options(metrics=metrics, **more)  # type: ignore[arg-type]


def test_words_that_no_computation_yields_are_refused() -> None:
    skip = statistic("auroc_folds:empty=skip")
    assert str(skip.decode([7, 6, 8, 2], 1)) == "0.7 (0.6 to 0.8), folds left out: 2"
    assert skip.decode([undefined(1)] * 3 + [4], 1).undefined
    with pytest.raises(RemoteProtocolError):
        skip.decode([7, 6, 8, 1 << 40], 1)


def test_limits_by_students_t_are_those_of_scipy() -> None:
    rng = np.random.default_rng(4)
    labels, scores, folds = rng.integers(0, 2, 80), rng.random(80).round(2), np.arange(80) % 5
    owner = Owner(scores.tolist(), labels.tolist(), parts=folds.tolist())
    texts = ("average_precision_folds:quantile=t", "average_precision_folds:quantile=t,empty=skip")
    values = [
        average_precision_score(labels[folds == one], scores[folds == one]) for one in range(5)
    ]
    low, high = scipy.stats.t.interval(0.95, 4, np.mean(values), scipy.stats.sem(values))
    # in the second study a fold is empty, and left out: still four degrees of freedom
    for text, k, left_out in ((texts[0], 5, ""), (texts[1], 6, ", folds left out: 1")):
        found = run(Study((owner,), Options(metrics=(text,), decimals=6, folds=k))).results[text]
        assert found == f"{np.mean(values):.6f} ({low:.6f} to {high:.6f}){left_out}"
