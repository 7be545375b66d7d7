"""Records with duplicates in several hospitals, their folds, and a model judged fold by fold.

[Folds, "Simulation"]: ten normal covariates, of which the last one is independent, and an outcome
whose log odds are a strongly non-linear function of the other nine (Eq. 2-5). Duplicates are drawn
among the records and added to hospitals that do not have them yet. The paper boosts trees with
XGBoost; scikit-learn's histogram boosting stands for it, with the same depth, iterations, learning
rate and L2 penalty of 1 on leaves. The accuracies of a model's validation folds are computed by
this system (`accuracy:at=0.5`, on a grid).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.lists.folds import FoldRule
from ppaurora.protocols.options import Options

Doubles = NDArray[np.float64]
Whole = NDArray[np.int64]

COVARIATES, HOSPITALS, FOLDS = 10, 5, 5
RECORDS, DUPLICATES = 10_000, 2000
EIGENVALUES = tuple(1 + step / 5 for step in range(COVARIATES))
WEIGHTS = (-2.0, 0.4, 0.8, 1.2, 0.4, 1.2, 3.0, 2.0)
ITERATIONS, DEPTH, RATE, PENALTY = 200, 3, 0.6, 1.0
SMALL_RECORDS, SMALL_DUPLICATES, SMALL_ITERATIONS = 300, 60, 3
"""To try an experiment out, and to compute it again in a test."""
ACCURACY = Options(metrics=("accuracy:at=0.5",), decimals=9, least_cell=1)
ORTHOGONAL_SEED = 0
"""The paper does not print its matrix; with this one 46% are positive (printed: about 47%)."""


@dataclass(frozen=True, slots=True)
class World:
    """The distribution of outcomes and covariates: Σ and a."""

    covariance: Doubles
    weights: Sequence[float]

    @classmethod
    def drawn(
        cls,
        generator: np.random.Generator,
        eigenvalues: Sequence[float] = EIGENVALUES,
        weights: Sequence[float] = WEIGHTS,
    ) -> World:
        """Eq. 3-4, with a random orthogonal matrix."""
        last = COVARIATES - 1
        normal = generator.normal(size=(last, last))
        orthogonal, upper = np.linalg.qr(normal)
        orthogonal *= np.sign(np.diag(upper))
        covariance = np.zeros((COVARIATES, COVARIATES))
        # Σ' = O·diag(λ)·Oᵀ
        covariance[:last, :last] = orthogonal * np.array(eigenvalues[:last]) @ orthogonal.T
        covariance[last, last] = eigenvalues[last]
        return cls(covariance, tuple(weights))

    def records(self, count: int, generator: np.random.Generator) -> tuple[Doubles, Whole]:
        """Covariates and outcomes."""
        x = generator.multivariate_normal(np.zeros(COVARIATES), self.covariance, count)
        y = (generator.random(count) < self.chance(x)).astype(np.int64)
        return x, y

    def chance(self, x: Doubles) -> Doubles:
        """The probability of a positive outcome [Eq. 5]."""
        a, (x1, x2, x3, x4, x5, x6, x7, x8, x9, _) = self.weights, x.T
        odds = a[0] + a[1] * x1 + a[2] * x2 + a[3] * x3 + a[4] * x1 * x2
        odds = odds + a[5] * x3 * (x4 > 0) + a[6] * x5**2 * (x6 > 0) + a[7] * x7 * (x8 * x9 > 0)
        chance: Doubles = 1 / (1 + np.exp(-odds))
        return chance

    def best_accuracy(self, generator: np.random.Generator) -> float:
        """The accuracy of a model that knows the chances [Eq. 6], from 100,000 records."""
        x, _ = self.records(100_000, generator)
        chance = self.chance(x)
        return float(np.maximum(chance, 1 - chance).mean())


@dataclass(frozen=True, slots=True)
class Data:
    """Records of all hospitals; a duplicate has its original's row of covariates and outcome."""

    x: Doubles
    y: Whole
    hospital: Whole
    patient: Whole

    def with_duplicates(self, count: int, generator: np.random.Generator) -> Data:
        """So many more, each in a hospital that does not have the patient yet."""
        known = set(zip(self.patient.tolist(), self.hospital.tolist(), strict=True))
        added: list[tuple[int, int]] = []
        while len(added) < count:
            pair = (int(generator.integers(len(self.y))), int(generator.integers(HOSPITALS)))
            if pair not in known:
                known.add(pair)
                added.append(pair)
        rows = np.concatenate([np.arange(len(self.y)), np.array([one for one, _ in added], int)])
        hospital = np.concatenate([self.hospital, np.array([one for _, one in added], int)])
        return Data(self.x[rows], self.y[rows], hospital, self.patient[rows])

    def folds_at_random(self, generator: np.random.Generator) -> Whole:
        """Each hospital's records dealt out to folds of the same size."""
        folds = np.empty(len(self.y), np.int64)
        for hospital in range(HOSPITALS):
            own = np.flatnonzero(self.hospital == hospital)
            folds[generator.permutation(own)] = np.arange(own.size) % FOLDS
        return folds

    def folds_by_key(self, key: bytes) -> Whole:
        """As owners assign them who share a key: all records of a patient lie in one fold."""
        patients = [str(one) for one in self.patient.tolist()]
        return FoldRule(FOLDS, "number").assigned(patients, key, column="patient").astype(np.int64)

    def folds_by(self, covariate: int) -> Whole:
        """Between quantiles of the pooled covariate, closed below [Folds, errata 1 and 3]."""
        values = self.x[:, covariate]
        thresholds = np.quantile(values, np.arange(1, FOLDS) / FOLDS)
        return np.searchsorted(thresholds, values, side="right").astype(np.int64)


