"""A saved result is read typed or not at all, and what it says can be shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.reports.estimate import Estimate
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.protocols.release.values import Table
from tests.parties.reports.documents import HOSTILE, SHOWN, document, hostile


def test_the_documents_of_these_tests_are_results() -> None:
    Draft202012Validator(result_schema()).validate(document())


def test_what_is_read_is_what_was_written() -> None:
    given = document()
    saved = SavedResult.from_json(json.dumps(given))
    assert {name: value.to_json() for name, value in saved.values.items()} == given["values"]
    assert dict(saved.owners) == given["owners"]
    assert saved.cost is not None
    assert saved.cost.phases["P0"] == (("sort", 0.25, 4),)
    assert saved.option("rule", "keep_days") == "30"


def test_what_a_later_version_adds_is_left_alone() -> None:
    given = document()
    given["more"] = given["options"]["more"] = given["values"]["auroc"]["more"] = {"a": [1]}
    assert SavedResult.from_json(json.dumps(given)).samples == 50


def test_a_computation_whose_cost_depends_on_the_data_has_none() -> None:
    given = document()
    given["cost"] = None
    assert SavedResult.from_json(json.dumps(given)).cost is None


def test_every_text_is_made_printable() -> None:
    saved = SavedResult.from_json(json.dumps(hostile()))
    assert list(saved.owners) == [SHOWN]
    assert HOSTILE not in repr(saved)
    assert saved.title == saved.refused[0] == saved.warnings[0] == SHOWN


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(format="ppaurora study"),
        lambda d: d.update(version=5),
        lambda d: d.pop("owners"),
        lambda d: d["owners"].update(ann=-1),
        lambda d: d["owners"].update(ann=True),
        lambda d: d["owners"].update(ann="30"),
        lambda d: d.update(samples=1 << 63),
        lambda d: d["cost"].update(seconds=-1.0),
        lambda d: d["cost"]["phases"].update(P0=[1]),
        lambda d: d.update(missing="cleo"),
        lambda d: d.update(missing=[1]),
        lambda d: d["values"].update(auroc=1),
        lambda d: d["values"]["auroc"].update(kind="number"),
        lambda d: d["values"]["auroc"].update(value=0.825),
        lambda d: d["values"]["auroc"].update(value="nan"),
        lambda d: d["values"]["auroc"].update(value="1" * 41),
        lambda d: d["values"]["auroc"].update(value=None),
        lambda d: d["values"]["auroc_ci"].update(lower=None),
        lambda d: d["values"]["auroc_above:than=0.7"].update(rejected="yes"),
        lambda d: d["values"]["auroc_above:than=0.7"].update(rejected=None),
        lambda d: d["values"]["pr_curve"].update(rows=[["1"]]),
        lambda d: d["values"]["pr_curve"].update(rows=[[1, 2]]),
        lambda d: d["values"]["pr_curve"].update(rows=None),
        lambda d: d["values"]["pr_curve"].update(rows=[["1", "2"]] * 50_001),
        lambda d: d["values"].update({"a\x01": d["values"]["auroc"], "a\x02": {}}),
        lambda d: d["values"].update(
            {"a\x01": d["values"]["auroc"], "a\x02": d["values"]["auroc"]}
        ),
        lambda d: d["ledger"].pop("learns"),
        lambda d: d["options"]["metrics"].pop("decimals"),
        lambda d: d["values"]["compared"].update(z="huge"),
        lambda d: d["values"]["auroc_folds:empty=skip"].update(skipped=-1),
    ],
)
def test_a_spoilt_document_is_refused(spoil: Callable[[dict[str, Any]], object]) -> None:
    given = document()
    spoil(given)
    with pytest.raises(DocumentRefused):
        SavedResult.from_json(json.dumps(given))


def test_a_table_that_is_undefined_is_read_as_it_was_released() -> None:
    content = document()
    table = Table(("gamma1", "gamma2"), undefined="the rates are separated")
    content["values"] = {"rocglm": table.to_json()}
    assert SavedResult.of(content).values == {"rocglm": table}


def test_a_cell_may_be_the_bound_of_a_number() -> None:
    given = document()
    row = ["at least 100", "less than 0.0001"]
    given["values"]["pr_curve"].update(columns=["z", "p"], rows=[row])
    table = SavedResult.from_json(json.dumps(given)).values["pr_curve"]
    assert isinstance(table, Table)
    assert table.rows == (tuple(row),)
    [told] = Estimate("pr_curve", table).rows
    assert told == {"z": Decimal(100), "p": Decimal("0.0001")}
