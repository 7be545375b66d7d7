"""A drawing has every released point where its numbers say, and works as a file of its own."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ppaurora.parties.reports.curves import Known, drawn, shape_of
from ppaurora.parties.reports.model import Axis, Chart
from ppaurora.parties.reports.svg import _ticks, standing_alone
from ppaurora.protocols.release.values import Table
from tests.parties.reports.documents import BENEFIT, CALIBRATION, HOSTILE, PR, RATES, ROC, TOP

SPACE = "{http://www.w3.org/2000/svg}"


def chart(table: Table, name: str = "curve") -> Chart:
    shape = shape_of(table)
    assert shape is not None
    found = drawn(name, table, shape, Known())
    assert found is not None
    return found


def classes(of: Chart) -> list[str]:
    root = ElementTree.fromstring(standing_alone(of))
    return [one.get("class", "") for one in root.iter() if one.get("class")]


def test_a_table_is_known_by_its_columns() -> None:
    titles = [getattr(shape_of(one), "title", None) for one in (ROC, PR, CALIBRATION, RATES)]
    assert titles == [
        "ROC curve",
        "Precision-recall curve",
        "Calibration",
        "Rates at each threshold",
    ]
    assert getattr(shape_of(BENEFIT), "title", None) == "Decision curve"
    assert shape_of(TOP) is None
    assert shape_of(Table(("threshold", "fpr", "tpr"), ())) is shape_of(ROC)
    assert shape_of(Table(("threshold", "recall", "precision"), ())) is shape_of(PR)


def test_each_released_point_has_its_mark_and_a_point_without_a_number_has_none() -> None:
    assert classes(chart(ROC)).count("mark track-0") == 3 + 1, "three points and the legend"
    assert classes(chart(PR)).count("mark track-0") == 2
    assert chart(PR).tracks[0].points == ((1.0, 0.3), (0.5, 0.6))
    shape = shape_of(PR)
    assert shape is not None
    assert drawn("none", Table(("recall", "precision"), (("1", None),)), shape, Known()) is None


def test_a_band_lies_between_the_limits() -> None:
    (track,) = chart(ROC).tracks
    assert track.low == ((0.0, 0.0), (0.5, 0.7), (1.0, 1.0))
    assert track.high == ((0.0, 0.2), (0.5, 0.9), (1.0, 1.0))
    assert "band track-0" in classes(chart(ROC))
    assert "band track-0" not in classes(chart(PR))
    short = Table(("recall", "precision", "lower", "upper"), (("1", "0.3", "0.2", "0.4"),))
    assert chart(short).tracks[0].high == ((1.0, 0.4),)


def test_places_follow_from_the_numbers() -> None:
    root = ElementTree.fromstring(standing_alone(chart(ROC)))
    (line,) = (
        one
        for one in root.iter(f"{SPACE}path")
        if one.get("class") == "line track-0"
        and "," in str(one.get("d"))
        and "L" in str(one.get("d"))
    )
    places = [
        tuple(map(float, pair)) for pair in re.findall(r"([\d.]+),([\d.]+)", str(line.get("d")))
    ]
    (frame,) = (one for one in root.iter(f"{SPACE}rect") if one.get("class") == "frame")
    x, y, width, height = (float(str(frame.get(key))) for key in ("x", "y", "width", "height"))
    [track] = chart(ROC).tracks
    line_of = (track.ends[0], *track.points, track.ends[1])
    for (across, down), (fpr, tpr) in zip(places, line_of, strict=True):
        assert across == pytest.approx(x + fpr * width, abs=0.01)
        assert down == pytest.approx(y + (1 - tpr) * height, abs=0.01)


def test_axes_hold_all_numbers() -> None:
    wide = chart(RATES)
    assert wide.x.least < -1.5
    assert wide.x.most > 2
    assert (wide.y.least, wide.y.most) == (0.0, 1.0)
    below = chart(BENEFIT)
    assert below.y.least < -0.05
    assert below.references[0].points == ((below.x.least, 0.0), (below.x.most, 0.0))


@pytest.mark.parametrize(
    ("least", "most", "texts"),
    [
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-1.7, 2.2, ["-1", "0", "1", "2"]),
        (0.0, 0.012, ["0.0000", "0.0025", "0.0050", "0.0075", "0.0100"]),
        (0.0, 1e6, ["0", "200000", "400000", "600000", "800000", "1000000"]),
        (5.0, 5.2, ["5.00", "5.05", "5.10", "5.15", "5.20"]),
    ],
)
def test_ticks_are_round_numbers_on_the_axis(least: float, most: float, texts: list[str]) -> None:
    found = _ticks(Axis("", least, most))
    assert all(least - 1e-9 <= number <= most + 1e-9 for number, _ in found)
    assert all(float(text) == pytest.approx(number) for number, text in found)
    assert [text for _, text in found] == texts


def test_tracks_differ_in_more_than_colour() -> None:
    root = ElementTree.fromstring(standing_alone(chart(RATES)))
    marks = {
        str(one.get("class")): re.sub(r"[-\d.,]+", "", str(one.get("d")))
        for one in root.iter(f"{SPACE}path")
        if str(one.get("class")).startswith("mark")
    }
    assert len(set(marks.values())) == len(marks) == 2


def test_a_hostile_name_is_a_text_in_the_file() -> None:
    root = ElementTree.fromstring(standing_alone(chart(ROC, HOSTILE)))
    assert root.findtext(f"{SPACE}title") == "ROC curve"
    assert not list(root.iter(f"{SPACE}script"))
