"""The recipes run, and their lists are those that plain Python finds in the same tables."""

from __future__ import annotations

import csv
import datetime
import json
import runpy
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora import Labelled, Query, read
from tests.docs.tree import HOME
from tests.parties.world import World

RECIPES = HOME / "examples" / "recipes"
NAMES = ("fhir", "omop", "pipeline", "redcap")
PAGE = (HOME / "docs" / "RECIPES.md").read_text(encoding="utf-8")


def recipe(name: str) -> dict[str, Any]:
    return runpy.run_path(str(RECIPES / f"{name}.py"))


def as_rows(table: Labelled) -> list[tuple[float, int]]:
    return sorted(zip(table.scores.tolist(), table.labels.tolist(), strict=True))


@pytest.mark.zeromq
@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_runs_from_its_folder(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(RECIPES / f"{name}.py"), run_name="__main__")
    assert "0." in capsys.readouterr().out


def test_every_recipe_is_on_the_page_and_its_query_is_the_one_that_runs() -> None:
    for name in NAMES:
        assert f"examples/recipes/{name}.py" in PAGE
    for name in ("omop", "redcap"):
        assert (RECIPES / f"{name}.sql").read_text(encoding="utf-8") in PAGE


@pytest.mark.parametrize("seed", range(3))
def test_omop_has_the_outcomes_within_a_year_of_those_who_were_observed(
    tmp_path: Path, seed: int
) -> None:
    given = recipe("omop")
    files = given["hospital"](tmp_path, seed)

    def rows(name: str) -> list[Any]:
        return duckdb.sql(f"SELECT * FROM '{files[name]}'").fetchall()

    kinds = {under for above, under in rows("concept_ancestor") if above == given["OUTCOME"]}
    year = datetime.timedelta(365)
    expected = []
    for person, index, risk in rows("prediction"):
        onsets = [
            at for who, kind, at in rows("condition_occurrence") if who == person and kind in kinds
        ]
        seen = any(
            first <= index and last >= index + year
            for who, first, last in rows("observation_period")
            if who == person
        )
        if seen and not any(at <= index for at in onsets):
            expected.append((risk, int(any(index < at <= index + year for at in onsets))))
    found = read(Query(given["QUERY"], files))
    assert as_rows(found) == sorted(expected)
    assert 0 < sum(label for _, label in expected) < len(expected) < 150


@pytest.mark.parametrize("seed", range(3))
def test_fhir_has_the_conditions_that_began_after_the_assessment(tmp_path: Path, seed: int) -> None:
    given = recipe("fhir")
    export = given["hospital"](tmp_path, seed)
    lines = {
        name: [json.loads(line) for line in (export / f"{name}.ndjson").open(encoding="utf-8")]
        for name in ("RiskAssessment", "Condition")
    }
    expected = []
    for one in lines["RiskAssessment"]:
        if one["status"] == "final":
            began = [
                (datetime.date.fromisoformat(other["onsetDateTime"]) - datetime.date(2024, 3, 1))
                for other in lines["Condition"]
                if other["subject"] == one["subject"]
                and other["code"]["coding"][0]["code"] == "22298006"
            ]
            ill = any(0 < days.days <= 365 for days in began)
            expected.append((one["prediction"][0]["probabilityDecimal"], int(ill)))
    assert as_rows(given["labelled"](export)) == sorted(expected)
    assert 0 < sum(label for _, label in expected) < len(expected)


def test_fhir_takes_the_first_of_several_assessments(tmp_path: Path) -> None:
    given = recipe("fhir")
    export = tmp_path / "export"
    export.mkdir()
    assessment = {
        "status": "final",
        "subject": {"reference": "Patient/1"},
        "occurrenceDateTime": "2024-05-01",
        "prediction": [{"probabilityDecimal": 0.7}],
    }
    earlier = {
        **assessment,
        "occurrenceDateTime": "2024-02-01T23:00:00+01:00",
        "prediction": [{"probabilityDecimal": 0.2}],
    }
    lines = [json.dumps(one) for one in (assessment, earlier)]
    (export / "RiskAssessment.ndjson").write_text("\n".join(lines), encoding="utf-8")
    (export / "Condition.ndjson").write_text("", encoding="utf-8")
    assert as_rows(given["labelled"](export)) == [(0.2, 0)]


@pytest.mark.parametrize("seed", range(3))
def test_redcap_joins_two_events_of_a_record(tmp_path: Path, seed: int) -> None:
    given = recipe("redcap")
    path = given["hospital"](tmp_path, seed)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first, second = (
        {
            row["record_id"]: row[column]
            for row in rows
            if row["redcap_event_name"] == event and not row["redcap_repeat_instrument"]
        }
        for event, column in (("baseline_arm_1", "risk_score"), ("day_30_arm_1", "readmitted"))
    )
    expected = [
        (float(risk), int(second[record]))
        for record, risk in first.items()
        if risk and second[record] in ("0", "1")
    ]
    found = read(Query(given["QUERY"], {"export": path}))
    assert as_rows(found) == sorted(expected)
    assert len(expected) < 100


@pytest.mark.zeromq
def test_the_pipelines_number_is_that_of_the_pooled_patients() -> None:
    given = recipe("pipeline")
    model = given["trained"]()
    lists = [given["scored"](model, given["hospital"](seed)) for seed in range(3)]
    labels, scores = (
        np.concatenate([getattr(one, name) for one in lists]) for name in ("labels", "scores")
    )
    told = str(given["evaluated"](model).result["auroc_ci"]).split()[0]
    assert float(told) == pytest.approx(roc_auc_score(labels, scores), abs=0.00005)


@pytest.mark.zeromq
def test_an_owner_gives_the_query_on_the_command_line(tmp_path: Path) -> None:
    given = recipe("omop")
    files = given["hospital"](tmp_path, 1)
    tables = [f"--table={name}={path}" for name, path in files.items()]
    with World(tmp_path) as world:
        done = world.run(
            "outsource", "--check-only", "--site=ann.toml", *tables, f"--sql={given['QUERY']}"
        )
    assert done.returncode == 0, done.stderr
    assert f"your list has {len(read(Query(given['QUERY'], files)))} samples" in done.stderr
