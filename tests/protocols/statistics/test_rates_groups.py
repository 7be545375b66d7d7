"""Differences of rates between two groups: against statsmodels, and as Newcombe printed them."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import WITHHELD, Table
from ppaurora.protocols.statistics.rates_groups import RATES, RatesGroups
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pipelines.test_groups import drawn, only
from tests.protocols.studies import Owner, Study, checked, run, sizes_of

TEXT = "rates_groups"
ASKED = tuple(
    f"{TEXT}:at={at}" for at in ("0.5", "0.2/0.7", "0.3/0.45/0.6,pairs=all", "0.4,level=0.99")
)
SAMPLE, ALL = 4, 500
MOST_DECIMALS = 8
"""statsmodels computes in doubles."""
WHY = "a group has no sample that the rate is of"


def counts(owners: tuple[Owner, ...], threshold: float, higher: bool) -> list[tuple[int, int]]:
    """Numerator and denominator of each rate, row by row."""
    tp = fp = positives = negatives = 0
    for one in owners:
        for score, label in zip(one.scores, one.labels, strict=True):
            called = score >= threshold if higher else score <= threshold
            positives, negatives = positives + label, negatives + 1 - label
            tp, fp = tp + (called and label), fp + (called and not label)
    return [(tp, positives), (negatives - fp, negatives), (tp, tp + fp)]


def rounded(x: float | Fraction, decimals: int) -> str:
    """Half up, which is exact for fractions; -0 is 0."""
    whole = int((Fraction(x) + 2) * 10**decimals + Fraction(1, 2)) - 2 * 10**decimals
    sign = "-" * (whole < 0)
    return f"{sign}{abs(whole) // 10**decimals}.{abs(whole) % 10**decimals:0{decimals}d}"


def by_definition(study: Study, text: str) -> dict[str, list[list[str]]]:
    groups, decimals = study.options.groups, study.options.decimals
    options = text.partition(":")[2].split(",")
    given = dict(one.split("=") for one in options)
    alpha = float(1 - Fraction(given.get("level", "0.95")))
    places = range(len(groups))
    pairs = [*combinations(places, 2)] if "pairs" in given else [(0, one) for one in places[1:]]
    wanted = {}
    for one, other in pairs:
        rows = []
        for at in given["at"].split("/"):
            row = [at]
            sides = [
                counts(only(study.owners, place), float(at), study.direction == "higher")
                for place in (other, one)
            ]
            for (x, m), (y, n) in zip(*sides, strict=True):
                if not m or not n:
                    row += ["undefined"] * 3
                    continue
                low, high = confint_proportions_2indep(
                    x, m, y, n, method="newcomb", compare="diff", alpha=alpha
                )
                row.append(rounded(Fraction(x, m) - Fraction(y, n), decimals))
                row += [rounded(max(-1, low), decimals), rounded(min(1, high), decimals)]
            rows.append(row)
        wanted[f"{text}@{groups[other]}@{groups[one]}"] = rows
    return wanted


def studies(count: int, seed: int) -> list[Study]:
    """Two to four groups at one to five owners, without a least cell."""
    dice, found = random.Random(seed), []
    for place in range(count):
        groups = dice.randrange(2, 5)
        options = Options(
            metrics=(ASKED[place % len(ASKED)],),
            groups=tuple("abcd"[:groups]),
            decimals=dice.randrange(1, MOST_DECIMALS + 1),
            least_cell=1,
            resolution=dice.choice(["full", "decimals:2", "float32"]),
        )
        owners = drawn(seed * 1000 + place, groups, dice.randrange(1, 6), 60)
        found.append(Study(owners, options, ("higher", "lower")[place % 2]))
    return found


def told(text: str) -> list[list[str]]:
    """The cells of each row of a table's text."""
    rows = [row for row in text.split("; ") if row.startswith("threshold ")]
    return [[cell.rpartition(" ")[2] for cell in row.split(", ")] for row in rows]


def check(study: Study, results: dict[str, str]) -> int:
    """Compare the values with statsmodels; the number of rows that have some."""
    [text] = study.options.metrics
    wanted = by_definition(study, text)
    assert list(results) == list(wanted)
    for name, rows in wanted.items():
        if results[name] == "undefined: there are no samples":
            continue
        assert told(results[name]) == rows, study
        if any("undefined" in row for row in rows):
            assert results[name].endswith(f"undefined: {WHY}")
    return sum("undefined" not in row for rows in wanted.values() for row in rows)


