"""The whole computation in a process that has imported it and done nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ppaurora.parties.simulation.processes import environment
from tests.mpc.processes import ROOT


@pytest.mark.parametrize(
    ("metrics", "merge", "samples"),
    [("auroc,auroc_ci", "auto", 300), ("aupr,auroc_no_ties", "network", 30)],
)
def test_the_first_session_generates_and_imports_nothing(
    metrics: str, merge: str, samples: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.protocols.first_session", metrics, merge, str(samples)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = json.loads(done.stdout)
    assert {"gate_name", "_joining"} <= set(told["used"])
    assert told["generated"] == []
    assert told["imported"] == []
