"""Joined rows in groups or with weights: every number is that of the rows that pandas joins."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, roc_auc_score

from ppaurora.mpc.local import run_local
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.grid.sums import Sum
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.tags import TAG_BITS, Side
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.folds import OF_FOLDS
from ppaurora.protocols.pipelines.groups import OF_GROUPS, WHOLE
from ppaurora.protocols.pipelines.joined import OF_SIDES, Joined
from ppaurora.protocols.pipelines.joined_beside import Beside, WordBeside
from ppaurora.protocols.ranking.ranked import PooledFolds
from ppaurora.protocols.statistics.between_groups import BetweenGroups
from ppaurora.protocols.statistics.calibration_groups import CalibrationGroups
from ppaurora.protocols.statistics.mean_folds import MeanOverFolds
from ppaurora.protocols.statistics.signed_difference import words_of
from tests.further import some_of
from tests.protocols.joins import Holder, drawn, joined_by_pandas
from tests.protocols.pipelines.test_joined import SORTS, holder, study
from tests.protocols.pipelines.test_joined_counts import as_fractions, sums
from tests.protocols.studies import Owner, keys_of, run, run_all, sizes_of, upload_of

SCORES, LABELS, BOTH = Side
GROUPS = Options(
    metrics=("auroc", "average_precision", "f1:at=0.5", "brier"),
    groups=("a", "b"),
    least_join=1,
    resolution="decimals:2",
    decimals=5,
    merge="network",
    least_cell=1,
)
WEIGHTS = replace(
    GROUPS,
    metrics=("auroc", "average_precision", "brier", "scaled_brier"),
    groups=(),
    most_weight=4,
)
FOLDS = replace(
    GROUPS,
    metrics=(
        *("auroc_folds", "auroc_folds:empty=skip"),
        *("mean_folds:of=f1:at=0.5", "mean_folds:empty=skip,of=accuracy:at=0.4"),
    ),
    groups=(),
    folds=3,
)
FEW = [
    replace(GROUPS, metrics=("auroc", "f1:at=0.5")),
    replace(WEIGHTS, metrics=("auroc", "brier")),
]
EVERY_GROUP = (
    *("auroc", "auroc_ci", "auroc_se", "average_precision", "auroc_groups", "auroc_groups_equal"),
    *("auroc_groups:pairs=all", "accuracy:at=0.3/0.5", "ppv:at=0.4", "roc_curve:points=3"),
    *("brier", "scaled_brier", "observed_expected", "ece:bins=4", "log_loss", "spiegelhalter_z"),
    *("rates_groups:at=0.4/0.6,pairs=all", "calibration_groups", "calibration_groups:pairs=all"),
)
EVERY_FOLD = (
    *("auroc_folds", "auroc_folds:empty=skip", "mean_folds:of=brier", "mean_folds:of=log_loss"),
    *("mean_folds:of=f1:at=0.5", "mean_folds:empty=skip,of=accuracy:at=0.4"),
)
FEW_OF_GROUPS = (
    "auroc",
    "calibration_groups",
    "auroc_groups",
    "auroc_groups_equal",
    "f1:at=0.5",
    "rates_groups:at=0.5",
)
EVERY_WEIGHT = (
    *("auroc", "average_precision", "pauc:max_fpr=0.4", "tpauc:min_tpr=0.3,max_fpr=0.6"),
    *("brier", "scaled_brier", "observed_expected", "log_loss"),
)


BOTH_KINDS = replace(
    GROUPS,
    metrics=("auroc", "average_precision", "brier"),
    most_weight=4,
    weights_from="labels",
)


def words_of_rows(options: Options) -> tuple[WordBeside, ...]:
    """The words beside a row: a group, fold or weight, or a group and a weight."""
    pipeline = options.pipeline
    assert isinstance(pipeline, Joined)
    assert pipeline.beside is not None
    return pipeline.beside.words


def rows_of(holders: Sequence[Holder], options: Options) -> pd.DataFrame:
    """The joined rows, with what stands beside them."""
    return joined_by_pandas(holders, *(word.side for word in words_of_rows(options)))


def beside(holders: Sequence[Holder], options: Options, seed: int = 0) -> list[Holder]:
    """The same owners, with a number beside each row that may have one: of a person ever the same.

    Owners with both may have another one of that person.
    """
    rng, found = random.Random(seed), []
    for one in holders:
        drawn_words = [
            tuple(rng.randint(0, word.top) for _ in one.people) if word.has(one.side) else ()
            for word in words_of_rows(options)
        ]
        own = replace(one, beside=drawn_words[0])
        found.append(replace(own, weights=drawn_words[1]) if len(drawn_words) > 1 else own)
    return found


def counts_of(rows: pd.DataFrame, options: Options) -> list[int]:
    """The number of times that each row counts."""
    column = "weight" if options.groups else "beside"
    if options.weighted:
        return [int(one) for one in rows[column]]
    return [1] * len(rows)


def enough(holders: Sequence[Holder], options: Options) -> bool:
    """True if as many rows are joined as the study asks for, in every group, or by weights."""
    rows = rows_of(holders, options)
    names, counts = [int(word) for word in rows["beside"]], counts_of(rows, options)
    parts = options.folds or len(options.groups)
    of_parts = [
        [count for name, count in zip(names, counts, strict=True) if name == place]
        for place in range(parts)
    ] or [counts]
    return all(
        len(own) >= options.least_join
        and (not options.weighted or options.least_join * max(own, default=0) <= sum(own))
        for own in of_parts
    )


def wanted(holders: Sequence[Holder], options: Options) -> dict[str, str]:
    """The values of the study of one owner who has all rows that pandas joins, in the clear."""
    rows = rows_of(holders, options)
    rows = rows if enough(holders, options) else rows[:0]
    plain = replace(
        options, least_join=0, groups_from="scores", weights_from="scores", folds_from="scores",
        table="sorted" if options.resolution.startswith("decimals") else "auto",
        merge="auto", groups=() if options.weighted else options.groups,
    )  # fmt: skip
    if not (options.weighted and options.groups):
        return of_one_owner(rows, counts_of(rows, options), plain)
    found = of_one_owner(rows, counts_of(rows, options), plain)
    for place, name in enumerate(options.groups):
        own = rows[rows["beside"] == place]
        of_group = of_one_owner(own, counts_of(own, options), plain)
        found |= {f"{text}@{name}": value for text, value in of_group.items()}
    return found


def of_one_owner(rows: pd.DataFrame, counts: list[int], plain: Options) -> dict[str, str]:
    """The values of a study of one owner with these rows."""
    owner = Owner(
        [float(score) for score in rows["score"]],
        [int(label) for label in rows["label"]],
        parts=[int(word) for word in rows["beside"]],
        weights=counts,
    )
    if not len(rows):
        named = zip(plain.texts, plain.statistics, strict=True)
        return {text: str(one.value_without_samples()) for text, one in named}
    sizes = sizes_of([owner], plain)
    data = plain.pipeline.plaintext([upload_of(owner, plain)], sizes)
    return {
        text: str(
            one.decode(
                one.plaintext_words(one.data_in(plain.pipeline, data), plain.decimals),
                plain.decimals,
            )
        )
        for text, one in zip(plain.texts, plain.statistics, strict=True)
    }


def alike(value: str, expected: str) -> bool:
    """True if two values are one, or both say that there is none: of no sample it is said at once,
    of samples that nobody knows to be none as of a class that is missing."""
    without = ("undefined", "no sample", "withheld", "no value")
    return value == expected or (
        any(one in value for one in without) and any(one in expected for one in without)
    )


def check(holders: Sequence[Holder], options: Options) -> None:
    check_all([(holders, options)])


def check_all(studies: Sequence[tuple[Sequence[Holder], Options]]) -> None:
    """Many in one session, each against pandas' rows, in the clear and by scikit-learn."""
    filled = [one for one in studies if any(holder.people for holder in one[0])]
    outcomes = run_all([study(holders, options) for holders, options in filled])
    for (holders, options), found in zip(filled, outcomes, strict=True):
        assert not found.refused
        expected = wanted(holders, options)
        if enough(holders, options):
            expected |= {
                text: value
                for text, value in by_fractions(holders, options).items()
                if text in expected
            }
            expected |= gaps(holders, options) | mean_losses(holders, options)
        assert found.results.keys() == expected.keys()
        for text, value in found.results.items():
            assert alike(value, expected[text]), (text, value, expected[text], holders, options)
        by_scikit_learn(holders, options, found.results)


