"""A drawing has every released point where its numbers say, and works as a file of its own."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ppaurora.parties.reports.curves import Known, drawn, shape_of
from ppaurora.parties.reports.markup import Element
from ppaurora.parties.reports.model import Axis, Caterpillar, Chart, Estimated
from ppaurora.parties.reports.svg import (
    MOST_TICKS,
    NARROW,
    WIDE,
    _fitting,
    _ticks,
    figures,
    standing_alone,
)
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
    found = _ticks(Axis("", least, most), MOST_TICKS)
    assert all(least - 1e-9 <= number <= most + 1e-9 for number, _ in found)
    assert all(float(text) == pytest.approx(number) for number, text in found)
    assert [text for _, text in found] == texts


def texts(drawing: Element) -> list[str]:
    """The texts of a drawing."""
    inside = [one for one in drawing.children if isinstance(one, Element)]
    return [str(one.children[0]) for one in inside if one.tag == "text"]


def marks(drawing: Element) -> int:
    """The number of marks on a drawing."""
    inside = [dict(one.attributes) for one in drawing.children if isinstance(one, Element)]
    return sum(one.get("class", "").startswith("mark") for one in inside)


def test_both_forms_of_a_drawing_show_the_same_points_and_words() -> None:
    rows = (
        Estimated("a rather long name", "0.7 (0.6 to 0.8)", (0.6, 0.8), 0.7),
        Estimated("b", "-"),
    )
    mean = Estimated("Mean", "0.7", (0.7, 0.7), 0.7)
    plot = Caterpillar("plot", "AUROC", "", Axis("AUROC", 0.5, 0.9), rows, mean, reference=0.5)
    for one, said in ((chart(RATES), {"Sensitivity", "Specificity"}), (plot, {"b", "Mean"})):
        wide, narrow = figures(one)
        assert marks(wide) == marks(narrow) >= 2
        assert said < {*texts(wide)} & {*texts(narrow)}
        assert [dict(form.attributes)["class"] for form in (wide, narrow)] == [
            "chart wide",
            "chart narrow",
        ]
    assert {row.told for row in (*rows, mean)} < {*texts(figures(plot)[1])}


def test_a_narrow_drawing_is_as_wide_as_a_small_screen_and_no_file_has_it() -> None:
    wide, narrow = (dict(one.attributes)["viewBox"].split()[2] for one in figures(chart(ROC)))
    assert (float(wide), float(narrow)) == (WIDE.width, NARROW.width)
    assert NARROW.width <= 320
    root = ElementTree.fromstring(standing_alone(chart(ROC)))
    assert root.get("viewBox", "").split()[2] == wide


@pytest.mark.parametrize("length", [1, 7, 20])
def test_names_on_an_axis_are_as_many_as_have_room(length: int) -> None:
    names = tuple((float(at), f"{at:0{length}}") for at in range(6))
    found = _fitting(Axis("", 0, 5, names), MOST_TICKS, 250)
    assert found[0] == names[0]
    assert len(found) == {1: 6, 7: 3, 20: 2}[length]


def test_tracks_differ_in_more_than_colour() -> None:
    root = ElementTree.fromstring(standing_alone(chart(RATES)))
    shapes = {
        str(one.get("class")): re.sub(r"[-\d.,]+", "", str(one.get("d")))
        for one in root.iter(f"{SPACE}path")
        if str(one.get("class")).startswith("mark")
    }
    assert len(set(shapes.values())) == len(shapes) == 2


def test_a_hostile_name_is_a_text_in_the_file() -> None:
    root = ElementTree.fromstring(standing_alone(chart(ROC, HOSTILE)))
    assert root.findtext(f"{SPACE}title") == "ROC curve"
    assert not list(root.iter(f"{SPACE}script"))
