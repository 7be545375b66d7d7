"""Harrell's C: against pairs one by one, its bounds against the data behind the cells."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.c_index import CIndex, CIndexBounds
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn_times import drawn_times
from tests.protocols.statistics.gbsg2 import columns
from tests.protocols.studies import Owner, Study, checked, owners_of, run

TEXT = "c_index"
SAMPLE, ALL = 8, 500
NOTHING = (
    "undefined: no two samples are comparable: there is no event before the time of another sample"
)
Row = tuple[Fraction | int, Fraction | int, int]
"""A score, of which a higher one speaks for the event, a time and an event."""


def concordance(rows: Sequence[Row]) -> Fraction | None:
    """Harrell's C, one pair after the other, as survival's `concordance` defines it."""
    won2 = comparable = 0
    for one, other in combinations(rows, 2):
        before = (one[1], -one[2]) <= (other[1], -other[2])
        first, second = (one, other) if before else (other, one)
        if not first[2] or (first[1] == second[1] and second[2]):
            continue
        comparable += 1
        won2 += 2 * (first[0] > second[0]) + (first[0] == second[0])
    return Fraction(won2, 2 * comparable) if comparable else None


def rows_of(study: Study) -> list[Row]:
    """All rows, of which those behind the horizon are censored."""
    horizon = study.options.times.horizon
    times = [Fraction(float(time)) for owner in study.owners for time in owner.times or ()]
    scores = [Fraction(score) for score in study.scores]
    rows = zip(scores, times, study.labels, strict=True)
    return [
        (score, time, event) if time <= horizon else (score, horizon + 1, 0)
        for score, time, event in rows
    ]


def on_grid(study: Study) -> list[Row]:
    """The same with the cells of scores and times in their place."""
    options = study.options
    sign = 1 if study.direction == "higher" else -1
    scores = np.array([sign * float(score) for score, _, _ in rows_of(study)])
    cells = options.scale.cells.places(scores)
    times = options.times.places(np.array([float(time) for _, time, _ in rows_of(study)]))
    return [
        (Fraction(-int(cell)), Fraction(int(time)), event)
        for cell, time, (_, _, event) in zip(cells, times, rows_of(study), strict=True)
    ]


def half_up(number: Fraction, decimals: int) -> str:
    word = (2 * number * 10**decimals + 1) // 2
    return f"{word // 10**decimals}.{word % 10**decimals:0{decimals}d}"


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the value with that of all pairs of the grid, and the data with the bounds."""
    expected, decimals = concordance(on_grid(study)), study.options.decimals
    if expected is None:
        assert results == {TEXT: NOTHING}, study
        return False
    true = concordance(rows_of(study))
    if isinstance(study.options.statistics[0], CIndex):
        assert results == {TEXT: half_up(expected, decimals)}, study
        assert true == expected
        return True
    value, _, limits = results[TEXT].removesuffix(", no width)").rstrip(")").partition(" (")
    lower, upper = map(Fraction, limits.split(" to "))
    assert value == half_up(expected, decimals), study
    assert lower <= expected <= upper
    assert true is None or lower <= true <= upper, study
    return True


def studies(count: int, seed: int) -> list[Study]:
    return drawn_times(count, seed, [TEXT])


def agree(count: int, seed: int) -> int:
    """The number of studies with a value; all have that of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_value_of_their_pairs() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 3


def test_of_equal_times_an_event_comes_before_a_censored_sample() -> None:
    options = Options(
        metrics=(TEXT,), resolution="decimals:1", time_edges=("1", "2"), times_apart=True
    )
    study = Study((Owner([0.9, 0.1], [1, 0], times=[1, 1]),), options)
    assert run(study).results == {TEXT: "1.0000"}


def test_events_in_one_cell_of_times_may_have_come_in_the_other_order() -> None:
    options = Options(metrics=(TEXT,), resolution="decimals:1", time_edges=("5",))
    study = Study((Owner([0.1, 0.9, 0.0], [1, 1, 0], times=[1, 2, 9]),), options)
    results = run(study).results
    # the later of the two events has the higher score: 2 of 3 pairs, where the grid has 2 of 2
    assert concordance(rows_of(study)) == Fraction(2, 3)
    assert results[TEXT].startswith("1.0000 (0.6666 to 1.0000")
    assert check(study, results)


@pytest.mark.soak
def test_five_hundred_studies_have_the_value_of_their_pairs() -> None:
    assert agree(ALL, 2) > ALL // 2


def test_the_definition_is_that_of_a_published_model() -> None:
    """R's coxph prints a concordance of .692 for GBSG2 on all covariates; lifelines has .691851."""
    data = columns()
    rows = [
        (round(10**4 * lp), int(time), int(event))
        for lp, time, event in zip(data["lp"], data["time"], data["event"], strict=True)
    ]
    found = concordance(rows)
    assert found is not None
    assert abs(found - Fraction("0.691851")) < Fraction(1, 10**5)


