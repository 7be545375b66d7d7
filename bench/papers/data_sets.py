"""The authors' data sets that come inside of Python packages; nothing of them is copied here.

A package is only looked into, never imported, and needs none of what it depends on:

    pip install --no-deps lifelines orange3
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers.laws import Doubles

Rows = Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A file of a package, by the hash of what was computed with."""

    name: str
    distribution: str
    package: str
    place: str
    sha256: str
    delimiter: str
    heads: int = 1
    """Lines above the first row, of which the first one names the columns."""

    def rows(self) -> Rows:
        """Every row by the names of the columns."""
        lines = self._text().splitlines()
        table = "\n".join([lines[0], *lines[self.heads :]])
        return list(csv.DictReader(StringIO(table), delimiter=self.delimiter))

    def _text(self) -> str:
        found = find_spec(self.package)
        for folder in (found.submodule_search_locations or ()) if found else ():
            path = Path(folder, self.place)
            if path.exists():
                data = path.read_bytes()
                if sha256(data).hexdigest() != self.sha256:
                    raise ToolAbsent(
                        f"{path} holds another {self.name} than the one that was recorded",
                        advice="Install the release that docs/PAPERS.md names.",
                    )
                return data.decode()
        raise ToolAbsent(
            f"{self.name} is part of the package {self.distribution}, which is not installed",
            advice=f"Install it with: pip install --no-deps {self.distribution}",
        )


BREAST_CANCER = DataSet(
    "GBSG2",
    "lifelines",
    "lifelines",
    "datasets/gbsg2.csv",
    "695954dbed9eaa619f9854f6c945bdccf5b21b12ea3fb46bd28797b9e8284d49",
    ",",
)
"""686 women of the German Breast Cancer Study Group, as in R's TH.data."""
HEART_DISEASE = DataSet(
    "UCI Heart Disease",
    "orange3",
    "Orange",
    "datasets/heart_disease.tab",
    "954e44e3d93a97682b5466c7ea166e16f376f8dd93deef5855f511734e4d6224",
    "\t",
    heads=3,
)
"""303 patients of Cleveland."""


@dataclass(frozen=True, slots=True)
class SurvivalData:
    """Covariates, days, and 1 where they end with the event."""

    x: Doubles
    days: Doubles
    event: NDArray[np.int64]

    def __getitem__(self, rows: NDArray[np.int64]) -> SurvivalData:
        return SurvivalData(self.x[rows], self.days[rows], self.event[rows])


COVARIATES = ("horTh", "age", "tsize", "tgrade", "pnodes", "progrec", "estrec")
"""Of the printed model, in its order; the first one is the hormonal therapy."""
CODES = {"no": 0.0, "yes": 1.0, "I": 1.0, "II": 2.0, "III": 3.0}


def breast_cancer() -> SurvivalData:
    """All women, with the covariates of the printed model."""
    rows = BREAST_CANCER.rows()
    x = np.array([[_number(row[name]) for name in COVARIATES] for row in rows])
    days = np.array([float(row["time"]) for row in rows])
    return SurvivalData(x, days, np.array([int(row["cens"]) for row in rows]))


def heart_disease() -> tuple[Doubles, NDArray[np.int64]]:
    """Covariates of all patients, words as 0 and 1 for each, and their labels.

    A missing value becomes the median of its column.
    """
    rows = HEART_DISEASE.rows()
    *names, label = rows[0]
    columns = []
    for name in names:
        values = [row[name] for row in rows]
        if all(_is_number(value) for value in values):
            numbers = np.array(
                [float(value) if value not in MISSING else np.nan for value in values]
            )
            columns.append(np.where(np.isnan(numbers), np.nanmedian(numbers), numbers))
        else:
            words = sorted(set(values) - MISSING)
            columns += [np.array([value == word for value in values], float) for word in words]
    return np.stack(columns, axis=1), np.array([int(row[label]) for row in rows])


MISSING = frozenset({"", "?"})


def _is_number(text: str) -> bool:
    return text in MISSING or text.replace(".", "", 1).isdigit()


def _number(text: str) -> float:
    return CODES[text] if text in CODES else float(text)