def by_fractions(holders: Sequence[Holder], options: Options) -> dict[str, str]:
    """The numbers of sums of scores, of all rows and of each group, by fractions."""
    rows = rows_of(holders, options)
    each = counts_of(rows, options)
    expected = {}
    for place, name in enumerate(("", *(f"@{name}" for name in options.groups))):
        counts = [
            count if place == 0 else count * int(word == place - 1)
            for word, count in zip(rows["beside"], each, strict=True)
        ]
        found = sums(list(rows["score"]), [int(one) for one in rows["label"]], options, counts)
        expected |= {f"{text}{name}": value for text, value in found.items()}
    return expected


def by_scikit_learn(holders: Sequence[Holder], options: Options, results: dict[str, str]) -> None:
    rows = rows_of(holders, options)
    sign = 1 if options.direction == "higher" else -1
    scores = sign * rows["score"].to_numpy(float)
    labels, words = rows["label"].to_numpy(int), rows["beside"].to_numpy(int)
    weights = np.array(counts_of(rows, options), float)
    places = {"": np.ones(len(rows), bool)}
    places |= {name: words == place for place, name in enumerate(options.groups)}
    for text, value in results.items():
        metric, _, group = text.partition("@")
        if value.replace(".", "").isdigit() and metric in ("auroc", "average_precision"):
            own = places[group] & (weights > 0)
            other = {"auroc": roc_auc_score, "average_precision": average_precision_score}[metric]
            given = other(labels[own], scores[own], sample_weight=weights[own])
            assert abs(float(value) - given) < 0.6 / 10**options.decimals, (text, holders)
        if value.replace(".", "").isdigit() and metric == "brier":
            own = places[group] & (weights > 0)
            probabilities = scores if sign == 1 else 1 + scores
            given = brier_score_loss(labels[own], probabilities[own], sample_weight=weights[own])
            assert abs(float(value) - given) < 0.6 / 10**options.decimals, (text, holders)
        if metric == "f1:at=0.5" and options.least_cell == 1 and value[-1:].isdigit():
            own = places[group] & (weights > 0)
            called = scores >= sign * 0.5
            given = f1_score(labels[own], called[own], sample_weight=weights[own])
            assert abs(float(value.split(" ")[-1]) - given) < 0.6 / 10**options.decimals


