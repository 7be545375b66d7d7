"""The difference between two groups' AUROCs: against its definition, row by row, in fractions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import isqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.pipelines.test_groups import drawn, only
from tests.protocols.studies import Owner, Study, checked, run, sizes_of

TEXT = "auroc_groups"
TOO_FEW = "undefined: a class has fewer than two samples in one of the groups"
LEVELS = ("0.95", "0.5", "0.99")
ASKED = tuple(
    TEXT + (":" * bool(more)) + more
    for more in ("", "pairs=all", "level=0.5", "pairs=all,level=0.99")
)
SAMPLE, ALL = 5, 500
DIGITS = 30
MOST_DECIMALS = 6
"""The quantile of the standard library is a double."""


def area_and_variance(rows: Sequence[tuple[float, int]]) -> tuple[Fraction, Fraction] | None:
    """AUROC and DeLong's variance from the placement of each row among the other class."""
    positives = [score for score, label in rows if label]
    negatives = [score for score, label in rows if not label]
    if len(positives) < 2 or len(negatives) < 2:
        return None

    def ψ(x: float, y: float) -> Fraction:
        return Fraction((y < x) + (y <= x), 2)

    V10 = [sum((ψ(x, y) for y in negatives), Fraction(0)) / len(negatives) for x in positives]
    V01 = [sum((ψ(x, y) for x in positives), Fraction(0)) / len(positives) for y in negatives]
    area = sum(V10, Fraction(0)) / len(V10)
    variance = sum(
        (
            sum(((one - area) ** 2 for one in V), Fraction(0)) / (len(V) - 1) / len(V)
            for V in (V10, V01)
        ),
        Fraction(0),
    )
    return area, variance


def root(x: Fraction) -> Fraction:
    return Fraction(isqrt(int(x * 100**DIGITS)), 10**DIGITS)


def signed(x: Fraction, decimals: int) -> str:
    """Rounded half up."""
    whole = int((x + 2) * 10**decimals + Fraction(1, 2)) - 2 * 10**decimals
    return (
        f"{'-' * (whole < 0)}{abs(whole) // 10**decimals}.{abs(whole) % 10**decimals:0{decimals}d}"
    )


def z_of(text: str) -> Fraction:
    """The z of the level that a text asks for."""
    level = Fraction(text.partition("level=")[2] or "0.95")
    return Fraction(NormalDist().inv_cdf(float(1 - (1 - level) / 2)))


def said(gap: Fraction, error: Fraction, z: Fraction, decimals: int, most: int = 1) -> str:
    """A difference with its limits and z, without p."""
    low, high = max(gap - z * error, Fraction(-most)), min(gap + z * error, Fraction(most))
    value, lower, upper = (signed(x, decimals) for x in (gap, low, high))
    note = ", no width" if lower == upper else ""
    size = abs(gap) / error if error else Fraction(0 if not gap else 100)
    # halves away from 0
    thousandths = int(size * 1000 + Fraction(1, 2))
    told = f"{'-' * (gap < 0 and thousandths > 0)}{thousandths // 1000}.{thousandths % 1000:03}"
    if thousandths >= 100_000:
        told = "at least 100" if gap > 0 else "at most -100"
    return f"{value} ({lower} to {upper}{note}), z {told}"


def by_definition(study: Study, text: str) -> dict[str, str]:
    """The beginning of the value of each pair of groups: without p."""
    groups, options = study.options.groups, study.options
    sign = 1 if study.direction == "higher" else -1
    found = []
    for place in range(len(groups)):
        rows = [
            (sign * score, label)
            for one in only(study.owners, place)
            for score, label in zip(one.scores, one.labels, strict=True)
        ]
        found.append(area_and_variance(rows))
    z = z_of(text)
    places = range(len(groups))
    pairs = [*combinations(places, 2)] if "all" in text else [(0, other) for other in places[1:]]
    wanted = {}
    for one, other in pairs:
        name, first, second = f"{text}@{groups[other]}@{groups[one]}", found[other], found[one]
        if first is None or second is None:
            wanted[name] = TOO_FEW
            continue
        wanted[name] = said(first[0] - second[0], root(first[1] + second[1]), z, options.decimals)
    return wanted


def studies(count: int, seed: int) -> list[Study]:
    """Two to four groups at one to five owners, from sorted scores of 64 or 32 bits or cells."""
    dice, found = random.Random(seed), []
    for place in range(count):
        groups = dice.randrange(2, 5)
        more: dict[str, str] = dice.choice(
            [
                {"merge": "network"},
                {"merge": "shuffled"},
                {"resolution": "float32"},
                {"resolution": "decimals:2", "table": "counted"},
                {"resolution": "decimals:2", "table": "sorted"},
            ]
        )
        options = Options(
            metrics=(ASKED[place % len(ASKED)],),
            groups=tuple("abcd"[:groups]),
            decimals=dice.randrange(1, MOST_DECIMALS + 1),
            least_cell=1,
            **more,  # type: ignore[arg-type]
        )
        owners = drawn(seed * 1000 + place, groups, dice.randrange(1, 6), 60)
        found.append(Study(owners, options, ("higher", "lower")[place % 2]))
    return found


def check(study: Study, results: dict[str, str]) -> int:
    """Compare the values with the definition; the number of those that there are."""
    [text] = study.options.metrics
    assert {name: one.partition(", p ")[0] for name, one in results.items()} == by_definition(
        study, text
    ), study
    return sum(one != TOO_FEW for one in results.values())


