"""Results keep the published schema; what differs from it in any way is caught by it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.reports.schema import result_schema
from ppaurora.protocols.release.values import WITHHELD, Decision, Interval, Released, Scalar, Table
from tests.parties.reports.documents import document as complete

SCHEMA = result_schema()
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)


def valid_value(entry: Any) -> bool:
    kinds = {"$defs": SCHEMA["$defs"], **SCHEMA["properties"]["values"]["additionalProperties"]}
    return Draft202012Validator(kinds).is_valid(entry)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "value",
    [
        Scalar("0.8250"),
        Scalar(undefined="a class is missing"),
        Interval("0.81", "0.74", "0.88"),
        Interval("-0.01", "-0.05", "0.03", z="2.209"),
        Interval("1.00", "1.00", "1.00", z="at least 100"),
        Interval("-1.00", "-1.00", "-1.00", z="at most -100"),
        Interval("0.81", "0.74", "0.88", skipped=0),
        Interval(undefined="a class is missing"),
        Decision(rejected=False),
        Decision(undefined="a class has fewer than two samples"),
        Table(("threshold", "ppv"), (("0.5", "0.71"), ("0.9", None)), undefined="nobody"),
        Table(("threshold", "ppv"), (("0.5", WITHHELD),), withheld="fewer than 5 samples"),
        Table(("from", "to"), withheld="fewer than 5 samples in all"),
        Table(("threshold", "ppv"), undefined="there are no samples"),
    ],
)
def test_every_kind_of_value_keeps_it(value: Released) -> None:
    entry = value.to_json()
    assert valid_value(entry)
    assert (entry["undefined"] is None) is not bool(value.undefined)
    assert (entry["withheld"] is None) is not bool(value.withheld)


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "scalar", "value": 0.825, "undefined": None, "withheld": None},
        {"kind": "scalar", "value": "0.825"},
        {"kind": "scalar", "value": "1e-3", "undefined": None, "withheld": None},
        {"kind": "number", "value": "0.825", "undefined": None, "withheld": None},
        {"kind": "scalar", "value": "0.825", "undefined": "", "withheld": None},
        {"kind": "test", "rejected": "yes", "undefined": None, "withheld": None},
        {"kind": "interval", "value": "0.8", "lower": "0.7", "undefined": None, "withheld": None},
        {
            "kind": "interval",
            "value": "0.8",
            "lower": "0.7",
            "upper": "0.9",
            "z": "at least 5",
            "undefined": None,
            "withheld": None,
        },
        {
            "kind": "interval",
            "value": "0.8",
            "lower": "0.7",
            "upper": "0.9",
            "skipped": -1,
            "undefined": None,
            "withheld": None,
        },
        {
            "kind": "table",
            "columns": ["ppv"],
            "rows": [["kept back"]],
            "undefined": None,
            "withheld": None,
        },
        {"kind": "scalar", "value": "withheld", "undefined": None, "withheld": None},
        {"kind": "table", "columns": [], "rows": [], "undefined": None, "withheld": None},
    ],
)
def test_what_is_no_value_breaks_it(entry: Any) -> None:
    assert not valid_value(entry)


@pytest.fixture(name="document")
def _document() -> dict[str, Any]:
    phase = {
        "name": "sort", "seconds": 0.1, "cpu_seconds": 0.1, "hops": 4, "bytes_sent": 9,
        "bytes_received": 9,
    }  # fmt: skip
    return {
        "format": "ppaurora result",
        "version": 4,
        "values": {"auroc": Scalar("0.8250").to_json()},
        "study": {"id": "one", "title": "", "hash": "ab" * 32},
        "options": complete()["options"],
        "session": "ab" * 16,
        "owners": {"ann": 30, "ben": 20},
        "refused": [],
        "missing": ["cleo"],
        "samples": 50,
        "cost": {
            "bytes": 30, "hops": 5, "seconds": 0.1,
            "links": {"P0-P1": {"bytes": 10, "frames": 1, "bulk": True}},
            "phases": {"P0": [phase], "P1": []},
        },
        "ledger": {
            "assumption": "all follow the protocol",
            "deviation": "nothing is claimed against others",
            "public": {},
            "learns": {"P0": [], "P1": [], "helper": [], "receivers": ["auroc"], "owners": [],
                "onlookers": []},
            "summary": "",
            "warnings": [],
        },
        "software": "0.1.0",
        "evidence": complete()["evidence"],
        "fetched": "2026-01-02T03:04:05+00:00",
    }  # fmt: skip


def test_a_whole_document_keeps_it(document: dict[str, Any]) -> None:
    VALIDATOR.validate(document)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("values"),
        lambda d: d.update(version=1),
        lambda d: d.pop("missing"),
        lambda d: d.update(more=1),
        lambda d: d["values"].clear(),
        lambda d: d["owners"].update(cleo=-1),
        lambda d: d["study"].update(hash="AB" * 32),
        lambda d: d["ledger"]["learns"].pop("helper"),
        lambda d: d["cost"]["links"]["P0-P1"].update(keys=1),
    ],
)
def test_a_spoilt_document_breaks_it(
    document: dict[str, Any], spoil: Callable[[dict[str, Any]], object]
) -> None:
    spoilt = copy.deepcopy(document)
    spoil(spoilt)
    assert not VALIDATOR.is_valid(spoilt)
