"""Statistics of each group of the samples, beside those of all."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.groups import ByGroup
from ppaurora.protocols.pipelines.together import Together
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.release.values import WITHHELD
from tests.protocols.studies import Owner, Study, keys_of, run, sizes_of, upload_of

NOTHING = "no samples"
GROUPS = ("female", "male", "other")
MIXED = Options(
    metrics=("auroc_ci", "average_precision", "brier", "observed_expected", "calibration_slope"),
    groups=GROUPS,
    resolution="decimals:2",
    decimals=3,
)
SORTED = replace(MIXED, resolution="full", table="auto")
FEW = MIXED.metrics[:4]
"""All but the slope."""
NARROW = replace(MIXED, table="sorted")
"""Sorted in keys of 32 bits."""


def drawn(seed: int, groups: int = 3, owners: int = 3, most: int = 40) -> tuple[Owner, ...]:
    """Lists of some owners; a group may be empty at one of them, or at all."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(groups) * rng.choice([0.3, 3]))
    found = []
    for _ in range(owners):
        n = int(rng.integers(1, most))
        labels = (rng.random(n) < rng.choice([0.1, 0.4, 0.8])).astype(int)
        scores = np.clip(rng.beta(2 + labels, 3).round(2), 0.01, 0.99)
        parts = rng.choice(groups, n, p=chances)
        found.append(Owner(scores.tolist(), labels.tolist(), parts=parts.tolist()))
    return tuple(found)


def only(owners: tuple[Owner, ...], group: int) -> tuple[Owner, ...]:
    """The owners' rows of one group, in lists of their own."""
    found = []
    for one in owners:
        rows = [row for row, part in enumerate(one.parts or ()) if part == group]
        times = None if one.times is None else [one.times[row] for row in rows]
        columns = ([column[row] for row in rows] for column in (one.scores, one.labels))
        found.append(Owner(*columns, times=times))
    return tuple(one for one in found if len(one.scores))


def plainly(options: Options, owners: tuple[Owner, ...]) -> dict[str, str]:
    """The values in the clear of a study without groups."""
    options = replace(options, groups=())
    if not owners:
        return dict.fromkeys(options.texts, NOTHING)
    pipeline = options.pipeline
    uploads = [upload_of(one, options) for one in owners]
    data = pipeline.plaintext(uploads, sizes_of(owners, options))
    return {
        text: str(
            one.decode(
                one.plaintext_words(own, options.decimals),
                options.decimals,
            )
        )
        for text, one, own in zip(
            options.texts, options.statistics, data_of_plaintext(options, data), strict=True
        )
    }


def check(options: Options, owners: tuple[Owner, ...]) -> int:
    """Hold every released number against a study of the group's rows alone; return how many."""
    found = run(Study(owners, options, options.direction))
    assert not found.refused
    wanted = plainly(options, owners)
    for group, name in enumerate(options.groups):
        own = only(owners, group)
        for text, value in plainly(options, own).items():
            wanted[f"{text}@{name}"] = value
    assert list(found.results) == list(options.texts)
    for text, value in found.results.items():
        if wanted[text] == NOTHING:
            assert value == "undefined: there are no samples", text
        else:
            assert value == wanted[text], text
    return len(wanted)


@pytest.mark.parametrize(
    ("options", "seed"),
    [
        *((replace(MIXED, metrics=FEW), 0), (replace(SORTED, metrics=FEW), 1)),
        (replace(NARROW, metrics=MIXED.metrics[:3]), 2),
        pytest.param(replace(MIXED, metrics=MIXED.metrics[4:]), 0, marks=pytest.mark.weekly),
        pytest.param(MIXED, 0, marks=pytest.mark.weekly),
        pytest.param(SORTED, 1, marks=pytest.mark.weekly),
        pytest.param(NARROW, 2, marks=pytest.mark.weekly),
    ],
    ids=[
        *("counted", "sorted", "narrow", "a counted slope"),
        *("counted with a slope", "sorted with a slope", "narrow with a slope"),
    ],
)
def test_every_group_has_the_numbers_of_a_study_of_its_rows_alone(
    options: Options, seed: int
) -> None:
    """A slope takes more than all else. The family's own tests in CI have slopes of groups."""
    assert check(options, drawn(seed)) == 4 * len(options.metrics)


def test_lists_and_sums_of_groups_are_parts_of_one_upload() -> None:
    assert isinstance(SORTED.pipeline, Together)
    assert isinstance(replace(SORTED, metrics=("auroc",)).pipeline, ByGroup)
    assert SORTED.pipeline.columns == ("group",)
    owners = drawn(3)
    upload = upload_of(owners[0], SORTED)
    assert len(upload) == SORTED.pipeline.words(len(owners[0].scores))