def agree(count: int, seed: int) -> int:
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_differences_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_differences_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 2 + part) > ALL // 5


def two_groups(x: int, m: int, y: int, n: int) -> Owner:
    """Positives of two groups of which so many score above a half, and a negative each."""
    scores = [0.9] * x + [0.1] * (m - x) + [0.9] * y + [0.1] * (n - y) + [0.1, 0.1]
    return Owner(scores, [1] * (m + n) + [0, 0], parts=[1] * m + [0] * n + [0, 1])


@pytest.mark.parametrize(
    ("x", "m", "y", "n", "low", "high"),
    [
        (56, 70, 48, 80, "0.0524", "0.3339"),
        (9, 10, 3, 10, "0.1705", "0.8090"),
        (10, 10, 0, 10, "0.6075", "1.0000"),
    ],
    ids=["a", "b", "h"],
)
def test_the_intervals_are_those_that_newcombe_printed(
    x: int, m: int, y: int, n: int, low: str, high: str
) -> None:
    """Statistics in Medicine 17:873-890 (1998), table II, method 10."""
    options = Options(metrics=(f"{TEXT}:at=0.5",), groups=("a", "b"), least_cell=1)
    [text] = run(Study((two_groups(x, m, y, n),), options)).results.values()
    assert told(text)[0][1:4] == [rounded(Fraction(x, m) - Fraction(y, n), 4), low, high]


def test_a_cut_kept_back_in_a_group_keeps_back_its_gap() -> None:
    rng, both = np.random.default_rng(3), 0
    for _ in range(3):
        n = 160
        labels, parts = rng.integers(0, 2, n), (rng.random(n) < 0.25).astype(int)
        scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2)
        owner = Owner(scores.tolist(), labels.tolist(), parts=parts.tolist())
        options = Options(
            metrics=("confusion:at=0.2/0.5/0.8", f"{TEXT}:at=0.2/0.5/0.8"), groups=("a", "b")
        )
        found = run(Study((owner,), options)).results
        hidden = [[WITHHELD in row for row in told(one)] for one in found.values()]
        assert hidden == [hidden[0]] * 4
        both += len(set(hidden[0])) == 2
    assert both


def test_its_thresholds_are_cuts_of_both_groups_and_of_no_other() -> None:
    options = Options(metrics=(f"{TEXT}:at=0.5",), groups=("a", "b", "c"), least_cell=1)
    options = replace(options, metrics=(f"{TEXT}:at=0.5", "f1:at=0.25"))
    of_group = {group: Cells.of(options, group).thresholds for group in options.groups}
    assert of_group["b"] == {"0.5 in group b", "0.25 in group b"}
    assert Cells.of(options).small == 1 + 4 + 3


def test_the_cost_is_the_predicted_one_at_any_size() -> None:
    options = Options(metrics=(f"{TEXT}:at=0.2/0.5", "brier"), groups=("a", "b", "c"))
    owners = drawn(5, most=60)
    outcome = run(Study(owners, options))
    predicted = phase_estimates(options, sizes_of(owners, options))
    assert outcome.hops == sum(one.spent.hops for one in predicted)
    assert outcome.payload == sum(one.spent.payload for one in predicted)
    few, many = (total_cost(options, [size] * 24) for size in (300, 40_000))
    assert few == many


def test_ledger_and_values_say_what_they_are_of() -> None:
    options = Options(metrics=(f"{TEXT}:at=0.5",), groups=("a", "b"))
    [said] = ledger(options, [100] * 8).learns.receivers
    assert said.startswith(f"{TEXT}:at=0.5, of b less a: for each threshold")
    one = statistic(f"{TEXT}:at=0.5")
    assert isinstance(one, RatesGroups)
    value = one.decode(one.plaintext_words((None, None), 4), 4)
    assert isinstance(value, Table)
    assert value.columns[1:4] == (
        "sensitivity_difference",
        "sensitivity_lower",
        "sensitivity_upper",
    )
    assert len(value.columns) == 1 + 3 * len(RATES)
    with pytest.raises(OptionRefused, match="the study has no groups"):
        Options(metrics=(f"{TEXT}:at=0.5",))
