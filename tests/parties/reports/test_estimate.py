"""Results in Python: exact decimals, frames where pandas is installed, a notebook's view."""

from __future__ import annotations

import sys
from decimal import Decimal
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.estimate import COLUMNS, Estimate
from ppaurora.parties.reports.result import combine
from ppaurora.protocols.release.values import Decision, Interval, Scalar, Table
from tests.parties.reports.documents import PR
from tests.parties.reports.test_result import P0, P1, STUDY


@pytest.fixture(name="pandas")
def _pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of pandas a module that keeps what it is given."""
    module = ModuleType("pandas")
    module.DataFrame = lambda rows, columns: SimpleNamespace(rows=rows, columns=columns)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", module)


def test_a_number_is_an_exact_decimal_with_all_its_decimals() -> None:
    one = Estimate("auroc", Scalar("0.8250"))
    assert one.value == Decimal("0.825")
    assert str(one.value) == str(one) == "0.8250"
    assert (one.interval, one.rejected, one.rows, one.undefined) == (None, None, (), "")


def test_each_kind_has_what_it_has() -> None:
    interval = Estimate("auroc_ci", Interval("0.81", "0.74", "0.88"))
    assert interval.note == ""
    assert Estimate("auroc_ci", Interval("1", "1", "1", note="no width")).note == "no width"
    assert interval.value == Decimal("0.81")
    assert interval.interval == (Decimal("0.74"), Decimal("0.88"))
    assert Estimate("test", Decision(rejected=False)).rejected is False
    assert Estimate("pr", PR).rows[2] == {"recall": Decimal("0.0"), "precision": None}


@pytest.mark.parametrize("kind", [Scalar, Interval, Decision, Table])
def test_what_is_undefined_has_no_number_and_says_why(kind: Any) -> None:
    one = Estimate("x", kind(undefined="a class is missing"))
    assert (one.value, one.interval, one.rejected, one.rows) == (None, None, None, ())
    assert one.undefined == "a class is missing"


def test_a_result_is_asked_by_the_text_of_the_statistic() -> None:
    result = combine(STUDY, P0, P1)
    assert result["auroc"].value == Decimal("0.8250")
    with pytest.raises(KeyError, match="this result has auroc"):
        result["aupr"]


@pytest.mark.usefixtures("pandas")
def test_frames_hold_decimals_under_the_names_of_columns() -> None:
    result = combine(STUDY, P0, P1)
    assert result.to_frame().rows == [
        dict(zip(COLUMNS, ("auroc", Decimal("0.8250"), None, None, None, None, None), strict=True))
    ]
    table = Estimate("pr", PR).to_frame()
    assert table.columns == ["recall", "precision"]
    assert table.rows[0] == {"recall": Decimal("1.0"), "precision": Decimal("0.3")}
    assert Estimate("a", Scalar("0.5")).to_frame().rows[0]["value"] == Decimal("0.5")


def test_without_pandas_a_frame_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigurationError, match="pandas is not installed here"):
        Estimate("pr", PR).to_frame()


def test_a_notebook_shows_warnings_and_numbers() -> None:
    shown = combine(STUDY, P0, P1)._repr_html_()
    assert "0.8250" in shown
    assert "<h2" in shown
    assert "<script" not in shown
