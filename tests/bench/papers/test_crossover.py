"""Crossover of the sorts: the measurement, the loss by the automatic choice, and the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ppaurora.bench.measure.evaluation import counted, outsourced
from ppaurora.bench.papers.crossover import (
    EXPERIMENTS,
    METRIC,
    ROUND_TRIPS,
    WORST,
    Crossover,
    NarrowCrossover,
    Setup,
    page,
    places,
    ratio,
    text_of,
)
from ppaurora.bench.papers.experiment import CellResult, Results
from ppaurora.bench.papers.figures import pyplot
from ppaurora.bench.papers.kept import Kept
from ppaurora.mpc.handshake import FILLED_BYTES
from ppaurora.mpc.role import PAIRS
from ppaurora.protocols.options import Options

BENCH = Path(__file__).resolve().parents[3] / "bench"
CROSSOVER, NARROW = EXPERIMENTS


def found(seconds: float) -> CellResult:
    figures = {"seconds": seconds, "CPU seconds": seconds / 2, "megabytes": 3.0, "hops": 40}
    return CellResult(points={name: [value, value + 1] for name, value in figures.items()})


def measured(**seconds: float) -> Results:
    """Every row of the plan, by sort; what is not named is `auto`'s alone."""
    return {
        one.settings: found(seconds.get(str(one.settings[-1]), 7.0)) for one in CROSSOVER.plan()
    }


def test_every_place_has_both_sorts_and_the_one_that_auto_chooses() -> None:
    sorts: dict[Setup, set[str]] = {}
    for one in CROSSOVER.plan():
        sorts.setdefault(Setup.of(one.settings), set()).add(str(one.settings[-1]))
    assert list(sorts) == list(places())
    assert len(sorts) == 36
    for place, measured_there in sorts.items():
        assert measured_there == {"network", "shuffled", text_of(place.chosen)}


def test_auto_is_compared_with_the_better_of_the_two_by_the_least_times() -> None:
    results = measured(network=4.0, shuffled=5.0)
    for place in places():
        chosen = text_of(place.chosen)
        assert ratio(place, results) == {"network": 1.0, "shuffled": 1.25}.get(chosen, 7 / 4)


def test_a_place_that_is_not_measured_whole_is_left_out() -> None:
    results = measured(network=4.0, shuffled=5.0)
    first, *others = places()
    results = {one: what for one, what in results.items() if one != first.settings("network")}
    assert CROSSOVER.complete(results) == others
    told = " ".join(CROSSOVER.deviations(results))
    assert f"more than {WORST - 1:.0%} at" in told
    assert "of 35 places" in told


def test_the_figure_has_an_axis_for_each_quantity_and_round_trip() -> None:
    figure = pyplot().figure()
    CROSSOVER.draw(figure, measured(network=4.0, shuffled=5.0))
    assert len(figure.axes) == 15
    assert all(axes.get_xlabel() and axes.get_ylabel() and axes.lines for axes in figure.axes)
    pyplot().close(figure)


def test_keys_of_32_bits_have_the_same_places_without_a_pace_and_auto_chooses_by_them() -> None:
    assert [type(one) for one in EXPERIMENTS] == [Crossover, NarrowCrossover]
    assert [replace(one, narrow=False) for one in NARROW.places] == [
        one for one in places() if not one.megabits
    ]
    assert any(one.chosen != replace(one, narrow=False).chosen for one in NARROW.places)
    figure = pyplot().figure()
    NARROW.draw(figure, {one.settings: found(3.0) for one in NARROW.plan()})
    assert len(figure.axes) == 12
    pyplot().close(figure)


@pytest.fixture
def recorded() -> Results:
    return CROSSOVER.gathered(Kept(BENCH / "recorded", CROSSOVER).found())


def test_the_page_is_made_of_the_recorded_rows(recorded: Results) -> None:
    at = BENCH / "CROSSOVER.md"
    assert len(CROSSOVER.complete(recorded)) == 36
    narrow = NARROW.gathered(Kept(BENCH / "recorded", NARROW).found())
    assert len(NARROW.complete(narrow)) == 18
    assert page(BENCH / "recorded", at) == at.read_text(encoding="utf-8")
    for one in EXPERIMENTS:
        assert (BENCH / "recorded" / f"{one.name}.svg").stat().st_size > 1000


@pytest.mark.parametrize("round_trip_ms", ROUND_TRIPS)
def test_the_recorded_hops_and_bytes_of_the_network_are_those_of_the_code(
    recorded: Results, round_trip_ms: float
) -> None:
    place = next(one for one in places() if one.round_trip_ms == round_trip_ms)
    options = Options(metrics=(METRIC,), merge="network", conditions=place.conditions)
    with outsourced(place.sizes, options, ties=True) as study:
        found = counted(study, options, np.random.default_rng(1))
    assert found["correct"]
    points = recorded[place.settings("network")].points
    assert set(points["hops"]) == {found["hops"]}
    # the handshake, and what keeps real links going, is in the recorded bytes only
    shaken = len(PAIRS) * 2 * 3 * FILLED_BYTES
    assert all(0 <= 1e6 * sent - found["bytes"] - shaken < 4000 for sent in points["megabytes"])