def mean_losses(holders: Sequence[Holder], options: Options) -> dict[str, str]:
    """The means over folds of Brier scores, by fractions of the decimals as written."""
    rows = rows_of(holders, options)
    f = as_fractions([float(score) for score in rows["score"]], options)
    folds: list[Any] = []
    for place in range(options.folds):
        own = [
            (int(label) - one) ** 2
            for one, label, fold in zip(f, rows["label"], rows["beside"], strict=True)
            if fold == place
        ]
        folds.append(SimpleNamespace(sums={Sum.SQUARES: [sum(own)]}, n=len(own)) if own else None)
    expected = {}
    for one in options.statistics:
        if isinstance(one, MeanOverFolds) and one.of == "brier":
            words = one.plaintext_words(PooledFolds(tuple(folds)), options.decimals)
            expected[one.text] = str(one.decode(words, options.decimals))
    return expected


def gaps(holders: Sequence[Holder], options: Options) -> dict[str, str]:
    """The differences of observed less expected, by fractions of the decimals as written."""
    rows = rows_of(holders, options)
    found: list[tuple[Fraction, Fraction] | None] = []
    for place in range(len(options.groups)):
        own = rows[rows["beside"] == place]
        f = as_fractions([float(score) for score in own["score"]], options)
        n, positives = len(f), sum(int(label) for label in own["label"])
        spread = Fraction(positives * (n - positives), n**3) if n else Fraction(0)
        found.append(((positives - sum(f)) / n, spread) if n else None)
    expected = {}
    for one in options.statistics:
        if isinstance(one, BetweenGroups) and isinstance(one.of, CalibrationGroups):
            both = [found[options.groups.index(name)] for name in one.groups]
            if None not in both:
                (gap, variance), (other, more) = both  # type: ignore[misc]
                words = words_of(gap - other, variance + more, one.of.limits, options.decimals, 2)
                expected[one.text] = str(one.decode(words, options.decimals))
    return expected


