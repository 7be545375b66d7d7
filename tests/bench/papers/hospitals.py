"""Records with duplicates in several hospitals, and how folds treat them [Folds, Simulation].

Records of ten covariates x and an outcome y are drawn by Eq. 2 to 5 and lie in hospitals; some are
in a second hospital as well. Three ways to make folds are compared by cross-validation: at random
in each hospital, as duplicates come into different folds then; by the key that owners share, of
which all records of a patient have one fold; and by cutting a covariate at its quantiles, as the
paper does. Everything is a pure function of its arguments; what learns is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.lists.folds import FoldRule

Numbers: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
Learn: TypeAlias = Callable[[Numbers, Whole], Callable[[Numbers], Numbers]]
"""From covariates and outcomes to what scores further covariates."""
Value: TypeAlias = Callable[[Whole, Numbers], float]
"""How good scores are for these outcomes."""

EIGENVALUES = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8)
COEFFICIENTS = (-2.0, 0.4, 0.8, 1.2, 0.4, 1.2, 3.0, 2.0)
RECORDS, DUPLICATES, HOSPITALS, FOLDS = 10_000, 2_000, 5, 5


@dataclass(frozen=True, slots=True)
class Rows:
    """Covariates and outcome of each row, whose record it is, and in which hospital it lies."""

    x: Numbers
    y: Whole
    patient: Whole
    hospital: Whole

    def __len__(self) -> int:
        return len(self.y)


def covariance(generator: np.random.Generator, eigenvalues: Sequence[float]) -> Numbers:
    """Σ of Eq. 3 and 4: nine covariates turned at random, the tenth by itself."""
    normal = generator.normal(size=(9, 9))
    turned, upper = np.linalg.qr(normal)
    turned = turned * np.sign(np.diag(upper))
    whole = np.zeros((10, 10))
    whole[:9, :9] = turned @ np.diag(eigenvalues[:9]) @ turned.T
    whole[9, 9] = eigenvalues[9]
    return whole


def log_odds(x: Numbers, a: Sequence[float]) -> Numbers:
    """Eq. 5."""
    x1, x2, x3, x4, x5, x6, x7, x8, x9 = x.T[:9]
    odds: Numbers = (
        a[0]
        + a[1] * x1
        + a[2] * x2
        + a[3] * x3
        + a[4] * x1 * x2
        + a[5] * x3 * (x4 > 0)
        + a[6] * x5**2 * (x6 > 0)
        + a[7] * x7 * (x8 * x9 > 0)
    )
    return odds


def hospitals(
    generator: np.random.Generator,
    *,
    records: int = RECORDS,
    duplicates: int = DUPLICATES,
    count: int = HOSPITALS,
    eigenvalues: Sequence[float] = EIGENVALUES,
    coefficients: Sequence[float] = COEFFICIENTS,
) -> Rows:
    """Records in hospitals; the duplicates stand behind them, none twice in one hospital."""
    x = generator.multivariate_normal(np.zeros(10), covariance(generator, eigenvalues), records)
    chance = 1 / (1 + np.exp(-log_odds(x, coefficients)))
    y = (generator.random(records) < chance).astype(np.int64)
    places = generator.integers(0, count, records)
    taken = set(zip(range(records), places.tolist(), strict=True))
    added: list[tuple[int, int]] = []
    while len(added) < duplicates:
        drawn = int(generator.integers(records)), int(generator.integers(count))
        if drawn not in taken:
            taken.add(drawn)
            added.append(drawn)
    patient = np.concatenate([np.arange(records), [record for record, _ in added]]).astype(np.int64)
    hospital = np.concatenate([places, [place for _, place in added]]).astype(np.int64)
    return Rows(x[patient], y[patient], patient, hospital)


def without_duplicates(rows: Rows) -> Rows:
    """Every record once."""
    _, first = np.unique(rows.patient, return_index=True)
    return Rows(rows.x[first], rows.y[first], rows.patient[first], rows.hospital[first])


def random_folds(rows: Rows, generator: np.random.Generator, k: int = FOLDS) -> Whole:
    """Every hospital deals its rows into folds of one size."""
    folds = np.zeros(len(rows), np.int64)
    for place in np.unique(rows.hospital):
        own = np.flatnonzero(rows.hospital == place)
        folds[generator.permutation(own)] = np.arange(own.size) % k
    return folds


def keyed_folds(rows: Rows, key: bytes, k: int = FOLDS) -> Whole:
    """The folds that the owners assign by the key that they share."""
    rule = FoldRule(k, "number")
    patients = [str(one) for one in rows.patient.tolist()]
    return rule.assigned(patients, key, column="patient").astype(np.int64)


def covariate_folds(rows: Rows, covariate: int, k: int = FOLDS) -> Whole:
    """Folds of one size along a covariate, from 0; ties at a cut are in the upper fold."""
    along = rows.x[:, covariate]
    cuts = np.quantile(along, np.arange(1, k) / k)
    return np.searchsorted(cuts, along, side="right").astype(np.int64)


def cross_validated(rows: Rows, folds: Whole, learn: Learn, value: Value) -> float:
    """The mean over folds of what is learnt from the others."""
    found = []
    for fold in np.unique(folds):
        held = folds == fold
        score = learn(rows.x[~held], rows.y[~held])
        found.append(value(rows.y[held], score(rows.x[held])))
    return float(np.mean(found))