def gathered(world: World, generator: np.random.Generator, records: int = RECORDS) -> Data:
    """Records without duplicates, each in a hospital by chance."""
    x, y = world.records(records, generator)
    return Data(x, y, generator.integers(0, HOSPITALS, records), np.arange(records))


def iterations_of(records: int) -> int:
    """As printed, for as many records as printed."""
    return ITERATIONS if records == RECORDS else SMALL_ITERATIONS


@dataclass(frozen=True, slots=True)
class Judged:
    """A model of all folds but one: probabilities after each iteration asked for."""

    validation: Sequence[Doubles]
    training: Sequence[Doubles]
    rows: NDArray[np.bool_]
    """Of the validation fold."""


def cross_validated(
    data: Data, folds: Whole, *, at: Sequence[int] = (), training: bool = False
) -> list[Judged]:
    """For each fold, what a model says that was made of the others: at the end, if not asked."""
    at = at or (ITERATIONS,)
    boosting = _sklearn("ensemble").HistGradientBoostingClassifier
    found = []
    for fold in range(FOLDS):
        held_out = folds == fold
        model = boosting(
            max_depth=DEPTH,
            max_iter=max(at),
            learning_rate=RATE,
            l2_regularization=PENALTY,
            max_leaf_nodes=None,
            min_samples_leaf=1,
            early_stopping=False,
        )
        with import_module("threadpoolctl").threadpool_limits(1):
            model.fit(data.x[~held_out], data.y[~held_out])
            found.append(
                Judged(
                    _staged(model, data.x[held_out], at),
                    _staged(model, data.x[~held_out], at) if training else (),
                    held_out,
                )
            )
    return found


def _staged(model: Any, x: Doubles, at: Sequence[int]) -> list[Doubles]:
    if len(at) == 1:
        return [model.predict_proba(x)[:, 1]]
    stages = enumerate(model.staged_predict_proba(x), start=1)
    return [chances[:, 1] for iteration, chances in stages if iteration in at]


def accuracy(scores: Doubles, labels: Whole) -> float:
    """The share of records that are called what they are, as a study releases it."""
    [[word]] = SimulatedStudy(ACCURACY, scores, labels).plaintext_words()
    return float(Fraction(word, 10**ACCURACY.decimals))


def mean_accuracy(data: Data, folds: Whole, iterations: int) -> float:
    """The mean of the folds' accuracies after so many iterations, as [Folds] estimates."""
    judged = cross_validated(data, folds, at=(iterations,))
    return float(np.mean([accuracy(one.validation[0], data.y[one.rows]) for one in judged]))


def agrees_in_private(data: Data, folds: Whole, iterations: int) -> bool:
    """Return whether three parties find the same accuracy of the first fold, a list a hospital."""
    [first, *_] = cross_validated(data, folds, at=(iterations,))
    return SimulatedStudy(
        ACCURACY, first.validation[0], data.y[first.rows], owners=HOSPITALS
    ).agrees()


def importance(data: Data, trees: int) -> Doubles:
    """Of each covariate, by the impurity that its splits remove; the sum is 1."""
    model = _sklearn("ensemble").GradientBoostingClassifier(
        max_depth=DEPTH, learning_rate=RATE, n_estimators=trees, random_state=0
    )
    found: Doubles = model.fit(data.x, data.y).feature_importances_
    return found


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ToolAbsent(
            "the experiments of [Folds] need scikit-learn",
            advice="Run: pip install '.[bench]' in your clone of the repository",
        ) from None