KINDS = ("groups", "weights", "folds", "both")


def few_asked(kind: str, rng: random.Random) -> tuple[str, ...]:
    """A few of all statistics that such a join can be asked for."""
    asked = {"groups": EVERY_GROUP, "folds": EVERY_FOLD}.get(kind, EVERY_WEIGHT)
    return tuple(rng.sample(asked, 2))


def generated(seeds: Sequence[int], kind: str) -> list[tuple[list[Holder], Options]]:
    """Groups, folds or weights from either side, in every sort, direction and resolution."""
    found = []
    for seed in seeds:
        rng = random.Random(f"beside joined rows, {kind} {seed}")
        more: dict[str, object] = {"metrics": few_asked(kind, rng)}
        if kind in ("groups", "both"):
            groups = ("a", "b", "c", "d")[: rng.randint(2, 4)]
            more |= {"groups": groups, "groups_from": rng.choice(("scores", "labels"))}
        if kind in ("weights", "both"):
            more |= {
                "most_weight": rng.choice((1, 4, 1000)),
                "weights_from": rng.choice(("scores", "labels")),
            }
        if kind == "folds":
            more |= {"folds": rng.randint(2, 4), "folds_from": rng.choice(("scores", "labels"))}
        options = replace(
            {"groups": GROUPS, "weights": WEIGHTS, "folds": FOLDS, "both": BOTH_KINDS}[kind],
            **more,  # type: ignore[arg-type]
            merge=rng.choice(SORTS),
            resolution=("full", "float32", "decimals:2", "decimals:4")[seed % 4],
            direction=rng.choice(("higher", "lower")),
            least_join=rng.choice((1, 1, 2, 5)),
            least_cell=1 if kind == "both" else rng.choice((1, 1, 2)),
            decimals=rng.choice((2, 4)),
        )
        # larger worlds, in which groups are not empty more often than not
        people = rng.choice((0, 60, 60))
        found.append((beside(drawn(seed, people=people), options, seed), options))
    return found


@pytest.mark.parametrize(
    ("kind", "seed"),
    some_of(
        product(KINDS, (12, 13)),
        in_ci=[("groups", 12), ("weights", 13), ("folds", 13), ("both", 12)],
    ),
)
def test_generated_joins_have_the_numbers_of_the_rows_that_pandas_joins(
    kind: str, seed: int
) -> None:
    check_all(generated([seed], kind))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", range(5))
def test_six_hundred_generated_joins_have_the_numbers_of_the_rows_that_pandas_joins(
    part: int, kind: str
) -> None:
    first = 5000 + 30 * part
    for seed in range(first, first + 30, 5):
        check_all(generated(range(seed, seed + 5), kind))


