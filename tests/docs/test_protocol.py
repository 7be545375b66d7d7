"""docs/PROTOCOL.md has the messages, codes, versions and metrics of the code."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

import pytest

from ppaurora.mpc.link.frame import VERSION as FRAMES
from ppaurora.mpc.link.frame import Kind
from ppaurora.parties.requests import messages
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.wire import VERSION as REQUESTS
from ppaurora.parties.study.reading import FORMAT
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.grid.sums import Sum
from ppaurora.protocols.statistics.registry import statistics
from ppaurora.protocols.statistics.thresholds import AtThreshold
from tests.docs.tree import page

PAGE = page("docs/PROTOCOL.md")
NAME = re.compile(r"`(\w+)`")
OTHERS = re.compile(r" \(or `\w+`\)")
OF_SERVERS = {"AskUploads", "ProposeSession", "StartSession", "AskStored", "SealSession"}
OF_OPERATORS = {"RestartStudy"}
TO_SERVERS = {"StoredUploads"}


def rows(header: str) -> dict[str, list[str]]:
    """The cells behind the first one of each row, in the table with this header."""
    table = PAGE.partition(f"\n{header}\n")[2].partition("\n\n")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {first.strip("` "): rest for first, *rest in cells}


def of_pipeline(name: str) -> set[str]:
    return {text for text, one in statistics().items() if one.pipeline.name == name}


def test_the_versions_are_those_of_the_code() -> None:
    assert f"requests {REQUESTS}, frames {FRAMES}, study files {FORMAT}, key lines 2." in PAGE
    assert f"head = msgpack [{REQUESTS}, " in PAGE


@pytest.mark.parametrize(
    ("header", "kinds", "left_out"),
    [
        ("| request | fields | reply |", messages.Request, OF_SERVERS | OF_OPERATORS),
        ("| reply | fields |", messages.Reply, TO_SERVERS),
    ],
)
def test_every_message_is_told_with_its_fields(
    header: str, kinds: object, left_out: set[str]
) -> None:
    told = rows(header)
    known = {one.__name__: one for one in get_args(kinds)}
    assert told.keys() == known.keys() - left_out
    for name, (cell, *_) in told.items():
        plain = re.sub(r" \([^)]*\)", "", cell).replace("none", "")
        found = [one.partition(":")[0] for one in re.split(r"[,;] ", plain) if one]
        assert found == [one.name for one in fields(known[name])], name


def test_every_code_of_a_refusal_is_told() -> None:
    told = rows("| code | why | then |")
    assert {one for cell in told for one in re.findall(r"[a-z-]+", cell)} == {*map(str, Code)}


def test_every_kind_of_frame_is_told() -> None:
    assert f"| 1 | kind | {', '.join(f'{kind.value} {kind.name}' for kind in Kind)} |" in PAGE


def test_every_metric_is_in_the_row_of_its_part() -> None:
    told = {name: OTHERS.sub("", cells[0]) for name, cells in rows("| part | metrics |").items()}
    listed = {name: {*NAME.findall(cell)} for name, cell in told.items()}
    all_aupr = {name for name in statistics() if name.startswith("aupr_")}
    listed["sorted list"] |= all_aupr
    listed["sorted list"] -= {"aupr_binormal"}
    assert "all `aupr_*` but `aupr_binormal`" in told["sorted list"]
    assert listed["sorted list"] == of_pipeline("sorted list")
    assert listed["negatives first"] == of_pipeline("sorted list with negatives first")
    assert listed["models"] == of_pipeline("several models")
    assert listed["classes"] == of_pipeline("several classes")
    assert listed["gains"] == of_pipeline("gains of models")
    assert listed["clusters"] == of_pipeline("clusters")
    assert listed["times"] == of_pipeline("times")
    assert listed["sites"] == of_pipeline("sites")
    assert listed["folds"] == of_pipeline("folds")
    assert listed["counted pairs"] == of_pipeline("counted pairs")
    counted = {name for name, one in statistics().items() if one.cells is not None}
    assert listed["cells"] == of_pipeline("histogram") | counted
    assert {"class_counts", "bootstrap", "histogram_dp"} <= of_pipeline("owners' sums")


def test_every_metric_of_sums_has_its_thresholds_and_sums() -> None:
    told = rows("| metric | thresholds |")
    named = {name for first in told for name in re.findall(r"\w+", OTHERS.sub("", first))}
    at, equal = (
        {name for name in of_pipeline("owners' sums") if issubclass(statistics()[name], kind)}
        for kind in (AtThreshold, EqualParts)
    )
    # a bootstrap reads at those of another metric, or at equal distances
    assert named - {"others"} == at | equal | {"bootstrap"}
    sums = rows("| sum | asked by | of |")
    for which in Sum:
        [asked] = [cells[0] for first, cells in sums.items() if first.startswith(str(which))]
        # those of a mean over folds are those of another metric
        fixed = {name: one.inputs for name, one in statistics().items() if name != "mean_folds"}
        found = {name for name, inputs in fixed.items() if which in inputs}
        assert {*NAME.findall(asked)} == found
