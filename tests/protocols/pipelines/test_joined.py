"""Joined lists: every number is that of the rows that have both, joined by plain dicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, pairwise, product

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from ppaurora.mpc.local import run_local
from ppaurora.mpc.words import Words
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.tags import LARGEST_TAG, Side
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.joined import OF_SIDES, Joined
from ppaurora.protocols.statistics.registry import statistics
from ppaurora.protocols.statistics.statistic import JOINABLE
from tests.further import some_of
from tests.protocols import pooled
from tests.protocols.joins import Holder, drawn, joined
from tests.protocols.studies import Owner, Study, keys_of, run, run_all, sizes_of, upload_of

ALL = (
    *("auroc", "average_precision", "auroc_ci", "auroc_ci:method=delong,level=0.9", "auroc_se"),
    *("auroc_above:than=0.6", "pauc:max_fpr=0.4", "tpauc:min_tpr=0.3,max_fpr=0.6", "rocglm"),
)
FEW = ("auroc", "average_precision", "auroc_ci")
NARROW = Options(metrics=FEW, least_join=1, resolution="decimals:2", decimals=5, merge="network")


def holder(side: Side, people: Sequence[object], truth: int = 2) -> Holder:
    """An owner of these people, whose labels and scores follow from their names."""
    names = tuple(map(str, people))
    return Holder(
        side,
        names,
        tuple((7 * int(one) % 10) / 10 for one in names),
        tuple(int(int(one) % truth == 0) for one in names),
    )


def study(holders: Sequence[Holder], options: Options) -> Study:
    return Study(tuple(one.owner for one in holders), options, options.direction)


def wanted(holders: Sequence[Holder], options: Options) -> dict[str, str]:
    """The values of one sorted list, in the clear, of the rows joined by dicts."""
    scores, labels = joined(holders, options.least_join)
    plain = replace(options, least_join=0, table="auto", merge="auto")
    pipeline, owner = plain.pipeline, Owner(scores, labels)
    data = pipeline.plaintext([upload_of(owner, plain)], sizes_of([owner], plain))
    return {
        text: str(
            one.decode(
                one.plaintext_words(pipeline.part(one.pipeline, data), options.decimals),
                options.decimals,
            )
        )
        for text, one in zip(plain.texts, plain.statistics, strict=True)
    }


def check(holders: Sequence[Holder], options: Options) -> None:
    found = run(study(holders, options))
    assert not found.refused
    assert found.results == wanted(holders, options)


def check_all(studies: Sequence[tuple[Sequence[Holder], Options]]) -> None:
    """Many in one session, each against the sorted list, the definition and scikit-learn."""
    filled = [one for one in studies if any(holder.people for holder in one[0])]
    outcomes = run_all([study(holders, options) for holders, options in filled])
    for (holders, options), found in zip(filled, outcomes, strict=True):
        assert not found.refused
        assert found.results == wanted(holders, options), holders
        scores, labels = joined(holders, options.least_join)
        if not len(scores):
            assert found.results["auroc"] == "undefined: a class is missing"
            continue
        for metric in ("auroc", "average_precision"):
            sign = 1 if options.direction == "higher" else -1
            turned = [sign * score for score in scores]
            assert found.results[metric] == pooled.released(
                metric, turned, labels, options.decimals
            )
            if 0 < sum(labels) < len(labels):
                other = {"auroc": roc_auc_score, "average_precision": average_precision_score}
                given = float(found.results[metric])
                assert abs(given - other[metric](labels, turned)) < 0.6 / 10**options.decimals


SORTS = ("network", "shuffled", "auto")
RESOLUTIONS = ("full", "float32", "decimals:2", "decimals:6")


def generated(seeds: Sequence[int]) -> list[tuple[list[Holder], Options]]:
    return [
        (
            drawn(seed),
            replace(
                NARROW,
                merge=SORTS[seed % 3],
                resolution=RESOLUTIONS[seed // 3 % 4],
                least_join=(1, 1, 2, 5)[seed // 12 % 4],
                direction=("higher", "lower")[seed // 5 % 2],
            ),
        )
        for seed in seeds
    ]


@pytest.mark.parametrize("seeds", some_of([range(6), range(6, 12)], in_ci=[range(6)]))
def test_generated_joins_have_the_numbers_of_the_rows_that_dicts_join(seeds: range) -> None:
    check_all(generated(seeds))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_two_thousand_generated_joins_have_the_numbers_of_the_rows_that_dicts_join(
    part: int,
) -> None:
    for start in range(1000 + 250 * part, 1250 + 250 * part, 50):
        check_all(generated(range(start, start + 50)))


SCORES, LABELS, BOTH = Side
SHAPES = {
    "all in common": [holder(SCORES, range(12)), holder(LABELS, range(11, -1, -1))],
    "nobody in common": [holder(SCORES, range(9)), holder(LABELS, range(20, 30))],
    "one row each": [holder(SCORES, [3]), holder(LABELS, [3])],
    "no labels at all": [holder(SCORES, range(5)), holder(LABELS, [])],
    "scores only": [holder(SCORES, range(5)), holder(SCORES, range(5))],
    "rows with both only": [holder(BOTH, range(7)), holder(BOTH, range(7))],
    "a third row of a tag": [
        *(holder(SCORES, range(8)), holder(LABELS, range(8)), holder(LABELS, [1, 2])),
        holder(SCORES, [5]),
    ],
    "rows with both are nobody's partners": [
        *(holder(SCORES, range(8)), holder(LABELS, range(4, 12)), holder(BOTH, range(6))),
    ],
    "an odd number of rows": [holder(SCORES, range(4)), holder(LABELS, range(5))],
}


@pytest.mark.parametrize(
    ("shape", "merge"),
    some_of(
        product(SHAPES, ["network", "shuffled"]),
        # every second shape by the network, the others shuffled
        in_ci=list(zip(SHAPES, cycle(["network", "shuffled"]))),
    ),
)
def test_lists_of_every_shape(shape: str, merge: str) -> None:
    check(SHAPES[shape], replace(NARROW, merge=merge))


def test_every_statistic_that_may_be_asked_for() -> None:
    holders = drawn(23, owners=4, people=60)
    assert len(joined(holders)[0]) > 10
    check(holders, replace(NARROW, metrics=ALL, decimals=3))


def test_keys_of_64_bits_and_an_owner_with_lower_scores_that_speak_for_the_class() -> None:
    holders = drawn(11, owners=5, people=40)
    check(holders, replace(NARROW, resolution="full", direction="lower"))


def test_the_statistics_that_are_named_are_those_that_have_a_program_for_cells() -> None:
    assert set(JOINABLE) == {
        name
        for name, one in statistics().items()
        if one.joins or (one.pipeline.sorts and one.cells)
    }


# -- too few joined rows ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metrics", "decimals"), [(FEW, 2), pytest.param(ALL, 3, marks=pytest.mark.weekly)]
)
def test_fewer_joined_rows_than_the_least_look_like_none_to_everybody(
    metrics: tuple[str, ...], decimals: int
) -> None:
    """Not a word of what is released, nor a byte or hop, tells two of them apart."""
    options = replace(NARROW, metrics=metrics, decimals=decimals, least_join=6)
    found = []
    for common in (0, 1, 5):
        holders = [
            holder(SCORES, range(10)),
            holder(LABELS, range(10 - common, 20 - common)),
        ]
        assert len(joined(holders)[0]) == common
        outcome = run(study(holders, options), keep_trace=True)
        assert all("undefined" in text for text in outcome.results.values())
        assert outcome.results == wanted(holders, options)
        found.append((outcome.results, outcome.hops, outcome.bytes, outcome.traces))
    assert found[0] == found[1] == found[2]
    enough = [holder(SCORES, range(10)), holder(LABELS, range(4, 14))]
    assert "undefined" not in run(study(enough, options)).results["auroc"]


@pytest.mark.parametrize("known", [0, 2, 4, 5, 8])
def test_an_owner_that_adds_one_target_to_people_that_it_knows_to_be_there(known: int) -> None:
    """The attack on membership: with a target that is there, and with one that is not.

    Below the least both are withheld alike, so that no guess is better than chance. With exactly
    one person fewer than the least, the number itself is the answer; with more of them it is
    released either way, and tells what one row more of known score changes.
    """
    options = replace(NARROW, metrics=("auroc",), least_join=6, decimals=5)
    registry = holder(LABELS, range(20))

    def released(target: int) -> str:
        own = holder(SCORES, [*range(known), target])
        return run(study([registry, own], options)).results["auroc"]

    there, not_there = released(19), released(99)
    if known + 1 < 6:
        assert there == not_there == "undefined: a class is missing"
    elif known == 5:
        assert there != "undefined: a class is missing" == not_there
    else:
        assert there != not_there
        assert "undefined" not in there + not_there


# -- what is checked -------------------------------------------------------------------------------


def refused(words: Words, sizes: Sequence[int], options: Options) -> bool:
    """True if an upload of these words is found to be unsound, beside one that is sound."""
    other = holder(LABELS, range(6)).owner
    fine = upload_of(other, options)
    shares = [(own[0].words(), own[1].words()) for own in map(split, (fine, words))]
    all_sizes = [*sizes_of([other], options), *sizes]

    at = run_local(lambda party, *lists: evaluate(party, options, lists, sizes=all_sizes), *shares)
    assert at[0].refused in ((), (1,))
    return at[0].refused == (1,)


def of(options: Options, side: Side, people: Sequence[int]) -> tuple[Words, tuple[int, ...]]:
    owner = holder(side, people).owner
    return upload_of(owner, options), options.pipeline.sizes(keys_of(owner, options))


def test_uploads_that_no_list_makes_are_refused() -> None:
    options = replace(NARROW, metrics=("auroc",))
    pipeline = options.pipeline
    assert isinstance(pipeline, Joined)
    n, top = 4, pipeline.top
    for side in Side:
        words, sizes = of(options, side, range(n))
        assert not refused(words, sizes, options)

        def changed(place: int, value: int, words: Words = words) -> Words:
            found = words.copy()
            found[place] = np.uint64(value % (1 << 64))
            return found

        values = {Side.SCORES: top + 1, Side.LABELS: 2, Side.BOTH: 2 * top + 2}[side]
        assert refused(changed(n, values), sizes, options)
        assert refused(changed(2 * n - 1, values), sizes, options)
        assert refused(changed(n + 1, -1), sizes, options)
        assert refused(changed(n + 1, 1 << 63), sizes, options)
        assert not refused(changed(n + 1, values - 1), sizes, options)
        if side is not Side.BOTH:
            # twice, in another order, and beyond 62 bits
            assert refused(changed(1, int(words[0])), sizes, options)
            assert refused(changed(2, int(words[0]) + 1), sizes, options)
            assert refused(changed(0, LARGEST_TAG + 1), sizes, options)
            assert refused(changed(3, -1), sizes, options)
            assert not refused(changed(0, LARGEST_TAG), sizes, options)


def test_an_upload_does_not_tell_the_order_of_its_rows() -> None:
    for side in Side:
        one, other = (
            upload_of(holder(side, people).owner, NARROW) for people in ([1, 2, 3, 4], [4, 2, 1, 3])
        )
        assert one.tolist() == other.tolist()


def test_a_list_without_partners_is_left_out_of_the_merge_but_not_of_the_check() -> None:
    words, sizes = of(NARROW, Side.LABELS, range(4))
    words = words.copy()
    words[1] = words[0]
    assert refused(words, sizes, NARROW)


# -- what it costs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["all in common", "rows with both are nobody's partners"])
@pytest.mark.parametrize("resolution", ["full", "decimals:2"])
def test_the_predicted_cost_is_that_which_is_measured(shape: str, resolution: str) -> None:
    options = replace(NARROW, resolution=resolution)
    whole = study(SHAPES[shape], options)
    estimates = phase_estimates(options, whole.sizes)
    assert all(one.exact for one in estimates)
    found = run(whole)
    assert found.hops == sum(one.spent.hops for one in estimates)
    assert found.payload == sum(one.spent.payload for one in estimates)


def test_the_pairs_are_half_of_the_rows_with_one_of_both_and_all_with_both() -> None:
    pipeline = NARROW.pipeline
    assert isinstance(pipeline, Joined)
    sizes = (5, 0, 0, 0, 4, 0, 0, 0, 3)
    assert (pipeline.pairs(sizes), pipeline.most_pairs(sizes)) == (4 + 3, 4 + 3)
    assert pipeline.pairs((9, 0, 0)) == pipeline.most_pairs((9, 0, 0)) == 1
    assert pipeline.pairs((8, 0, 0, 0, 2, 0)) == 5
    assert pipeline.most_pairs((8, 0, 0, 0, 2, 0)) == 2


# -- what is told ----------------------------------------------------------------------------------


def test_the_ledger_says_who_learns_how_many_rows_hold_what_and_what_a_number_tells() -> None:
    sizes = (500, 0, 0, 0, 400, 0, 0, 0, 300)
    options = replace(NARROW, metrics=("auroc",), least_join=20)
    told = ledger(options, sizes)
    assert OF_SIDES in told.learns.P0
    assert OF_SIDES in told.learns.helper
    assert not told.learns.onlookers
    assert told.public.fold_sizes == ((500, 0, 0), (0, 400, 0), (0, 0, 300))
    text = " ".join(told.warnings)
    assert "nobody learns which rows are joined or how many" in text
    assert "fewer than 20 joined rows look like none" in text
    assert "if they are 19, it learns it from whether there is a number at all" in text
    assert "at most 900²/2^63" in text
    assert "learns nothing of the other lists before" in told.deviation
    assert "nothing is claimed" in ledger(replace(options, merge="shuffled"), sizes).deviation


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metrics": ("class_counts",)}, "asks for class_counts, which needs the score and the"),
        ({"metrics": ("confusion:at=0.5",)}, "asks for confusion"),
        ({"metrics": ("aupr",)}, "ask for one of auroc, auroc_ci"),
        ({"metrics": ("auroc_dp:epsilon=1",)}, "asks for auroc_dp"),
        ({"metrics": ("average_precision_folds",), "folds": 3}, "asks for average_precision_folds"),
        ({"metrics": ("auroc_folds", "auroc"), "folds": 3}, "are means over folds and numbers"),
        ({"metrics": ("auroc_folds",)}, "a metric is the mean over folds"),
        ({"folds": 3}, "no metric is the mean over them"),
        ({"metrics": ("auroc_within",)}, "asks for auroc_within"),
        ({"assurance": "covert"}, "is not made for lists that are joined"),
        ({"metrics": ("auroc_groups",)}, "the study has no groups"),
        ({"ties": "helper"}, "how many rows have no partner"),
        ({"merge": "delta"}, "sorts sorted lists only"),
        ({"resolution": "bins:64"}, "counts scores in cells"),
        ({"table": "counted"}, "counts scores in cells"),
        ({"least_join": -1}, "0 or more"),
    ],
)
def test_what_is_not_known_to_hold_for_joined_lists_is_refused_by_name(
    more: dict[str, object], said: str
) -> None:
    with pytest.raises(OptionRefused) as error:
        replace(replace(NARROW, metrics=("auroc",)), **more)  # type: ignore[arg-type]
    assert said in str(error.value)


def test_there_are_no_two_rows_of_a_cell() -> None:
    """Places of one list stand in order: the upload's tags descend strictly."""
    words, sizes = of(NARROW, Side.SCORES, range(6))
    assert all(a > b for a, b in pairwise(words[: sizes[0]].tolist()))