@pytest.mark.parametrize(
    "options",
    [
        *(replace(MIXED, metrics=FEW), replace(SORTED, metrics=FEW, merge="network")),
        pytest.param(MIXED, marks=pytest.mark.weekly),
        pytest.param(replace(SORTED, merge="network"), marks=pytest.mark.weekly),
    ],
    ids=["counted", "sorted", "counted with a slope", "sorted with a slope"],
)
def test_the_cost_is_the_predicted_one(options: Options) -> None:
    owners = drawn(5, most=60)
    measured = run(Study(owners, options))
    predicted = phase_estimates(options, sizes_of(owners, options))
    assert [one.phase for one in predicted] == [phase.name for phase in measured.phases[0]]
    assert sum(one.spent.hops for one in predicted) == measured.hops
    assert sum(one.spent.payload for one in predicted) == measured.payload


def test_groups_take_few_hops_more_than_one_study() -> None:
    owners = drawn(6, most=60)
    of_all = replace(SORTED, groups=(), merge="network")
    alone = sum(one.spent.hops for one in phase_estimates(of_all, sizes_of(owners, of_all)))
    grouped = replace(SORTED, merge="network")
    beside = sum(one.spent.hops for one in phase_estimates(grouped, sizes_of(owners, grouped)))
    # the network of all samples has more steps, as it merges three lists of each owner
    assert alone <= beside < 1.2 * alone


def test_a_cut_kept_back_in_a_group_is_kept_back_everywhere() -> None:
    cut = Options(metrics=("confusion:at=0.2/0.4/0.6/0.8",), groups=("a", "b"), decimals=3)
    seen = 0
    for seed in range(12):
        owners = drawn(seed, groups=2, owners=3, most=250)
        found = run(Study(owners, cut)).results
        hidden = [value.count(WITHHELD) for value in found.values() if "no samples" not in value]
        assert len(set(hidden)) == 1, found
        alone = [run(Study(only(owners, group), replace(cut, groups=()))) for group in (0, 1)]
        of_one = [one.results["confusion:at=0.2/0.4/0.6/0.8"].count(WITHHELD) for one in alone]
        assert hidden[0] >= max(of_one)
        seen += hidden[0] > 0 and min(of_one) == 0
    assert seen


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        (("a",), "2 to 20"),
        (("a", "A "), "different words"),
        (("a", "b@c"), "different words"),
        (("a", "x" * 41), "different words"),
        (("a", "a\u00adb"), "different words"),
    ],
)
def test_groups_that_cannot_be_told_apart_are_refused(groups: tuple[str, ...], says: str) -> None:
    with pytest.raises(OptionRefused, match=says):
        Options(groups=groups)


def test_a_helper_that_counts_ties_is_refused_beside_groups() -> None:
    with pytest.raises(OptionRefused, match="tells of every group by itself"):
        Options(groups=("a", "b"), ties="helper")


def test_noise_folds_and_sites_are_refused_beside_groups() -> None:
    for changes in (
        {"metrics": ("auroc_dp:epsilon=1,least_class=20",)},
        {"metrics": ("auroc_folds",), "folds": 2},
        {"metrics": ("auroc", "auroc_within")},
    ):
        with pytest.raises(OptionRefused, match="cannot be released by group"):
            Options(groups=("a", "b"), **changes)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_numbers_of_each_group_alone(part: int) -> None:
    dice = random.Random(part)
    checked = 0
    for seed in range(100 * part, 100 * part + 100):
        groups = dice.randrange(2, 6)
        options = replace(
            dice.choice([MIXED, SORTED]),
            groups=tuple("abcdef"[:groups]),
            metrics=tuple(dice.sample(MIXED.metrics, dice.randrange(1, 4))),
            direction=dice.choice(["higher", "lower"]),
        )
        if options.pipeline.sorts:
            options = replace(options, merge=dice.choice(["auto", "network"]))
        checked += check(options, drawn(1000 + seed, groups, dice.randrange(1, 6)))
    print(f"part {part}: {checked} numbers")


def test_rows_left_out_are_of_the_whole_and_of_no_group() -> None:
    options = replace(MIXED, metrics=("brier", "left_out"))
    assert options.texts == ("brier", *(f"brier@{group}" for group in GROUPS), "left_out")
    pipeline = options.pipeline
    [keys] = [keys_of(owner, options) for owner in drawn(1, owners=1)]
    upload = pipeline.repeatable(keys, bytes(16), 7)
    sizes = pipeline.sizes(keys)
    [told] = [one for one in options.statistics if one.name == "left_out"]
    data = pipeline.part(told.pipeline, pipeline.plaintext([upload], sizes), told.group)
    assert told.plaintext_words(data, 3) == [7]
