"""The common part of statistics of times to an event: grid, times, and what they refuse."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.of_times import AtTimes, OfTimes
from ppaurora.protocols.statistics.registry import statistic, statistics
from ppaurora.protocols.statistics.statistic import Topic

NAMES = [name for name, kind in statistics().items() if issubclass(kind, OfTimes)]


def test_they_are_those_of_the_question() -> None:
    topics = {name: statistics()[name].topic for name in NAMES}
    assert topics.pop("brier_at_time") is Topic.CALIBRATION
    assert topics == dict.fromkeys(["auroc_at_time", "c_index", "kaplan_meier"], Topic.SURVIVAL)


@pytest.mark.parametrize(
    ("edges", "ends"),
    [
        (("7",), [7]),
        (("1", "2", "3"), [1, 2, 3]),
        (("1", "2", "3", "4", "5"), [2, 3, 4, 5]),
        (tuple(map(str, range(1, 21))), [5, 10, 15, 20]),
    ],
)
def test_without_times_they_are_of_the_quarters_of_the_grid(
    edges: tuple[str, ...], ends: list[int]
) -> None:
    [one] = Options(metrics=("kaplan_meier",), time_edges=edges).statistics
    assert isinstance(one, AtTimes)
    assert list(one.ends) == ends
    assert one.text == "kaplan_meier"


def test_times_are_written_as_they_are_read() -> None:
    asked = statistic("kaplan_meier:at=0.5/30")
    assert isinstance(asked, AtTimes)
    assert asked.at == (Fraction(1, 2), Fraction(30))
    assert asked.text == "kaplan_meier:at=0.5/30"
    for wrong in ("-1", "x", "1/1"):
        with pytest.raises(OptionRefused, match="asks for kaplan_meier with at"):
            statistic(f"kaplan_meier:at={wrong}")


@pytest.mark.parametrize("name", NAMES)
def test_each_needs_a_grid(name: str) -> None:
    with pytest.raises(OptionRefused, match="time_edges are missing"):
        Options(metrics=(name,), resolution="decimals:1")


def test_numbers_of_scores_and_times_stand_in_one_study() -> None:
    together = Options(metrics=tuple(NAMES), resolution="decimals:1", time_edges=("1", "2"))
    assert [one.name for one in together.statistics] == NAMES
