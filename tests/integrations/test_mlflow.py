"""A model from MLflow's store, and the released numbers in a run of MLflow."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tests.docs.tree import HOME

pytestmark = pytest.mark.integrations
PYTHON = HOME / "build" / "integrations" / "mlflow" / "bin" / "python"
READ = """
import mlflow, sys
[run] = mlflow.search_runs(output_format="list", search_all_experiments=True)
print(sorted(run.data.metrics.items()))
"""


def test_the_released_numbers_stand_in_a_run(tmp_path: Path) -> None:
    recipe = HOME / "examples" / "recipes" / "pipeline.py"
    done = subprocess.run(
        [str(PYTHON), str(recipe), "--mlflow"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kept = subprocess.run(
        [str(PYTHON), "-c", READ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    told = dict(ast.literal_eval(kept.stdout.splitlines()[-1]))
    assert told == dict(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert 0.5 < told["auroc_lower"] < told["auroc"] < told["auroc_upper"] < 1
