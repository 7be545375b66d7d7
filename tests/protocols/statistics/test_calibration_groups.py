"""The difference of observed less expected positives of two groups: against fractions of rows."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options
from tests.protocols.joins import Holder
from tests.protocols.pipelines.test_groups import drawn, only
from tests.protocols.statistics.test_auroc_groups import root, said, z_of
from tests.protocols.studies import Owner, Study, checked, run, sizes_of

TEXT = "calibration_groups"
EMPTY = "undefined: one of the groups has no samples"
ASKED = tuple(TEXT + more for more in ("", ":pairs=all", ":level=0.5", ":pairs=all,level=0.99"))
SAMPLE, ALL = 5, 500
MOST_DECIMALS = 6


def gap_and_variance(
    owners: tuple[Owner, ...], higher: bool, single: bool
) -> tuple[Fraction, Fraction] | None:
    """The gap of these rows, of which `single` scores stand for the nearest float32."""
    rows = [
        (Fraction(float(np.float32(score)) if single else float(score)), label)
        for one in owners
        for score, label in zip(one.scores, one.labels, strict=True)
    ]
    rows = rows if higher else [(1 - f, label) for f, label in rows]
    if not rows:
        return None
    n, observed = len(rows), sum(label for _, label in rows)
    expected = sum((f for f, _ in rows), Fraction(0))
    return (observed - expected) / n, Fraction(observed * (n - observed), n**3)


def by_definition(study: Study, text: str) -> dict[str, str]:
    """The value of each pair of groups, without p."""
    groups, decimals = study.options.groups, study.options.decimals
    found = [
        gap_and_variance(
            only(study.owners, place),
            study.direction == "higher",
            study.options.resolution == "float32",
        )
        for place in range(len(groups))
    ]
    places = range(len(groups))
    pairs = [*combinations(places, 2)] if "all" in text else [(0, other) for other in places[1:]]
    wanted = {}
    for one, other in pairs:
        first, second = found[other], found[one]
        name = f"{text}@{groups[other]}@{groups[one]}"
        if first is None or second is None:
            wanted[name] = EMPTY
        else:
            error = root(first[1] + second[1])
            wanted[name] = said(first[0] - second[0], error, z_of(text), decimals, most=2)
    return wanted


def studies(count: int, seed: int) -> list[Study]:
    dice, found = random.Random(seed), []
    for place in range(count):
        groups = dice.randrange(2, 5)
        options = Options(
            metrics=(ASKED[place % len(ASKED)],),
            groups=tuple("abcd"[:groups]),
            decimals=dice.randrange(1, MOST_DECIMALS + 1),
            resolution=dice.choice(["full", "decimals:2", "float32"]),
        )
        owners = drawn(seed * 1000 + place, groups, dice.randrange(1, 6), 60)
        found.append(Study(owners, options, ("higher", "lower")[place % 2]))
    return found


def check(study: Study, results: dict[str, str]) -> int:
    """Compare the values with the definition; the number of those that there are."""
    [text] = study.options.metrics
    found = {name: one.partition(", p ")[0] for name, one in results.items()}
    assert found == by_definition(study, text), study
    return sum(one != EMPTY for one in found.values())


def agree(count: int, seed: int) -> int:
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_differences_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_differences_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 2 + part) > ALL // 5


def test_groups_of_one_class_have_no_width_and_the_z_of_their_scores() -> None:
    """Sums that differ behind 2^-26 at single owners, and not together, are equal."""
    one = Owner([1 / 3, 2 / 3], [0, 0], parts=[0, 1])
    turned = Owner([2 / 3, 1 / 3], [0, 0], parts=[0, 1])
    options = Options(metrics=(TEXT,), groups=("a", "b"), decimals=3)
    same = run(Study((one, turned), options)).results
    assert same == {f"{TEXT}@b@a": "0.000 (0.000 to 0.000, no width), z 0.000, p 1.000"}
    other = Owner([0.2, 0.7], [0, 0], parts=[0, 1])
    [apart] = run(Study((one, other), options)).results.values()
    assert apart.endswith("no width), z at most -100, p less than 0.0001")
    certain = Owner([0.0, 1.0], [1, 0], parts=[0, 1])
    [apart] = run(Study((certain,), options)).results.values()
    assert apart.startswith("-2.000 (-2.000 to -2.000")


@pytest.mark.parametrize("joined", [False, True])
def test_a_difference_below_the_first_words_has_a_z_without_bound_where_there_is_no_width(
    joined: bool,
) -> None:
    tiny, labels, parts = 2.0**-40, (0, 0, 0, 0), (0, 0, 1, 1)
    options = Options(
        metrics=("calibration_groups",), groups=("a", "b"), resolution="full", decimals=4
    )
    if joined:
        options = replace(options, least_join=1, groups_from="scores", merge="network")
    found = []
    for scores in ((tiny, tiny, 0.0, 0.0), (0.0, 0.0, tiny, tiny), (0.0,) * 4):
        owners = (Owner(scores, labels, parts=parts),)
        if joined:
            names = tuple("abcd")
            owners = (
                Holder(Side.SCORES, names, scores, (), parts).owner,
                Holder(Side.LABELS, names, (), labels).owner,
            )
        [value] = run(Study(owners, options)).results.values()
        found.append(value.partition("z ")[2])
    assert found == [
        "at least 100, p less than 0.0001",
        "at most -100, p less than 0.0001",
        "0.000, p 1.000",
    ]


def test_the_cost_is_the_predicted_one_at_any_size() -> None:
    options = Options(metrics=(TEXT, "brier"), groups=("a", "b", "c"))
    owners = drawn(5, most=60)
    outcome = run(Study(owners, options))
    predicted = phase_estimates(options, sizes_of(owners, options))
    assert outcome.hops == sum(one.spent.hops for one in predicted)
    assert outcome.payload == sum(one.spent.payload for one in predicted)
    few, many = (total_cost(options, [size] * 24) for size in (300, 40_000))
    assert few == many


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionRefused, match="takes scores as probabilities"):
        Options(metrics=(TEXT,), groups=("a", "b"), range=(0, 20))
