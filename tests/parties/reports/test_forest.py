"""Forest plots of reports: classes, improvements, limits by the bootstrap; rates with bars."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ppaurora.parties.reports.curves import Known, drawn, shape_of
from ppaurora.parties.reports.forest import NumberRow, forest, plot_of_table, plots_of_bootstraps
from ppaurora.parties.reports.html import html_of
from ppaurora.parties.reports.model import Caterpillar, Chart
from ppaurora.parties.reports.svg import standing_alone
from ppaurora.protocols.release.values import WITHHELD, Interval, Released, Scalar, Table
from tests.parties.reports.test_page import with_tables

SPACE = "{http://www.w3.org/2000/svg}"
CLASSES = Table(
    ("class", "auroc"),
    (("malignant", "0.91"), ("suspect", "0.42"), ("<b>", None)),
    undefined="a class is missing",
)
IDI = Table(("model", "against", "idi"), (("score", "old", "0.04"), ("score", "older", "-0.01")))
LIMITS = ("auroc", "auroc_lower", "auroc_upper")
PPV = ("threshold", "ppv", "ppv_lower", "ppv_upper")
BOOTSTRAPS: dict[str, Released] = {
    "auroc_ci": Interval("0.82", "0.79", "0.86"),
    "bootstrap": Table(LIMITS, (("0.82", "0.78", "0.85"),)),
    "bootstrap:level=0.9,unit=cluster": Table(LIMITS, (("0.82", "0.70", "0.90"),)),
    "bootstrap:of=average_precision": Table(LIMITS, (("0.5", None, None),), undefined="none"),
    "bootstrap:of=ppv:at=0.5": Table(PPV, (("0.5", "0.4", "0.3", "0.6"),)),
}


def marks(figure: Chart | Caterpillar, kind: str) -> list[ElementTree.Element]:
    tree = ElementTree.fromstring(standing_alone(figure))
    return [one for one in tree.iter(f"{SPACE}path") if kind in one.get("class", "")]


def test_classes_stand_against_chance_with_their_mean_below() -> None:
    values = {"auroc_multiclass:mean=weighted": Scalar("0.70"), "auroc_multiclass": Scalar("0.65")}
    found = plot_of_table("auroc_classes", CLASSES, values)
    assert found is not None
    assert [(row.name, row.told) for row in found.rows] == [
        ("malignant", "0.91"), ("suspect", "0.42"),
    ]  # fmt: skip
    assert found.mean is not None
    assert (found.mean.name, found.mean.told) == ("Macro mean", "0.65")
    assert found.reference == 0.5
    assert found.x.least < 0.42 < 0.91 < found.x.most
    assert found.described == (
        "AUROC: malignant 0.91; suspect 0.42; Macro mean 0.65. Dashed: chance, 0.5."
    )
    # the mean over pairs is none of numbers against the rest
    pairs = {"auroc_multiclass:mean=pairs": Scalar("0.7")}
    alone = plot_of_table("auroc_classes", CLASSES, pairs)
    assert alone is not None
    assert alone.mean is None


def test_a_number_without_limits_is_a_square_and_a_mean_without_them_a_diamond() -> None:
    found = plot_of_table("auroc_classes", CLASSES, {"auroc_multiclass": Scalar("0.65")})
    assert found is not None
    assert len(marks(found, "mark track-0")) == 2
    [diamond] = marks(found, "mark track-1")
    across = [float(pair.split(",")[0]) for pair in diamond.get("d", "")[1:-1].split("L")]
    assert max(across) - min(across) == pytest.approx(14)


def test_improvements_stand_against_none_and_say_over_whom() -> None:
    found = plot_of_table("idi", IDI, {})
    assert found is not None
    assert [row.name for row in found.rows] == ["score over old", "score over older"]
    assert found.reference == 0
    assert "Dashed: no improvement, 0." in found.described


def test_other_tables_and_those_without_a_number_are_no_plot() -> None:
    assert plot_of_table("roc", Table(("fpr", "tpr"), (("0.1", "0.5"),)), {}) is None
    kept = Table(CLASSES.columns, (("a", WITHHELD), ("b", None)), undefined="none", withheld="few")
    assert plot_of_table("auroc_classes", kept, {}) is None


def test_limits_by_the_bootstrap_stand_beside_those_of_other_methods() -> None:
    [found] = plots_of_bootstraps(BOOTSTRAPS)
    assert found.title == "AUROC with percentile limits by the bootstrap"
    assert [(row.name, row.told) for row in found.rows] == [
        ("Drawn samples, 95% CI", "0.82 (0.78 to 0.85)"),
        ("Drawn clusters, 90% CI", "0.82 (0.70 to 0.90)"),
        ("95% CI", "0.82 (0.79 to 0.86)"),
    ]
    assert len(marks(found, "line track-0")) == 3


def test_a_few_rates_have_a_bar_each_and_many_a_band() -> None:
    rows = tuple((f"0.{at:02}", "0.5", "0.4", "0.7") for at in range(10, 23))
    for count, whiskers in ((1, True), (12, True), (13, False)):
        table = Table(PPV, rows[:count])
        shape = shape_of(table)
        assert shape is not None
        chart = drawn("ppv:at=0.5,level=0.9", table, shape, Known())
        assert chart is not None
        assert chart.title == "Positive predictive value, at each threshold, 90% CI"
        assert f"each with a {'bar' if whiskers else 'band'}." in chart.described
        assert len(marks(chart, "whisker")) == count * whiskers
        assert len(marks(chart, "band")) == (not whiskers)


def test_a_bar_ends_at_the_released_limits() -> None:
    table = Table(PPV, (("0.5", "0.5", "0.25", "1.0"), ("0.7", "0.5", WITHHELD, WITHHELD)))
    shape = shape_of(table)
    assert shape is not None
    chart = drawn("bootstrap:of=ppv:at=0.5/0.7", table, shape, Known())
    assert chart is not None
    assert chart.title == "Positive predictive value, bootstrap, at each threshold, 95% CI"
    # a limit that is kept back is no bar, and the other one stays
    [bar] = marks(chart, "whisker")
    top, bottom = 14, 456
    assert f",{bottom - (bottom - top) / 4:.2f}V{top:.2f}" in bar.get("d", "")
    assert len(marks(chart, "mark")) == 2


def test_names_are_texts_and_the_report_shows_plot_and_table() -> None:
    found = forest("x", "t", "AUROC", [NumberRow("<script>", "0.5")])
    assert "<script>" not in standing_alone(found)
    page = with_tables(**BOOTSTRAPS)  # type: ignore[arg-type]
    [plot] = [piece for piece in page.charts if isinstance(piece, Caterpillar)]
    assert plot.title == "AUROC with percentile limits by the bootstrap"
    assert [chart.title for chart in page.charts if isinstance(chart, Chart)] == [
        "Positive predictive value, bootstrap, at each threshold, 95% CI"
    ]
    text = html_of(page)
    assert "Drawn clusters, 90% CI" in text
    assert "<desc" in text