def test_means_over_folds_of_joined_rows() -> None:
    """Brier scores of few decimals as well, and a fold that has no number."""
    options = replace(
        FOLDS,
        metrics=(
            *("mean_folds:of=brier", "mean_folds:empty=skip,of=ppv:at=0.95"),
            *("auroc_folds:level=0.9", "auroc_folds:empty=skip"),
        ),
        decimals=3,
        folds=2,
        folds_from="labels",
    )
    own = [
        holder(SCORES, range(30)),
        replace(holder(LABELS, range(4, 26)), beside=(0, 1, 1, 0) * 5 + (0, 1)),
        replace(holder(BOTH, range(3, 8)), beside=(1, 1, 0, 0, 1)),
    ]
    check(own, options)
    assert options.pipeline.columns == ("fold", "tag")


ODD = replace(holder(SCORES, range(20)), beside=tuple(place % 2 for place in range(20)))
REGISTRY = holder(LABELS, range(5, 25), truth=3)


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_every_statistic_of_groups_that_may_be_asked_for(merge: str) -> None:
    holders = [ODD, REGISTRY, replace(holder(BOTH, range(8)), beside=(0, 0, 1, 1) * 2)]
    metrics = (*EVERY_GROUP, "calibration:bins=4") if merge == "network" else FEW_OF_GROUPS
    check(holders, replace(GROUPS, metrics=metrics, decimals=3, merge=merge))


def test_every_statistic_of_weights_that_may_be_asked_for() -> None:
    holders = [
        replace(holder(LABELS, range(20)), beside=tuple(place % 5 for place in range(20))),
        holder(SCORES, range(3, 30)),
        replace(holder(BOTH, range(6)), beside=(0, 1, 2, 3, 4, 4)),
    ]
    check(holders, replace(WEIGHTS, metrics=EVERY_WEIGHT, weights_from="labels", decimals=3))


@pytest.mark.parametrize("options", FEW)
def test_lists_without_partners_and_rows_with_both_only(options: Options) -> None:
    own = beside([holder(SCORES, range(9)), holder(LABELS, range(20, 30))], options)
    assert all(alike(one, "undefined") for one in run(study(own, options)).results.values())
    check(beside([holder(BOTH, range(9)), holder(BOTH, range(9))], options, 3), options)
    one_side = beside([holder(SCORES, range(5))], options)
    assert all(alike(one, "undefined") for one in run(study(one_side, options)).results.values())


# -- too few joined rows ---------------------------------------------------------------------------


def grouped(words: Sequence[int]) -> list[Holder]:
    """Joined rows with these numbers of groups, both classes among them, and rows of one side."""
    n = len(words)
    own = replace(holder(SCORES, range(12)), beside=(*words, *[0] * (12 - n)))
    return [own, holder(LABELS, [*range(n), *range(20, 32 - n)])]


@pytest.mark.parametrize(
    ("metrics", "decimals"),
    [
        (("auroc", "auroc_groups", "f1:at=0.5"), 2),
        pytest.param(FEW_OF_GROUPS, 3, marks=pytest.mark.weekly),
    ],
)
def test_a_group_of_fewer_joined_rows_than_the_least_withholds_all_of_them(
    metrics: tuple[str, ...], decimals: int
) -> None:
    """Not a word of what is released, nor a byte or hop, tells how many or in which group."""
    options = replace(GROUPS, metrics=metrics, least_join=4, decimals=decimals)
    found = []
    for words in ([0] * 4 + [1] * 3, [0] * 9, []):
        outcome = run(study(grouped(words), options), keep_trace=True)
        texts = outcome.results.values()
        assert all("undefined" in text or "no sample" in text for text in texts)
        found.append((outcome.results, outcome.hops, outcome.bytes, outcome.traces))
    assert all(one == found[0] for one in found)
    enough = run(study(grouped([0] * 4 + [1] * 4), options)).results
    assert "undefined" not in enough["auroc"] + enough["auroc@a"] + enough["auroc@b"]