def gbsg2(options: Options, score: str, digits: int = 4) -> str:
    """The C of the model's scores, of three hospitals."""
    data = {name: [round(x, digits) for x in column] for name, column in columns().items()}
    owners, start = [], 0
    for size in (100, 286, 300):
        own = slice(start, start + size)
        start += size
        owners.append(
            Owner(data[score][own], [int(y) for y in data["event"][own]], times=data["time"][own])
        )
    [found] = run(Study(tuple(owners), options)).results.values()
    return found


def test_a_published_model_has_the_value_of_other_programs() -> None:
    """lifelines 0.30.3 and scikit-survival 0.28.0 of the risk in tenths."""
    edges = tuple(sorted({str(int(time)) for time in columns()["time"]}, key=int))
    options = Options(
        metrics=(TEXT,),
        decimals=9,
        resolution="decimals:1",
        time_edges=edges,
        times_apart=True,
    )
    assert gbsg2(options, "risk", 1) == GBSG2_RISK


def test_bounds_hold_the_value_of_a_published_model() -> None:
    options = Options(
        metrics=(TEXT,), resolution="bins:300", range=(-6, 3), time_width="60", time_horizon="2700"
    )
    value, _, bounds = gbsg2(options, "lp").rstrip(")").partition(" (")
    lower, upper = map(float, bounds.split(" to "))
    assert lower < 0.691851 < upper
    assert upper - lower < 0.08
    assert abs(float(value) - 0.691851) < 0.005


GBSG2_RISK = "0.685380846"


def test_which_program_it_is_follows_from_the_study() -> None:
    def of(resolution: str, *, apart: bool) -> object:
        return type(
            Options(
                metrics=(TEXT,), resolution=resolution, time_edges=("1", "2"), times_apart=apart
            ).statistics[0]
        )

    assert of("decimals:2", apart=True) is CIndex
    assert of("decimals:2", apart=False) is CIndexBounds
    assert of("bins:10", apart=True) is CIndexBounds


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "time_edges are missing"),
        ({"time_edges": ("1",)}, "too many to count"),
        ({"time_edges": ("1",), "resolution": "float32"}, "too many to count"),
        ({"time_edges": ("2", "1"), "resolution": "bins:9"}, "rising times"),
        ({"time_edges": ("x",), "resolution": "bins:9"}, "is not written as a time"),
        ({"time_width": "2", "resolution": "bins:9"}, "time_horizon is missing"),
        ({"time_width": "2", "time_horizon": "5", "resolution": "bins:9"}, "multiple"),
        (
            {"time_width": "1", "time_horizon": "4000", "resolution": "decimals:3"},
            "there may be 1048576 in all",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(options: dict[str, str], says: str) -> None:
    with pytest.raises(OptionRefused, match=says) as refused:
        Options(metrics=(TEXT,), **options)
    assert refused.value.advice or "rising" in says or "multiple" in says or "written" in says


def test_labels_and_times_are_not_in_one_study() -> None:
    with pytest.raises(OptionRefused, match="told by the difference"):
        Options(metrics=(TEXT, "brier"), resolution="bins:9", time_edges=("1",))


def test_what_comes_behind_the_horizon_makes_no_difference() -> None:
    options = Options(
        metrics=(TEXT,), resolution="decimals:1", time_edges=("5", "10"), times_apart=True
    )
    one = Owner([0.9, 0.5, 0.2, 0.4], [1, 0, 1, 0], times=[5, 10, 11, 12])
    other = Owner([0.9, 0.5, 0.2, 0.4], [1, 0, 0, 1], times=[5, 10, 500, 11])
    assert run(Study((one,), options)).results == run(Study((other,), options)).results


def test_it_is_exact_for_two_billion_samples() -> None:
    options = Options(
        metrics=(TEXT,), decimals=15, resolution="decimals:1", time_edges=("1",), times_apart=True
    )
    assert most_samples(options) == MOST_SAMPLES


def test_eight_owners_take_few_hops_whatever_they_have() -> None:
    options = Options(metrics=(TEXT,), resolution="bins:100", time_width="90", time_horizon="1800")
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [125_000] * 8)
    assert (cost.hops, cost.payload) == COST


COST = (26, 1731072)


def test_the_ledger_says_what_is_told() -> None:
    options = Options(metrics=(TEXT,), resolution="bins:9", time_edges=("1", "2"))
    told = ledger(options, [1000] * 4).learns
    assert told.receivers == (
        "c_index: the released decimals of the value and of two bounds, and whether the metric is "
        f"{NOTHING}",
    )


def test_owners_of_one_list_or_many_have_one_value() -> None:
    rng = np.random.default_rng(4)
    scores, events = rng.random(60).round(2).tolist(), rng.integers(0, 2, 60).tolist()
    times = rng.integers(1, 20, 60).tolist()
    options = Options(
        metrics=(TEXT,),
        resolution="decimals:2",
        time_width="1",
        time_horizon="20",
        times_apart=True,
    )
    whole = Owner(scores, events, times=times)
    parts = [
        Owner(one.scores, one.labels, times=other.scores)
        for one, other in zip(
            owners_of(scores, events, (7, 0, 40, 13)),
            owners_of(times, events, (7, 0, 40, 13)),
            strict=True,
        )
    ]
    assert run(Study((whole,), options)).results == run(Study(tuple(parts), options)).results
