"""A new option is one field: the whole program knows it from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.changed_program import ChangedProgram

BEFORE = "    conditions: Conditions = USUAL\n"
FIELD = """    margin: int = option(
        7, "a margin that nothing needs", table="protocol", least=0, most=99
    )
"""
SCHEMA = (
    "import json; from ppaurora.parties.reports.schema import result_schema; "
    "print(json.dumps(result_schema()))"
)


class Extended(ChangedProgram):
    """The program with one more option."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        options = self.tree.home / "protocols" / "options.py"
        source = options.read_text(encoding="utf-8")
        assert source.count(BEFORE) == 1
        options.write_text(source.replace(BEFORE, FIELD + BEFORE), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_throw_away_option_goes_from_the_command_line_to_the_report(tmp_path: Path) -> None:
    extended = Extended(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("score,label\n0.5,1\n0.25,0\n0.75,1\n")
    told, schema, shown, helped = extended.run(
        (
            "simulate", "a.csv", "b.csv", "--metric", "auroc", "--margin", "8",
            "--keep", "kept", "--report", "report.html", "--format", "json",
        ),
        ("-c", SCHEMA),
        ("study", "show", "kept/study.toml"),
        ("simulate", "--help"),
    )  # fmt: skip
    result = json.loads(told)
    assert result["options"]["protocol"]["margin"] == 8
    assert result["ledger"]["public"]["margin"] == 8
    Draft202012Validator(json.loads(schema)).validate(result)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "a margin that nothing needs" in report
    study = (tmp_path / "kept" / "study.toml").read_text(encoding="utf-8")
    [line] = [line for line in study.splitlines() if line.startswith("margin = 8 ")]
    assert line.endswith("# a margin that nothing needs")
    assert "a margin that nothing needs" in " ".join(shown.split())
    (tmp_path / "wrong.toml").write_text(study.replace("margin = 8 ", "margin = 100 "))
    [refused] = extended.run(("study", "check", "wrong.toml"), fails=[0])
    assert "protocol.margin must be a whole number from 0 to 99" in refused
    assert "--margin" in helped