def test_rows_of_weight_none_are_joined_rows() -> None:
    """They change no number, but by themselves they are not enough."""
    options = replace(WEIGHTS, least_join=4, metrics=("auroc", "brier"))
    for weights, there in (
        ([1] * 4, True), ([0, 0, 1, 1, 1, 1], True), ([1] * 3, False), ([0, 0, 0, 1, 1, 1], False),
    ):  # fmt: skip
        n = len(weights)
        own = [replace(holder(SCORES, range(n)), beside=tuple(weights)), holder(LABELS, range(n))]
        results = run(study(own, options)).results
        assert ("undefined" not in results["auroc"]) == there
        check(own, options)


@pytest.mark.parametrize("weights", [(1, *[0] * 9), (4, *[1] * 9), (4, 0, 0, *[2] * 7)])
def test_an_owner_of_weights_that_lets_one_row_of_another_count_for_most(
    weights: tuple[int, ...],
) -> None:
    """With a least of 6 the label of one joined row would be the number; now there is none."""
    options = replace(WEIGHTS, least_join=6, metrics=("brier",))
    people = tuple(map(str, range(10)))
    own = Holder(SCORES, people, (0.9,) * 10, (), weights)
    by_label = [
        run(study([own, Holder(LABELS, people, (), (label, *[0, 1, 1] * 3))], options)).results
        for label in (0, 1)
    ]
    there = 6 * max(weights) <= sum(weights)
    assert ("undefined" not in by_label[0]["brier"]) == there
    assert (by_label[0] != by_label[1]) == there


@pytest.mark.parametrize(
    ("weights", "side"),
    [
        *(((1, *[0] * 9), "scores"), ((3, *[1] * 9), "labels")),
        *(((2, 0, *[2] * 8), "scores"), ((2, 0, *[2] * 8), "labels")),
    ],
)
def test_a_row_that_counts_for_most_of_one_group_withholds_all(
    weights: tuple[int, ...], side: str
) -> None:
    """With a least of 6 a group may be told if no row weighs more than a sixth of that group."""
    options = replace(
        BOTH_KINDS, metrics=("brier",), least_join=6, groups_from="scores", weights_from=side
    )
    people = tuple(map(str, range(20)))
    words = (1,) * 10 + weights
    scores = Holder(SCORES, people, (0.9,) * 20, (), (0,) * 10 + (1,) * 10)
    labels = Holder(LABELS, people, (), (0, 1) * 10)
    own = [replace(scores, weights=words), labels]
    if side == "labels":
        own = [scores, replace(labels, beside=(0,) * 20, weights=words)]
    released = run(study(own, options)).results
    there = 6 * max(weights) <= sum(weights)
    assert all(("undefined" not in text) == there for text in released.values())
    if there:
        assert released == wanted(own, options)


@pytest.mark.parametrize("known", [0, 4, 5, 8])
def test_an_owner_that_puts_a_target_into_a_group_of_people_that_it_knows(known: int) -> None:
    """The attack on membership by groups: below the least of its group no guess beats chance."""
    options = replace(GROUPS, metrics=("auroc",), least_join=6)
    registry = holder(LABELS, range(40))

    def released(target: int) -> dict[str, str]:
        people = [*range(10, 20), *range(known), target]
        own = replace(holder(SCORES, people), beside=(0,) * 10 + (1,) * (known + 1))
        return run(study([registry, own], options)).results

    there, not_there = released(39), released(99)
    assert (there == not_there) == (known + 1 < 6)
    assert ("undefined" in not_there["auroc"]) == (known < 6)


# -- the least cell --------------------------------------------------------------------------------


def test_a_threshold_with_too_few_beside_it_in_one_group_is_withheld_in_all() -> None:
    fine = [(0.1, 0)] * 3 + [(0.1, 1)] * 3 + [(0.9, 0)] * 3 + [(0.9, 1)] * 3
    options = replace(GROUPS, metrics=("accuracy:at=0.5",), least_cell=3, decimals=3)
    for rows, shown in ((fine, True), (fine[1:], False)):
        people = tuple(map(str, range(len(fine) + len(rows))))
        scores, labels = zip(*fine, *rows, strict=True)
        own = [
            Holder(SCORES, people, scores, (), (0,) * len(fine) + (1,) * len(rows)),
            Holder(LABELS, people, (), labels),
        ]
        for text in run(study(own, options)).results.values():
            assert ("withheld" in text) != shown


