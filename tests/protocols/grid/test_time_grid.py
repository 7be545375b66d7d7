"""The public grid of times: where times fall, and which grids there are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.time_grid import MOST_EDGES, TimeGrid
from ppaurora.protocols.options import Options


def test_a_time_lies_in_the_cell_that_ends_no_earlier() -> None:
    grid = TimeGrid.of(("0.1", "0.3", "7"))
    times = [0.0, 0.1, np.nextafter(0.1, 1), 0.3, 0.30000000000000004, 7.0, 7.5, 1e15]
    found = grid.places(np.array(times)).tolist()
    # one time after the other: 0.30000000000000004 is another double than the edge
    assert found == [sum(time > float(edge) for edge in grid.edges) for time in times]
    assert found == [0, 0, 1, 1, 2, 2, 3, 3]


def test_steps_are_exact() -> None:
    grid = TimeGrid.of((), "0.1", "1")
    assert grid.edges == tuple(Fraction(k, 10) for k in range(1, 11))
    times = np.array([k / 10 for k in range(1, 11)])
    assert grid.places(times).tolist() == list(range(10))
    assert not grid.between(times).any()
    assert grid.between(np.array([0.0, 0.15, 1.5])).tolist() == [True, True, False]


def test_a_time_that_is_no_edge_has_no_place() -> None:
    grid = TimeGrid.of(("30", "90"))
    assert grid.place(Fraction(90)) == 1
    assert grid.place(Fraction(31)) is None


@pytest.mark.parametrize(
    ("edges", "width", "horizon", "says"),
    [
        (("30", "30"), "", "", "rising times"),
        (("0", "30"), "", "", "rising times, of more than 0"),
        (("1e3",), "", "", "not written as a time"),
        (("-1",), "", "", "not written as a time"),
        (("",), "", "", "not written as a time"),
        (("9" * 17,), "", "", "beyond"),
        (("30",), "10", "", "both there"),
        ((), "10", "", "time_horizon is missing"),
        ((), "", "10", "time_width is missing"),
        ((), "0", "10", "multiple of the width"),
        ((), "3", "10", "multiple of the width"),
        ((), "1", str(MOST_EDGES + 1), "more than 4096 cells"),
        ((), "0.0000000000000001", "999999999999999", "more than 4096 cells"),
    ],
)
def test_what_is_no_grid_is_refused(
    edges: tuple[str, ...], width: str, horizon: str, says: str
) -> None:
    with pytest.raises(OptionRefused, match=says):
        TimeGrid.of(edges, width, horizon)


def test_edges_that_are_one_double_are_refused() -> None:
    with pytest.raises(OptionRefused, match="rising times"):
        TimeGrid.of(("900000000000000", "900000000000000.01"))


def test_a_grid_that_no_metric_is_of_is_refused() -> None:
    for more in ({"time_edges": ("1",)}, {"time_width": "1"}, {"times_apart": True}):
        with pytest.raises(OptionRefused, match="no metric is of times") as refused:
            Options(metrics=("auroc",), **more)  # type: ignore[arg-type]
        assert "analysis survival" in refused.value.advice