def agree(count: int, seed: int) -> int:
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_differences_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_differences_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 2 + part) > ALL // 5


def two_groups(rows: int = 40) -> Owner:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 2 * rows)
    parts = np.arange(2 * rows) % 2
    scores = np.clip(rng.normal(0.4 + 0.2 * labels * (1 + parts), 0.2), 0, 1).round(3)
    return Owner(scores.tolist(), labels.tolist(), parts=parts.tolist())


def test_the_difference_of_two_groups_is_that_of_their_own_areas() -> None:
    options = Options(metrics=(TEXT, "auroc_ci:method=delong"), groups=("f", "m"), decimals=6)
    found = run(Study((two_groups(),), options)).results
    own = [float(found[f"auroc_ci:method=delong@{group}"].split()[0]) for group in "mf"]
    assert float(found["auroc_groups@m@f"].split()[0]) == pytest.approx(own[0] - own[1], abs=1e-6)


SEPARATED = [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]
TURNED = [0.8, 0.9, 0.1, 0.2], [0, 0, 1, 1]


WITHOUT = {
    "both separated": (SEPARATED, SEPARATED, "0.00 (0.00 to 0.00, no width), z 0.000, p 1.000"),
    "turned": (
        *(TURNED, SEPARATED),
        "1.00 (1.00 to 1.00, no width), z at least 100, p less than 0.0001",
    ),
    "turned the other way": (
        *(SEPARATED, TURNED),
        "-1.00 (-1.00 to -1.00, no width), z at most -100, p less than 0.0001",
    ),
    "one positive": (([0.1] * 3, [0, 0, 1]), SEPARATED, TOO_FEW),
    "empty": (([], []), SEPARATED, TOO_FEW),
    "a class": (SEPARATED, ([0.5, 0.6], [1, 1]), TOO_FEW),
}
TABLES: dict[str, dict[str, str]] = {
    "sorted": {},
    "cells": {"resolution": "decimals:1", "table": "counted"},
}


@pytest.mark.parametrize(
    ("first", "second", "says", "more"),
    [
        pytest.param(
            *case,
            more,
            id=f"{name}, {table}",
            # by turns from either table
            marks=[pytest.mark.weekly] * ((place + (table == "cells")) % 2),
        )
        for place, (name, case) in enumerate(WITHOUT.items())
        for table, more in TABLES.items()
    ],
)
def test_groups_without_an_error_or_an_area_are_told_as_such(
    first: tuple[list[float], list[int]],
    second: tuple[list[float], list[int]],
    says: str,
    more: dict[str, Any],
) -> None:
    parts = [0] * len(first[0]) + [1] * len(second[0])
    owner = Owner(first[0] + second[0], first[1] + second[1], parts=parts)
    options = Options(metrics=(TEXT,), groups=("a", "b"), decimals=2, **more)
    assert run(Study((owner,), options)).results == {"auroc_groups@b@a": says}


def test_all_pairs_are_those_that_can_be_made() -> None:
    options = Options(metrics=("auroc_groups:pairs=all",), groups=("a", "b", "c"))
    names = [text.partition("@")[2] for text in options.texts]
    assert names == ["b@a", "c@a", "c@b"]
    assert Options(metrics=(TEXT,), groups=("a", "b", "c")).texts == (
        "auroc_groups@b@a",
        "auroc_groups@c@a",
    )


def test_beside_other_statistics_it_shares_their_hops() -> None:
    options = Options(
        metrics=("auroc_ci", TEXT, "brier"), groups=("a", "b"), merge="network", decimals=4
    )
    owners = (two_groups(), two_groups(20))
    outcome = run(Study(owners, options))
    sizes = sizes_of(owners, options)
    predicted = phase_estimates(options, sizes)
    assert outcome.hops == sum(one.spent.hops for one in predicted)
    assert outcome.payload == sum(one.spent.payload for one in predicted)
    assert (
        outcome.results["auroc_groups@b@a"]
        == (run(Study(owners, replace(options, metrics=(TEXT,)))).results["auroc_groups@b@a"])
    )


def test_a_million_samples_take_as_many_hops_as_eight_thousand() -> None:
    options = Options(metrics=(TEXT,), groups=("a", "b"), resolution="decimals:3")
    few, many = (total_cost(options, [size] * 16) for size in (500, 62_500))
    assert few == many
    assert few.hops == HOPS


HOPS = 133


def test_the_ledger_names_the_groups_that_are_compared() -> None:
    options = Options(metrics=(TEXT,), groups=("a", "b", "c"))
    [told] = ledger(options, [100] * 9).learns.receivers
    assert told.startswith("auroc_groups, of b less a and of c less a: the released decimals and z")


def test_a_study_without_groups_is_refused() -> None:
    with pytest.raises(OptionRefused, match="ask for auroc_groups, and the study has no groups"):
        Options(metrics=(TEXT,))


@pytest.mark.parametrize("decimals", [9, 15])
def test_more_than_eight_decimals_are_refused(decimals: int) -> None:
    options = Options(metrics=(TEXT,), groups=("a", "b"), decimals=decimals)
    assert options.asked[0].most_samples(decimals) == 0
    assert options.asked[0].most_samples(8) > 1_000_000