# -- what is checked -------------------------------------------------------------------------------


def refused(owner: Owner, options: Options, place: int, value: int) -> bool:
    """True if an upload with one other word is found to be unsound, beside one that is sound."""
    other = holder(LABELS, range(6)).owner
    words = upload_of(owner, options).copy()
    words[place] = np.uint64(value % (1 << 64))
    shares = [
        (own[0].words(), own[1].words()) for own in map(split, (upload_of(other, options), words))
    ]
    sizes = [*sizes_of([other], options), *options.pipeline.sizes(keys_of(owner, options))]
    at = run_local(lambda party, *lists: evaluate(party, options, lists, sizes=sizes), *shares)
    assert at[0].refused in ((), (1,))
    return at[0].refused == (1,)


@pytest.mark.parametrize("options", FEW)
@pytest.mark.parametrize(
    ("side", "place"),
    some_of(product((SCORES, BOTH), ("first", "last")), in_ci=[(SCORES, "last"), (BOTH, "first")]),
)
def test_a_group_that_the_study_has_not_and_a_weight_beyond_the_largest_are_refused(
    options: Options, side: Side, place: str
) -> None:
    options, n = replace(options, metrics=("brier",)), 4
    pipeline = options.pipeline
    assert isinstance(pipeline, Joined)
    assert pipeline.beside is not None
    top = pipeline.beside.words[0].top
    own = replace(holder(side, range(n)), beside=(0, 1, 1, 0)).owner
    for value, lie in ((top, False), (top + 1, True), (-1, True), (1 << 63, True)):
        assert refused(own, options, {"first": 2 * n, "last": 3 * n - 1}[place], value) == lie
    # a row of the other side has no such word, and what stands there is not read
    assert not refused(holder(LABELS, range(n)).owner, options, 2 * n, 1 << 40)


@pytest.mark.parametrize("options", FEW)
def test_what_stands_beside_the_rows_of_the_other_side_changes_nothing(options: Options) -> None:
    own = [replace(holder(SCORES, range(6)), beside=(0, 1, 0, 1, 0, 1)), holder(LABELS, range(6))]
    lied = replace(own[1], beside=(1,) * 6)
    assert upload_of(lied.owner, options).tolist() == upload_of(own[1].owner, options).tolist()
    words = upload_of(own[1].owner, options).copy()
    words[12:] = 1
    shares = [
        (one[0].words(), one[1].words())
        for one in map(split, (upload_of(own[0].owner, options), words))
    ]
    sizes = [6, 0, 0, 0, 6, 0]
    at = run_local(lambda party, *lists: evaluate(party, options, lists, sizes=sizes), *shares)
    for text, one in zip(options.texts, options.statistics, strict=True):
        opened = (at[0].results[text].words + at[1].results[text].words).tolist()
        assert str(one.decode(opened, 5)) == run(study(own, options)).results[text]


@pytest.mark.parametrize("options", [GROUPS, WEIGHTS, replace(GROUPS, resolution="full")])
def test_an_upload_does_not_tell_the_order_of_its_rows(options: Options) -> None:
    for side in Side:
        one, other = (
            upload_of(replace(holder(side, people), beside=words).owner, options).tolist()
            for people, words in (([1, 11, 3, 4], (0, 1, 1, 0)), ([4, 11, 1, 3], (0, 1, 0, 1)))
        )
        assert one == other


