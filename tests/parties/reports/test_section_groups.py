"""Differences between groups stand in one table, and nowhere else."""

from __future__ import annotations

from ppaurora.parties.reports.model import Sheet
from ppaurora.parties.reports.section_groups import COLUMNS, differences, is_difference
from ppaurora.protocols.release.values import Interval, Table

RATES = Table(
    (
        "threshold",
        *("sensitivity_difference", "sensitivity_lower", "sensitivity_upper"),
        *("ppv_difference", "ppv_lower", "ppv_upper"),
    ),
    (
        ("0.2", "0.10", "-0.05", "0.25", None, None, None),
        ("0.5", *["withheld"] * 6),
    ),
    undefined="a group has no sample that the rate is of",
    withheld="fewer than 5 of a class between this cut and another",
)
VALUES = {
    "auroc": Interval("0.80", "0.70", "0.90"),
    "auroc@m": Interval("0.81", "0.70", "0.90"),
    "auroc_groups@m@f": Interval("0.02", "-0.10", "0.14", z="0.327"),
    "auroc_groups@x@f": Interval(undefined="a class has fewer than two samples"),
    "rates_groups:at=0.2/0.5@m@f": RATES,
}


def test_every_difference_is_a_row_with_its_groups() -> None:
    [sheet] = differences(VALUES)
    assert isinstance(sheet, Sheet)
    assert sheet.columns == COLUMNS
    assert sheet.rows == (
        (
            "Difference of AUROCs between groups (95% CI)",
            "m less f",
            "0.02",
            "-0.10 to 0.14",
            "0.327",
            "0.7437",
        ),
        (
            "Difference of AUROCs between groups (95% CI)",
            "x less f",
            "undefined: a class has fewer than two samples",
            *["-"] * 3,
        ),
        ("Sensitivity at 0.2", "m less f", "0.10", "-0.05 to 0.25", "-", "-"),
        ("Positive predictive value at 0.2", "m less f", "undefined", "-", "-", "-"),
        ("Sensitivity at 0.5", "m less f", "withheld", "-", "-", "-"),
        ("Positive predictive value at 0.5", "m less f", "withheld", "-", "-", "-"),
    )


def test_a_result_without_differences_has_no_such_table() -> None:
    assert differences({"auroc": VALUES["auroc"], "auroc@m": VALUES["auroc@m"]}) == []
    assert [name for name in VALUES if is_difference(name)] == list(VALUES)[2:]
