"""A prediction and its outcome in a FHIR bulk export, at three hospitals made up here.

A bulk export has one file for each kind of resource, a resource a line. The score is the
probability that a RiskAssessment states; the label is 1 if a Condition of the outcome began within
so many days after it. Of several assessments of a patient the first counts.
"""

from __future__ import annotations

import datetime
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ppaurora import Labelled, Options, simulate

OUTCOME = ("http://snomed.info/sct", "22298006")
"""The system and the code of the outcome: myocardial infarction."""


def resources(file: Path) -> Iterator[dict[str, Any]]:
    """The resources of one file of an export, a line each."""
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def day(text: str) -> datetime.date:
    """The day of a FHIR date or dateTime that is exact to the day."""
    return datetime.date.fromisoformat(text[:10])


def labelled(export: Path, days: int = 365) -> Labelled:
    """The list of an export: the probability that was stated, and whether the outcome came."""
    onsets: dict[str, list[datetime.date]] = {}
    for one in resources(export / "Condition.ndjson"):
        codes = {(code.get("system"), code.get("code")) for code in one["code"]["coding"]}
        if OUTCOME in codes and "onsetDateTime" in one:
            onsets.setdefault(one["subject"]["reference"], []).append(day(one["onsetDateTime"]))
    first: dict[str, tuple[datetime.date, float]] = {}
    for one in resources(export / "RiskAssessment.ndjson"):
        if one["status"] != "final":
            continue
        patient, at = one["subject"]["reference"], day(one["occurrenceDateTime"])
        # a decimal of FHIR is read as the double next to it, as from any text
        probability = float(one["prediction"][0]["probabilityDecimal"])
        first[patient] = min(first.get(patient, (at, probability)), (at, probability))
    last = datetime.timedelta(days)
    scores, labels = [], []
    for patient, (at, probability) in first.items():
        scores.append(probability)
        labels.append(int(any(at < onset <= at + last for onset in onsets.get(patient, []))))
    return Labelled(scores, labels)


def hospital(folder: Path, seed: int, patients: int = 120) -> Path:
    """The export of a hospital that is made up."""
    rng = np.random.default_rng(seed)
    export = folder / f"export-{seed}"
    export.mkdir()
    start = datetime.date(2024, 3, 1)
    assessments, conditions = [], []
    for number in range(patients):
        subject = {"reference": f"Patient/{seed}-{number}"}
        risk = round(float(rng.beta(2, 5)), 3)
        assessments.append(
            {
                "resourceType": "RiskAssessment",
                "status": "final" if rng.random() < 0.9 else "entered-in-error",
                "subject": subject,
                "occurrenceDateTime": f"{start}T08:00:00Z",
                "prediction": [{"probabilityDecimal": risk}],
            }
        )
        if rng.random() < risk:
            onset = start + datetime.timedelta(int(rng.integers(-40, 500)))
            code = OUTCOME[1] if rng.random() < 0.8 else "73211009"
            conditions.append(
                {
                    "resourceType": "Condition",
                    "subject": subject,
                    "code": {"coding": [{"system": OUTCOME[0], "code": code}]},
                    "onsetDateTime": str(onset),
                }
            )
    for name, made in (("RiskAssessment", assessments), ("Condition", conditions)):
        lines = "".join(json.dumps(one) + "\n" for one in made)
        (export / f"{name}.ndjson").write_text(lines, encoding="utf-8")
    return export


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as given:
        lists = [labelled(hospital(Path(given), seed)) for seed in range(3)]
    done = simulate(lists, Options(metrics=("auroc_ci",)))
    print(f"{sum(map(len, lists))} patients, AUROC {done.result['auroc_ci']}")
