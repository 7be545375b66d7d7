"""The trend of several releases: every number in its place, gaps that stay gaps, for all eyes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.reports.files import trend_of_texts
from ppaurora.parties.reports.html import html_of
from ppaurora.parties.reports.model import Page, Sheet
from ppaurora.parties.reports.svg import standing_alone
from ppaurora.parties.reports.terminal import page_text
from ppaurora.protocols.release.values import Interval, Released, Scalar, Table
from tests.parties.reports.documents import HOSTILE, document, hostile
from tests.parties.reports.test_html import RUNNING
from tests.parties.reports.test_markup import Reader

PERIODS = ("2026-01", "2026-02", "2026-03", "2026-04")
CONFUSION = ("threshold", "tp", "fp", "fn", "tn", "sensitivity", "specificity")


def made(period: str, values: dict[str, Released], **changes: Any) -> str:
    content = document() | changes
    content["study"] = {**content["study"], "id": f"sepsis-1.{period}"}
    content["options"]["schedule"] = {"every": "month", "first": "2026-01", "releases": 4}
    content["values"] = {name: value.to_json() for name, value in values.items()}
    return json.dumps(content)


def trend(*texts: str, periods: tuple[str, ...] = PERIODS, **more: Any) -> Page:
    return trend_of_texts(
        {Path(f"{at}.json"): one for at, one in enumerate(texts)}, periods, **more
    )


def sheet(page: Page, name: str) -> Sheet:
    return next(one for one in page.sheets if one.name == f"trend-{name}")


def numbers(value: str, low: str, high: str, at: str) -> dict[str, Released]:
    return {
        "auroc_ci": Interval(value, low, high),
        "class_counts": Table(("positives", "negatives", "prevalence"), ((at, "60", "0.4"),)),
        "calibration_in_the_large": Table(("intercept", "intercept_se"), (("-0.10", "0.05"),)),
        "confusion:at=0.1/0.5": Table(
            CONFUSION,
            (
                ("0.1", "9", "8", "7", "6", "0.5625", "0.4286"),
                ("0.5", *["withheld"] * 6),
            ),
            withheld="fewer than 5",
        ),
    }


JANUARY = made("2026-01", numbers("0.80", "0.75", "0.85", "40"))
FEBRUARY = made("2026-02", numbers("0.70", "0.65", "0.76", "44"), missing=["carol"])
APRIL = made("2026-04", numbers("0.75", "0.70", "0.80", "48"))


def test_every_release_has_its_row_and_one_without_a_result_keeps_its_place() -> None:
    page = trend(APRIL, JANUARY, FEBRUARY, without={"2026-03": "1 of 3 owners has not uploaded"})
    assert sheet(page, "auroc_ci").rows == (
        ("2026-01", "0.80", "0.75 to 0.85"),
        ("2026-02", "0.70", "0.65 to 0.76"),
        ("2026-03", "no result", "-"),
        ("2026-04", "0.75", "0.70 to 0.80"),
    )
    chart = next(one for one in page.charts if one.name.startswith("trend-auroc_ci"))
    assert chart.tracks[0].points == ((0.0, 0.80), (1.0, 0.70), (3.0, 0.75))
    assert chart.tracks[0].low == ((0.0, 0.75), (1.0, 0.65), (3.0, 0.70))
    assert chart.tracks[0].high == ((0.0, 0.85), (1.0, 0.76), (3.0, 0.80))
    notes = page_text(page)
    assert "2026-03: no result (1 of 3 owners has not uploaded)" in notes
    assert "2026-02: without carol" in notes


def test_numbers_of_tables_are_series_at_what_is_given_with_limits_by_their_errors() -> None:
    page = trend(JANUARY, FEBRUARY)
    assert sheet(page, "class_counts").columns == (
        "Release", "Positives", "Negatives", "Prevalence",
    )  # fmt: skip
    assert sheet(page, "class_counts").rows[1] == ("2026-02", "44", "60", "0.4")
    # -0.10 ± 1.96·0.05
    assert sheet(page, "calibration_in_the_large").rows[0] == ("2026-01", "-0.10", "-0.20 to 0.00")
    for threshold, sensitivity in (("0.1", "0.5625"), ("0.5", "withheld")):
        at = sheet(page, f"confusion:at=0.1/0.5 at a threshold of {threshold}")
        assert dict(zip(at.columns, at.rows[0], strict=True))["Sensitivity"] == sensitivity
    titles = [one.title for one in page.charts]
    assert "Sensitivity at a threshold of 0.1 by release" in titles
    assert not [one for one in titles if "0.5 by" in one or "ositives" in one]


def test_a_statistic_that_is_undefined_in_a_release_says_so_there() -> None:
    values: dict[str, Released] = {
        "auroc_ci": Interval(undefined="a class is missing"),
        "brier": Scalar("0.2"),
        "confusion:at=0.1": Table(CONFUSION, withheld="fewer than 5"),
    }
    others: dict[str, Released] = {
        "auroc_ci": Interval("0.80", "0.75", "0.85"),
        "brier": Scalar("0.1"),
        "confusion:at=0.1": Table(CONFUSION, (("0.1", "9", "8", "7", "6", "0.5", "0.4"),)),
    }
    page = trend(made("2026-01", values), made("2026-02", others))
    assert sheet(page, "auroc_ci").rows[0][1] == "undefined"
    assert sheet(page, "brier").rows[:2] == (("2026-01", "0.2"), ("2026-02", "0.1"))
    of_threshold = sheet(page, "confusion:at=0.1 at a threshold of 0.1")
    assert of_threshold.rows[0][1:] == ("withheld",) * 6
    assert [one.title for one in page.charts] == ["Brier score by release"]


def test_curves_of_many_points_are_no_series() -> None:
    rows = tuple((str(at), str(at / 20), str(at / 20)) for at in range(20))
    curve: dict[str, Released] = {"roc_curve": Table(("threshold", "fpr", "tpr"), rows)}
    page = trend(*(made(one, {**curve, "auroc": Scalar("0.8")}) for one in PERIODS[:2]))
    assert [one.name for one in page.sheets] == ["trend-auroc", "releases"]


def test_a_figure_can_be_read_aloud_and_names_the_releases_on_its_axis() -> None:
    page = trend(JANUARY, FEBRUARY, APRIL)
    markup = html_of(page)
    assert markup == html_of(trend(JANUARY, FEBRUARY, APRIL))
    read = Reader(markup)
    charts = [dict(given) for tag, given in read.tags if tag == "svg"]
    assert len(charts) == 2 * len(page.charts) > 0, "each in two forms"
    ids = {dict(given).get("id") for _, given in read.tags}
    for one in charts:
        assert one["role"] == "img"
        assert set(str(one["aria-labelledby"]).split()) <= ids
    for chart in page.charts:
        assert "3 of 4 releases have a number" in chart.described
        drawn = standing_alone(chart)
        assert all(f">{one}<" in drawn for one in PERIODS)


def test_of_many_releases_the_axis_names_a_few() -> None:
    periods = tuple(f"{2000 + at}" for at in range(40))
    texts = [made(one, {"auroc": Scalar("0.8")}) for one in periods]
    [chart] = trend(*texts, periods=periods).charts
    named = [one for one in periods if f">{one}<" in standing_alone(chart)]
    assert named == ["2000", "2007", "2014", "2021", "2028", "2035"]


def test_what_is_no_trend_is_refused() -> None:
    for texts, why in (
        ((JANUARY, JANUARY), "not results of different releases"),
        ((JANUARY, FEBRUARY.replace("sepsis-1.", "other.")), "not results of different releases"),
        ((json.dumps(document()), JANUARY), "without a schedule"),
        ((made("2027-01", {}),), "has no release 2027-01"),
    ):
        with pytest.raises(DataError, match=why):
            trend(*texts)


def test_people_who_mean_harm_reach_nothing_and_draw_nothing() -> None:
    texts = []
    for period in PERIODS[:2]:
        content = hostile()
        content["study"]["id"] = f"x.{period}"
        content["options"]["schedule"] = {"every": "month"}
        content["values"]["pile"] = Table((HOSTILE, "n"), (("3", "12"),)).to_json()
        texts.append(json.dumps(content))
    page = trend(*texts, periods=(), verified=False)
    read = Reader(html_of(page))
    assert not RUNNING & {tag for tag, _ in read.tags}
    assert "not verified" in page_text(page)