# -- what it costs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "resolution", "least_cell"),
    some_of(
        [
            *(("groups", "decimals:2", 2), ("groups", "full", 1), ("weights", "full", 2)),
            *(("folds", "decimals:2", 1), ("folds", "full", 2), ("both", "full", 1)),
            ("both", "decimals:2", 1),
        ],
        in_ci=[
            *(("groups", "decimals:2", 2), ("weights", "full", 2), ("folds", "full", 2)),
            ("both", "decimals:2", 1),
        ],
    ),
)
def test_the_predicted_cost_is_that_which_is_measured(
    kind: str, resolution: str, least_cell: int
) -> None:
    options = {"groups": GROUPS, "weights": WEIGHTS, "folds": FOLDS, "both": BOTH_KINDS}[kind]
    metrics = (*options.metrics, *(["log_loss"] if kind != "folds" else []))
    if kind == "groups":
        metrics = (*metrics, "calibration_groups", "rates_groups:at=0.5")
    options = replace(
        options, metrics=metrics, resolution=resolution, least_cell=least_cell, decimals=2
    )
    if options.groups:
        options = replace(options, groups=("a", "b", "c"))
    holders = [holder(SCORES, range(8)), holder(LABELS, range(4, 11)), holder(BOTH, range(6))]
    whole = study(beside(holders, options), options)
    estimates = phase_estimates(options, whole.sizes)
    assert all(one.exact for one in estimates)
    found = run(whole)
    assert found.hops == sum(one.spent.hops for one in estimates)
    assert found.payload == sum(one.spent.payload for one in estimates)


# -- what is told ----------------------------------------------------------------------------------


def test_nobody_learns_how_many_rows_are_in_a_group() -> None:
    told = ledger(replace(GROUPS, least_join=20), (500, 0, 0, 0, 400, 0))
    for learnt in (told.learns.P0, told.learns.P1, told.learns.helper):
        assert OF_SIDES in learnt
        assert OF_GROUPS not in learnt
        assert OF_FOLDS not in learnt
    assert told.public.options["groups_from"] == "scores"
    assert "in any group" in " ".join(told.warnings)


@pytest.mark.parametrize("options", [GROUPS, WEIGHTS])
def test_only_one_side_and_rows_with_both_have_the_column(options: Options) -> None:
    kind = options.pipeline.columns[0]
    assert options.pipeline.columns_of("scores") == options.pipeline.columns_of("both")
    assert options.pipeline.columns_of("labels") == ("tag",)
    other = replace(
        options,
        **{"groups_from" if options.groups else "weights_from": "labels"},  # type: ignore[arg-type]
    )
    assert other.pipeline.columns_of("labels") == (kind, "tag")
    assert other.pipeline.columns_of("scores") == ("tag",)


def test_the_words_of_a_study_without_groups_are_two_a_row() -> None:
    plain = replace(GROUPS, groups=(), metrics=("auroc",))
    assert Beside.of(plain) is None
    assert plain.pipeline.words(10) == 20
    assert GROUPS.pipeline.words(10) == 30
    assert WHOLE == ""
    assert TAG_BITS == 62


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"groups_from": "both"}, 'names "both"'),
        ({"most_weight": 4, "metrics": ("auroc_groups",)}, "takes every sample for one"),
        ({"most_weight": 4, "metrics": ("f1:at=0.5",)}, "are at thresholds"),
        ({"metrics": ("class_counts",)}, "asks for class_counts, which needs the score and the"),
        ({"metrics": ("samples_dp:epsilon=1",)}, "cannot be released by group"),
        ({"assurance": "covert"}, "is not made for lists that are joined"),
        ({"ties": "helper"}, "groups are small"),
        ({"groups": (), "metrics": ("auroc_ci",), "most_weight": 4}, "takes every sample for one"),
        ({"groups": (), "metrics": ("ppv:at=0.4",), "most_weight": 4}, "are at thresholds"),
        ({"groups": (), "metrics": ("ece:bins=4",), "most_weight": 4}, "are at thresholds"),
    ],
)
def test_what_is_not_known_to_hold_beside_joined_lists_is_refused_by_name(
    more: dict[str, object], said: str
) -> None:
    with pytest.raises(OptionRefused) as error:
        replace(GROUPS, **more)  # type: ignore[arg-type]
    assert said in str(error.value)
