"""A prediction and its outcome in the OMOP common data model, at three hospitals made up here.

`prediction` has what a model said on an index date. The outcome is a condition, or any of its
descendants in the vocabulary, within a year after that date (`omop.sql`). Left out are patients who
had it before, and those who were not observed for the year.
"""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path

import duckdb
import numpy as np

from ppaurora import Options, Query, read, simulate

QUERY = (Path(__file__).parent / "omop.sql").read_text(encoding="utf-8")
TABLES = ("prediction", "condition_occurrence", "concept_ancestor", "observation_period")
OUTCOME, DESCENDANT, OTHER = 312327, 4296653, 201826
"""Acute myocardial infarction, one kind of it, and a condition that is something else."""
INDEX = datetime.date(2024, 3, 1)


def hospital(folder: Path, seed: int, patients: int = 150) -> dict[str, Path]:
    """The four tables of a hospital as Parquet files, by their names."""
    rng = np.random.default_rng(seed)
    conditions, predictions, observed = [], [], []
    for person in range(patients):
        risk = round(float(rng.beta(2, 4)), 3)
        predictions.append((person, INDEX, risk))
        last = INDEX + datetime.timedelta(int(rng.choice([200, 500], p=[0.1, 0.9])))
        observed.append((person, INDEX - datetime.timedelta(900), last))
        if rng.random() < risk:
            days = int(rng.integers(-60, 500))
            concept = int(rng.choice([OUTCOME, DESCENDANT, OTHER], p=[0.4, 0.4, 0.2]))
            conditions.append((person, concept, INDEX + datetime.timedelta(days)))
    made = {
        "prediction": ("person_id INT, index_date DATE, risk DOUBLE", predictions),
        "condition_occurrence": (
            "person_id INT, condition_concept_id INT, condition_start_date DATE",
            conditions,
        ),
        "concept_ancestor": (
            "ancestor_concept_id INT, descendant_concept_id INT",
            [(OUTCOME, OUTCOME), (OUTCOME, DESCENDANT)],
        ),
        "observation_period": (
            "person_id INT, observation_period_start_date DATE, observation_period_end_date DATE",
            observed,
        ),
    }
    files = {}
    with duckdb.connect(":memory:") as database:
        for name, (columns, rows) in made.items():
            database.execute(f"CREATE TABLE {name} ({columns})")
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            files[name] = folder / f"{name}-{seed}.parquet"
            database.table(name).write_parquet(str(files[name]))
    return files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as given:
        hospitals = [hospital(Path(given), seed) for seed in range(3)]
        lists = [read(Query(QUERY, files)) for files in hospitals]
    done = simulate(lists, Options(metrics=("auroc_ci",)))
    print(f"{sum(map(len, lists))} patients, AUROC {done.result['auroc_ci']}")
