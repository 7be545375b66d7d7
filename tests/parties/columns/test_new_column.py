"""A new kind of column is one file: the whole program knows it from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.changed_program import ChangedProgram

KIND = '''"""The ward of each sample, for a test."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.option import option


@dataclass(frozen=True, slots=True, kw_only=True)
class Ward(ExtraColumn):
    name: ClassVar[str] = "ward"
    heading: ClassVar[str] = "Wards"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = ""
    missing: ClassVar[tuple[str, str]] = ("must name the wards", "Say --ward COLUMN.")
    unneeded: ClassVar[tuple[str, str]] = ("is named and not needed", "Leave it out.")

    column: str = option("", "the column of wards", table="wards", key="by", flag="ward")

    def keys(self, values: Any, labels: Any, options: Any, shared_key: bytes) -> Words:
        return np.array([["north", "south"].index(text) for text in values], np.uint64)
'''
STATISTIC = '''"""The mean AUROC over wards, for a test."""

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.pipelines.folds import Folds
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.statistics.auroc_folds import AurocFolds


@dataclass(frozen=True, slots=True)
class Wards(Folds):
    name: ClassVar[str] = "wards"
    columns: ClassVar[tuple[str, ...]] = ("ward",)

    @classmethod
    def of(cls, choices):
        return cls(2, SortedList.of(choices))


@dataclass(frozen=True, slots=True)
class AurocWards(AurocFolds):
    name: ClassVar[str] = "auroc_wards"
    title: ClassVar[str] = "mean AUROC over wards"
    pipeline: ClassVar[type[Wards]] = Wards
'''
SCHEMA = (
    "import json; from ppaurora.parties.reports.schema import result_schema; "
    "print(json.dumps(result_schema()))"
)
ROWS = """score,label,{}
0.9,1,north
0.8,0,south
0.7,1,south
0.6,0,north
0.5,1,north
0.4,0,south
0.3,1,south
0.2,0,north
"""
TEXTS = {"a": ROWS.format("ward"), "b": ROWS.format("station")}


class Extended(ChangedProgram):
    """The program with one more kind of column, and a statistic that needs it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for place, text in (
            ("parties/columns/ward.py", KIND),
            ("protocols/statistics/auroc_wards.py", STATISTIC),
        ):
            (self.tree.home / place).write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_throw_away_column_goes_from_the_lists_to_the_report(tmp_path: Path) -> None:
    extended = Extended(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.csv").write_text(text.replace("station", "ward"), encoding="utf-8")
    told, schema, helped = extended.run(
        (
            "simulate", "a.csv", "b.csv", "--metric", "auroc_wards", "--ward", "ward",
            "--keep", "kept", "--report", "report.html", "--format", "json",
        ),
        ("-c", SCHEMA),
        ("simulate", "--help"),
    )  # fmt: skip
    result = json.loads(told)
    # of north 0.9 and 0.5 against 0.6 and 0.2, of south 0.7 and 0.3 against 0.8 and 0.4
    assert result["values"]["auroc_wards"]["value"] == "0.5000"
    assert result["options"]["wards"]["by"] == "ward"
    assert result["ledger"]["public"]["fold_sizes"] == [[4, 4], [4, 4]]
    Draft202012Validator(json.loads(schema)).validate(result)
    assert "--ward" in helped
    assert "Wards" in (tmp_path / "report.html").read_text(encoding="utf-8")
    study = (tmp_path / "kept" / "study.toml").read_text(encoding="utf-8")
    assert '[wards]\nby = "ward" ' in study
    (tmp_path / "b.csv").write_text(TEXTS["b"], encoding="utf-8")
    of_owner = ("outsource", "b.csv", "--site=kept/owner-2.toml", "--check-only")
    for name, wrong in (
        ("unnamed", study.replace('by = "ward"', 'by = ""')),
        ("unneeded", study.replace("auroc_wards", "auroc")),
    ):
        (tmp_path / f"{name}.toml").write_text(wrong, encoding="utf-8")
    without, _, unnamed, unneeded = extended.run(
        of_owner,
        (*of_owner, "--column", "ward=station"),
        ("study", "check", "unnamed.toml"),
        ("study", "check", "unneeded.toml"),
        fails=[0, 2, 3],
    )
    assert 'no column "ward"' in without
    assert "wards.by must name the wards" in unnamed
    assert "wards.by is named and not needed" in unneeded
