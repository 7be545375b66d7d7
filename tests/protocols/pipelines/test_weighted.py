"""Samples that count with weights, from the owners' rows to the released numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, reconstruct, share
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import check_bounds, evaluate, most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.weighted import LARGEST_WEIGHT, WeightedList, WeightedSums
from tests.protocols.statistics.test_every_statistic import ASKED
from tests.protocols.studies import Owner, Study, owners_of, run, run_all, upload_of

LISTED = ("auroc", "average_precision", "pauc:max_fpr=0.5", "tpauc:min_tpr=0.3,max_fpr=0.7")
SUMMED = (
    "class_counts", "confusion:at=0.5", "accuracy:at=0.25", "balanced_accuracy:at=0.5",
    "f1:at=0.5", "f_beta:at=0.25", "mcc:at=0.5", "net_benefit:at=0.25", "npv:at=0.5", "ppv:at=0.5",
    "youden:at=0.5", "roc_curve:points=4", "pr_curve:points=4", "brier", "log_loss",
    "scaled_brier", "observed_expected", "ece:bins=4", "calibration_errors_binned:bins=4",
    "calibration:bins=4",
)  # fmt: skip
ALL = (*LISTED, *SUMMED)
SOME = ("auroc", "average_precision", "class_counts", "confusion:at=0.5", "ppv:at=0.5", "brier")
MOST = 50
PLAIN = Options(metrics=ALL, least_cell=1, most_weight=MOST, merge="network")

Row = tuple[Fraction, int, int]


def rows_of(study: Study) -> list[Row]:
    """Score, label and weight of each row, as they are."""
    return [
        (Fraction(float(score)), int(label), int(weight))
        for one in study.owners
        for score, label, weight in zip(
            one.scores, one.labels, one.weights or [1] * len(one.labels), strict=True
        )
    ]


def auroc(rows: Sequence[Row]) -> Fraction | None:
    """By weighted pairs."""
    won = pairs = Fraction(0)
    for s, y, w in rows:
        for t, z, v in rows:
            if y and not z:
                won += w * v * (Fraction(s > t) + Fraction(s == t, 2))
                pairs += w * v
    return won / pairs if pairs else None


def average_precision(rows: Sequence[Row]) -> Fraction | None:
    """The mean over the weight of positives of the precision at their scores."""
    positives = sum(w for _, y, w in rows if y)
    if not positives:
        return None
    total = Fraction(0)
    for s, y, w in rows:
        if y and w:
            above = [(z, v) for t, z, v in rows if t >= s]
            total += w * Fraction(sum(v for z, v in above if z), sum(v for _, v in above))
    return total / positives


def mean(loss: Callable[[Fraction, int], Fraction]) -> Callable[[Sequence[Row]], Fraction | None]:
    def of(rows: Sequence[Row]) -> Fraction | None:
        whole = sum(w for *_, w in rows)
        total = sum((w * loss(f, y) for f, y, w in rows), Fraction(0))
        return total / whole if whole else None

    return of


brier = mean(lambda f, y: (y - f) ** 2)


def called(rows: Sequence[Row], at: Fraction) -> tuple[int, int, int, int]:
    """TP, FP, FN and TN, by weight."""
    found = [0, 0, 0, 0]
    for f, y, w in rows:
        found[(0 if y else 1) if f >= at else (2 if y else 3)] += w
    tp, fp, fn, tn = found
    return tp, fp, fn, tn


def accuracy(rows: Sequence[Row]) -> Fraction | None:
    tp, fp, fn, tn = called(rows, Fraction(1, 4))
    n = tp + fp + fn + tn
    return Fraction(tp + tn, n) if n else None


def f_beta(rows: Sequence[Row]) -> Fraction | None:
    """Recall counts twice as much as precision."""
    tp, fp, fn, _ = called(rows, Fraction(1, 4))
    return Fraction(5 * tp, 5 * tp + 4 * fn + fp) if tp + fn + fp else None


def ppv(rows: Sequence[Row]) -> Fraction | None:
    tp, fp, *_ = called(rows, Fraction(1, 2))
    return Fraction(tp, tp + fp) if tp + fp else None


def net_benefit(rows: Sequence[Row]) -> Fraction | None:
    tp, fp, fn, tn = called(rows, Fraction(1, 4))
    n = tp + fp + fn + tn
    return (tp - Fraction(fp, 3)) / n if n else None


def scaled_brier(rows: Sequence[Row]) -> Fraction | None:
    n, P = sum(w for *_, w in rows), sum(w for _, y, w in rows if y)
    if not P or n == P:
        return None
    loss = brier(rows)
    assert loss is not None
    return max(Fraction(-1), 1 - loss / (Fraction(P, n) * Fraction(n - P, n)))


def observed_expected(rows: Sequence[Row]) -> Fraction | None:
    expected = sum((w * f for f, _, w in rows), Fraction(0))
    P = sum(w for _, y, w in rows if y)
    return min(Fraction(100), P / expected) if expected else None


def ece(rows: Sequence[Row]) -> Fraction | None:
    n, total = sum(w for *_, w in rows), Fraction(0)
    for part in range(4):
        inside = [(f, y, w) for f, y, w in rows if min(int(4 * f), 3) == part]
        total += abs(sum((w * (y - f) for f, y, w in inside), Fraction(0)))
    return total / n if n else None


DEFINITIONS: dict[str, Callable[[Sequence[Row]], Fraction | None]] = {
    "auroc": auroc,
    "average_precision": average_precision,
    "brier": brier,
    "accuracy:at=0.25": accuracy,
    "f_beta:at=0.25": f_beta,
    "ppv:at=0.5": ppv,
    "net_benefit:at=0.25": net_benefit,
    "scaled_brier": scaled_brier,
    "observed_expected": observed_expected,
    "ece:bins=4": ece,
}


def text_of(value: Fraction | None, decimals: int) -> str | None:
    """The decimal text, rounded half up; None where there is no number."""
    if value is None:
        return None
    word = (2 * value * 10**decimals + 1) // 2
    sign = "-" if word < 0 else ""
    return f"{sign}{abs(word) // 10**decimals}.{abs(word) % 10**decimals:0{decimals}d}"


def numbers(text: str) -> str:
    """The last number of a released text."""
    return text if text.startswith("undefined") else re.findall(r"-?[0-9.]+", text)[-1]


def check(study: Study, results: dict[str, str]) -> int:
    """The number of results that are those of their definitions, which all of them have to be."""
    rows, compared = rows_of(study), 0
    for text, value in results.items():
        if text not in DEFINITIONS:
            continue
        expected = text_of(DEFINITIONS[text](rows), study.options.decimals)
        if expected is None:
            assert "undefined: " in value, text
        else:
            assert numbers(value) == expected, text
            compared += 1
    return compared


def drawn(count: int, seed: int, metrics: Sequence[Sequence[str]]) -> list[Study]:
    """Studies of 1 to 4 owners, with ties between rows of different weight and weights of zero."""
    rng = np.random.default_rng(seed)
    studies = []
    for place in range(count):
        n = int(rng.choice([1, 2, 3, 5, 8, 21, 60]))
        scores = rng.integers(0, int(rng.choice([2, 5, 129])), n) / 128
        labels = (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(int)
        most = int(rng.choice([1, 3, 50, 1_000_000]))
        weights = rng.integers(0, most + 1, n) * (rng.random(n) < rng.choice([0.3, 0.9, 1.0]))
        if rng.random() < 0.15:
            weights = weights * labels  # one class weighs nothing
        cuts = np.sort(rng.integers(0, n + 1, int(rng.integers(0, 4))))
        owners = tuple(
            Owner(scores[a:b].tolist(), labels[a:b].tolist(), weights=weights[a:b].tolist())
            for a, b in zip([0, *cuts], [*cuts, n], strict=True)
        )
        options = replace(
            PLAIN,
            metrics=tuple(metrics[place % len(metrics)]),
            most_weight=most,
            decimals=int(rng.integers(1, 9)),
            merge=str(rng.choice(["network", "shuffled", "delta"])),
            direction="higher",
        )
        studies.append(Study(owners, options))
    return studies


def one(weights: Sequence[int], **options: Any) -> Study:
    """A list of ten rows with ties, of these weights."""
    scores = [1.0, 0.75, 0.75, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.0]
    labels = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    owners = tuple(
        Owner(scores[a:b], labels[a:b], weights=weights[a:b]) for a, b in ((0, 4), (4, 4), (4, 10))
    )
    if not set(LISTED) & set(options.get("metrics", LISTED)):
        options["merge"] = "auto"
    return Study(owners, replace(PLAIN, **options))


WEIGHTS = (3, 0, 5, 2, 7, 0, 50, 1, 4, 9)


def test_all_statistics_of_weights_are_those_of_their_definitions() -> None:
    assert check(one(WEIGHTS), run(one(WEIGHTS)).results) == len(DEFINITIONS)


def test_every_statistic_is_as_in_the_clear_and_costs_what_is_predicted() -> None:
    for metrics in (ALL, LISTED[:1], SUMMED[-1:]):
        study = one(WEIGHTS, metrics=metrics)
        options = study.options
        found = run(study)
        pipeline = options.pipeline
        uploads = [upload_of(owner, options) for owner in study.owners if len(owner.scores)]
        sizes = [size for size in study.sizes if size]
        clear = pipeline.plaintext(uploads, sizes)
        for text, asked in zip(options.texts, options.statistics, strict=True):
            data = pipeline.part(asked.pipeline, clear)
            words = list(asked.plaintext_words(data, options.decimals))
            assert found.results[text] == str(asked.decode(words, options.decimals)), text
        predicted = phase_estimates(options, study.sizes)
        assert sum(phase.spent.hops for phase in predicted) == found.hops
        assert sum(phase.spent.payload for phase in predicted) == found.payload


def test_equal_weights_give_the_numbers_without_weights() -> None:
    twice = run(one((2,) * 10, metrics=SOME)).results
    study = one((1,) * 10, metrics=SOME)
    plain = replace(study.options, most_weight=0.0)
    assert plain.pipeline.columns == ()
    once = run(replace(study, options=plain)).results
    counted = {"class_counts", "confusion:at=0.5"}
    assert {text: twice[text] for text in twice if text not in counted} == {
        text: once[text] for text in once if text not in counted
    }
    assert twice["class_counts"] != once["class_counts"]


def test_weights_times_a_hundred_change_no_rate() -> None:
    small = run(one(WEIGHTS, metrics=SOME)).results
    heavy = [100 * weight for weight in WEIGHTS]
    large = run(one(heavy, metrics=SOME, most_weight=100.0 * MOST)).results
    hundredths = run(one(heavy, metrics=SOME, weight_step=0.01)).results
    assert {t for t in small if small[t] != large[t]} == {"class_counts", "confusion:at=0.5"}
    # in steps of a hundredth they are the same weights
    assert hundredths == small


def test_a_row_of_weight_zero_is_as_none() -> None:
    kept = [place for place, weight in enumerate(WEIGHTS) if weight]
    whole = one(WEIGHTS, metrics=SOME)
    scores = [score for owner in whole.owners for score in owner.scores]
    labels = [label for owner in whole.owners for label in owner.labels]
    left = Owner(
        [scores[k] for k in kept], [labels[k] for k in kept], weights=[WEIGHTS[k] for k in kept]
    )
    assert run(Study((left,), whole.options)).results == run(whole).results


def test_nothing_is_defined_where_all_weights_are_zero() -> None:
    results = run(one((0,) * 10)).results
    assert all("undefined: " in value or "withheld: " in value for value in results.values())
    assert results["brier"] == "undefined: no sample counts"
    assert "no sample counts" in results["class_counts"]
    assert "no sample counts" in results["accuracy:at=0.25"]


def test_a_class_of_no_weight_is_missing() -> None:
    labels = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    positives = [w * y for w, y in zip(WEIGHTS, labels, strict=True)]
    results = run(one(positives, metrics=LISTED[:2])).results
    assert results["auroc"] == "undefined: a class is missing"
    assert results["average_precision"] == "1.0000"
    negatives = [w * (1 - y) for w, y in zip(WEIGHTS, labels, strict=True)]
    none = run(one(negatives, metrics=LISTED[:2])).results
    assert none["average_precision"] == "undefined: there are no positives"


def test_a_least_cell_counts_rows_and_not_what_they_weigh() -> None:
    heavy = one((MOST,) * 10, metrics=("ppv:at=0.5", "class_counts"), least_cell=5)
    results = run(heavy).results
    assert "withheld" in results["ppv:at=0.5"]
    assert "withheld" in results["class_counts"]
    rng = np.random.default_rng(2)
    owners = owners_of(rng.random(60).tolist(), [1, 0] * 30, [20, 20, 20])
    light = tuple(replace(one, weights=[0] * 19 + [1]) for one in owners)
    results = run(Study(light, heavy.options)).results
    assert "withheld" not in results["ppv:at=0.5"]


def verdicts(study: Study, change: Callable[[np.ndarray[Any, Any]], None]) -> tuple[int, ...]:
    """The places of the uploads that are refused where the first one is changed."""
    uploads = [upload_of(owner, study.options) for owner in study.owners]
    change(uploads[0])

    def program(party: Party, *own: Shared) -> tuple[int, ...]:
        return evaluate(party, study.options, own, sizes=study.sizes).refused

    return run_local(program, *map(share, uploads))[0]


@pytest.mark.parametrize("metrics", [LISTED[:1], ("ppv:at=0.5", "brier")])
@pytest.mark.parametrize("weight", [MOST + 1, -1, 1 << 63, (1 << 63) - 1])
def test_a_weight_out_of_range_is_found(metrics: tuple[str, ...], weight: int) -> None:
    study = one(WEIGHTS, metrics=metrics)

    def change(words: np.ndarray[Any, Any]) -> None:
        if metrics == LISTED[:1]:
            words[len(words) // 2] = weight % (1 << 64)
        else:
            # three positives are in the first cell
            words[_weighed(study)] = (weight + 2 * MOST * (weight > 0)) % (1 << 64)

    assert verdicts(study, lambda words: None) == ()
    assert verdicts(study, change) == (0,)


def _weighed(study: Study) -> int:
    """The place of what the first cell weighs, in an upload of sums."""
    pipeline = study.options.pipeline
    assert isinstance(pipeline, WeightedSums)
    return pipeline.layout.counts


def test_parts_of_an_upload_must_have_the_same_weights() -> None:
    study = one(WEIGHTS, metrics=("auroc", "ppv:at=0.5"))
    n = len(study.owners[0].scores)

    def other_weight(words: np.ndarray[Any, Any]) -> None:
        words[n] += 1

    def exchanged(words: np.ndarray[Any, Any]) -> None:
        # a positive's and a negative's: the sum is the same
        words[n], words[n + 2] = words[n + 2], words[n]

    assert verdicts(study, lambda words: None) == ()
    assert verdicts(study, other_weight) == (0,)
    assert verdicts(study, exchanged) == (0,)


def test_an_upload_does_not_tell_the_order_of_its_rows() -> None:
    study = one(WEIGHTS, metrics=("auroc", "ppv:at=0.5"))
    owner = study.owners[2]
    rng = np.random.default_rng(1)
    for _ in range(9):
        order = rng.permutation(len(owner.scores))
        turned = Owner(
            *([column[k] for k in order] for column in (owner.scores, owner.labels)),
            weights=[owner.weights[k] for k in order],  # type: ignore[index]
        )
        assert (upload_of(owner, study.options) == upload_of(turned, study.options)).all()


def test_every_other_statistic_is_refused_by_name() -> None:
    known = {text.partition(":")[0] for text in ALL}
    others = [text for text in ASKED if text.partition(":")[0] not in known]
    for text in others:
        with pytest.raises(OptionRefused, match=f"{text}, which takes every sample for one"):
            Options(metrics=(text,), most_weight=2, least_cell=1)
    assert {"auroc_ci", "average_precision_ci", "auroc_sites"} < set(others)


def test_weights_that_are_no_steps_and_other_tables_are_refused() -> None:
    for wrong, says in (
        ({"most_weight": 1.5}, "whole number of steps"),
        ({"most_weight": 2.0, "weight_step": 0.3}, "whole number of steps"),
        ({"most_weight": 3e9}, "whole number of steps"),
        ({"most_weight": 2, "resolution": "bins:16"}, "counted in cells"),
        ({"most_weight": 2, "resolution": "decimals:2", "table": "counted"}, "counted in cells"),
        ({"most_weight": 2, "groups": ("a", "b")}, "groups or folds"),
        ({"most_weight": 2, "ties": "helper"}, "compare"),
        ({"weight_step": 0.5}, "has no meaning"),
        ({"most_weight": -1}, "0 or more"),
    ):
        with pytest.raises(OptionRefused, match=says):
            _ = Options(metrics=("auroc",), **wrong).pipeline  # type: ignore[arg-type]
    few = Options(metrics=("auroc",), resolution="decimals:1", most_weight=2)
    assert isinstance(few.pipeline, WeightedList)
    assert few.with_table.table == "sorted"


def test_steps_are_as_exact_as_they_are_written() -> None:
    options = Options(metrics=("auroc",), most_weight=10, weight_step=0.01)
    assert (options.largest_weight, options.unit) == (1000, Fraction(1, 100))
    assert Options(metrics=("auroc",)).largest_weight == 1


def test_the_bound_is_on_what_all_samples_may_weigh() -> None:
    options = Options(metrics=("auroc", "brier"), most_weight=10, weight_step=0.01)
    most = LARGEST_WEIGHT // 1000
    assert most_samples(options) == most
    check_bounds(options, [most])
    with pytest.raises(BoundExceeded, match="may weigh"):
        check_bounds(options, [most, 1])


def test_the_largest_sums_are_exact() -> None:
    most = LARGEST_WEIGHT // 10
    study = one((most,) * 10, most_weight=float(most), metrics=ALL)
    assert check(study, run(study).results) == len(DEFINITIONS)


def test_the_ledger_says_what_weights_do() -> None:
    options = Options(metrics=("auroc", "confusion:at=0.5"), most_weight=10, weight_step=0.5)
    told = ledger(options, [1000, 1000, 1000])
    assert (told.public.options["most_weight"], told.public.options["weight_step"]) == (10, 0.5)
    assert "weights from 0 to the largest" in str(told.learns.P0)
    assert "what the positives weigh in all" in str(told.learns.receivers)
    assert "what the samples of each class weigh" in told.summary
    assert sum("samples count with weights" in text for text in told.warnings) == 1


def test_every_digit_counts_towards_what_tells_labels() -> None:
    metrics = ("auroc", "ppv:at=0.5", "confusion:at=0.5", "class_counts")
    weighted = Options(metrics=metrics, most_weight=10)
    # four and four digits, two rates and four sums of weights, two sums
    assert Cells.of(weighted).label_digits == 4 + 4 + (2 * 4 + 4 * 10) + 2 * 10
    assert Cells.of(replace(weighted, most_weight=0.0)).label_digits == 0


def test_drawn_studies_have_the_numbers_of_their_definitions() -> None:
    studies = drawn(5, 3, [tuple(DEFINITIONS)])
    outcomes = run_all(studies)
    found = [check(s, o.results) for s, o in zip(studies, outcomes, strict=True)]
    assert sum(found) > 15


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_five_hundred_drawn_studies(part: int) -> None:
    studies = drawn(100, 100 + part, [tuple(DEFINITIONS)])
    outcomes = run_all(studies)
    found = [check(s, o.results) for s, o in zip(studies, outcomes, strict=True)]
    print(f"part {part}: {len(studies)} studies, {sum(found)} numbers")
    assert sum(found) > 300


def test_a_share_of_an_upload_by_itself_says_nothing_of_weights() -> None:
    """The words of P1 are masked, those of P0 a stream."""
    study = one(WEIGHTS, metrics=("auroc",))
    (p0, p1), *_ = study.shares()
    assert reconstruct(p0, p1).tolist() == upload_of(study.owners[0], study.options).tolist()
    assert not set(WEIGHTS) & set(p1.tolist())
    assert Role.P0 != Role.P1
