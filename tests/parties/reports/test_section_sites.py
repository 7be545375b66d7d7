"""Caterpillar plots of reports: which rows they have, in which order, and what they look like."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from ppaurora.parties.reports.html import html_of
from ppaurora.parties.reports.model import Caterpillar, Page, Section
from ppaurora.parties.reports.section_sites import (
    caterpillar,
    plot_of_models,
    plots_of_groups,
)
from ppaurora.parties.reports.svg import standing_alone
from ppaurora.protocols.release.values import WITHHELD, Interval, Scalar, Table
from ppaurora.protocols.statistics.registry import statistic
from tests.parties.reports.test_page import with_tables

COLUMNS = ("site", "auroc", "auroc_lower", "auroc_upper")
ROWS = (
    ("north", "0.80", "0.75", "0.85"),
    ("south", "0.60", "0.50", "0.70"),
    ("west", WITHHELD, WITHHELD, WITHHELD),
    ("east", "0.90", "0.70", "0.97"),
    ("<b>", None, None, None),
)
VALUES = Table(COLUMNS, ROWS, undefined="no error", withheld="not shown")
MEAN = Table(
    ("auroc", "lower", "upper", "prediction_lower", "prediction_upper", "left_out"),
    (("0.78", "0.70", "0.85", "0.55", "0.91", "0"),),
)
SPACE = "{http://www.w3.org/2000/svg}"


def plot(**values: Table) -> Caterpillar:
    found = caterpillar("site_values", VALUES, {"site_values": VALUES, **values})
    assert found is not None
    return found


def test_rows_stand_by_value_and_those_without_a_number_last() -> None:
    assert [row.name for row in plot().rows] == ["south", "north", "east", "west", "<b>"]
    assert [row.told for row in plot().rows][2:] == ["0.90 (0.70 to 0.97)", WITHHELD, "undefined"]
    assert [row.limits is None for row in plot().rows] == [False] * 3 + [True] * 2


def test_the_most_certain_hospital_has_the_largest_square() -> None:
    south, north, east, *_ = plot().rows
    assert north.weight == 1
    assert 0 < east.weight < south.weight < 1


def test_a_variance_between_hospitals_evens_the_weights() -> None:
    alone, beside = plot().rows, plot(auroc_sites=MEAN).rows
    assert alone[0].weight < beside[0].weight < 1
    assert alone[2].weight < beside[2].weight < 1
    assert beside[1].weight == 1


def test_a_released_mean_stands_below_with_its_prediction_interval() -> None:
    found = plot(auroc_sites=MEAN)
    assert found.mean is not None
    assert found.mean.limits == (0.70, 0.85)
    assert found.prediction is not None
    assert found.prediction.limits == (0.55, 0.91)
    assert found.prediction.told == "0.55 to 0.91"
    assert plot().mean is plot().prediction is None
    missing = Table(MEAN.columns, undefined="too few")
    assert plot(auroc_sites=missing).mean is None
    # the mean of something else is none of these
    assert plot(observed_expected_sites=MEAN).mean is None


def test_ratios_have_a_logarithmic_axis_on_which_one_is_marked() -> None:
    columns = statistic("site_values:of=ratio").columns  # type: ignore[attr-defined]
    rows = (("a", "0.5", "0.25", "1.0"), ("b", "2.0", "1.0", "4.0"))
    table = Table(columns, rows)
    found = caterpillar("site_values:of=ratio", table, {})
    assert found is not None
    assert found.reference == 0
    first, last = found.rows
    assert first.middle == pytest.approx(-(last.middle or 0))
    assert first.weight == last.weight == 1
    assert ("1") in [text for _, text in found.x.names]


def test_a_table_in_which_nobody_is_shown_is_no_plot() -> None:
    none = Table(COLUMNS, (("a", WITHHELD, WITHHELD, WITHHELD),), withheld="not shown")
    assert caterpillar("site_values", none, {}) is None
    assert caterpillar("auroc_sites", MEAN, {}) is None
    other = Table(("site", "else"), (("a", "0.5"),))
    assert caterpillar("site_values", other, {}) is None


def elements(found: Caterpillar, kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(standing_alone(found))
    return [one for one in root.iter() if one.get("class") == kind]


def test_the_drawing_has_a_square_for_each_number_a_diamond_and_a_bar() -> None:
    found = plot(auroc_sites=MEAN)
    assert len(elements(found, "mark track-0")) == len(elements(found, "line track-0")) == 3
    assert len(elements(found, "mark track-1")) == len(elements(found, "mark track-2")) == 1
    root = ElementTree.fromstring(standing_alone(found))
    texts = [one.text for one in root.iter(f"{SPACE}text")]
    assert texts.count("west") == texts.count(WITHHELD) == 1
    assert "<b>" in texts
    assert "Mean" in texts


def test_numbers_that_are_all_the_same_are_drawn_as_well() -> None:
    one = Table(COLUMNS, (("a", "0.50", "0.50", "0.50"),))
    found = caterpillar("site_values", one, {})
    assert found is not None
    assert len(elements(found, "mark track-0")) == 1


def test_the_longest_names_are_cut_and_widen_the_drawing() -> None:
    long = tuple((f"{name} {'x' * 40}", *cells) for name, *cells in ROWS)
    found = caterpillar("site_values", replace(VALUES, rows=long), {})
    assert found is not None
    names = [one.text or "" for one in elements(found, "named")]
    assert all(len(name) == 24 and name.endswith("…") for name in names)


def test_the_report_shows_the_plot_and_the_table() -> None:
    page = with_tables(site_values=VALUES, auroc_sites=MEAN)
    [chart] = page.charts
    assert isinstance(chart, Caterpillar)
    assert chart.title == (
        "AUROC of each hospital, 95% CI, with the mean over all and the prediction interval "
        "(95% CI)"
    )
    [sheet] = [one for one in page.sheets if one.name == "site_values"]
    assert sheet.rows[0] == ("north", "0.80 (0.75 to 0.85)")
    assert sheet.rows[2] == ("west", WITHHELD)
    text = html_of(Page("", "", (Section("curves", "", (chart,)),)))
    assert "&lt;b&gt;" in text
    assert "<b>" not in text


def test_groups_have_a_plot_in_their_order_with_all_samples_below() -> None:
    values = {
        "auroc_ci": Interval("0.80", "0.75", "0.85"),
        "auroc_ci@f": Interval("0.82", "0.70", "0.90"),
        "auroc_ci@m": Interval("0.78", "0.71", "0.84"),
        "auroc_ci@x": Interval(undefined="a class is missing"),
        "auroc_groups@m@f": Interval("-0.04", "-0.1", "0.02", z="-1.0"),
        "average_precision@f": Scalar("0.5"),
    }
    [found] = plots_of_groups(values)
    assert [row.name for row in found.rows] == ["f", "m"]
    assert found.mean is not None
    assert found.mean.told == "0.80 (0.75 to 0.85)"
    assert found.title == "AUROC by group, 95% CI"
    assert len(elements(found, "mark track-1")) == 1
    assert plots_of_groups({"auroc_ci@f": values["auroc_ci@f"]}) == []


def test_models_have_a_plot_and_other_tables_none() -> None:
    table = Table(("model", "auroc", "lower", "upper"), (("score", "0.8", "0.7", "0.9"),))
    found = plot_of_models("auroc_models", table)
    assert found is not None
    assert found.rows[0].told == "0.8 (0.7 to 0.9)"
    assert plot_of_models("site_values", VALUES) is None
    assert [type(one) for one in with_tables(auroc_models=table).charts] == [Caterpillar]
