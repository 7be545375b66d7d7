"""A scikit-learn pipeline, evaluated on the patients of three hospitals made up here.

Each hospital applies the model that all have to its own patients; the scores stay there. With
MLflow the model comes from its registry, and the released numbers go to a run of it:
`python pipeline.py --mlflow` (needs mlflow; it writes to the folder where it runs).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ppaurora import Labelled, Options, Simulation, simulate

Patients = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def hospital(seed: int, patients: int = 150) -> Patients:
    """The patients of a hospital, as it knows them, and who of them fell ill."""
    rng = np.random.default_rng(seed)
    known = rng.normal(size=(patients, 4)) * [1, 10, 0.1, 5]
    odds = known @ [0.8, 0.06, 4.0, 0.1] - 0.7
    return known, (rng.random(patients) < 1 / (1 + np.exp(-odds))).astype(int)


def trained() -> Any:
    """The model, which was made elsewhere."""
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(*hospital(99, 400))


def scored(model: Any, of: Patients) -> Labelled:
    """The list of a hospital: the probability of the positive class, and the truth."""
    known, labels = of
    return Labelled(model.predict_proba(known)[:, 1], labels)


def evaluated(model: Any) -> Simulation:
    """The numbers over all hospitals together."""
    lists = [scored(model, hospital(seed)) for seed in range(3)]
    return simulate(lists, Options(metrics=("auroc_ci", "brier", "observed_expected")))


def with_mlflow() -> dict[str, float]:
    """The same model from MLflow, and the released numbers in a run of it."""
    import mlflow

    with mlflow.start_run(run_name="evaluation across hospitals"):
        stored = mlflow.sklearn.log_model(trained(), name="model")
        done = evaluated(mlflow.sklearn.load_model(stored.model_uri))
        interval = done.result["auroc_ci"]
        numbers = {
            "auroc": float(interval.value),
            "auroc_lower": float(interval.interval[0]),
            "auroc_upper": float(interval.interval[1]),
            "brier": float(str(done.result["brier"])),
        }
        mlflow.log_metrics(numbers)
    return numbers


if __name__ == "__main__":
    if "--mlflow" in sys.argv[1:]:
        print(with_mlflow())
    else:
        done = evaluated(trained())
        print("; ".join(f"{name} {value}" for name, value in done.result.values.items()))
