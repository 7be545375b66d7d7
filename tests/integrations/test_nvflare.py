"""The NVFLARE task, run by NVFLARE's own simulator of a server and three sites."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ppaurora.parties.simulation.processes import environment
from tests.docs.tree import HOME
from tests.integrations import programs
from tests.integrations.hospitals import (
    COORDINATOR,
    HOSPITALS,
    auroc,
    averaged,
    exact,
    generated,
    served,
)

SECONDS = 600
SIMULATED = """
import sys
from pathlib import Path
from exact_auroc import exact_auroc_job
folder, receiver, *names = sys.argv[1:]
job = exact_auroc_job({name: str(Path(folder, name)) for name in names}, receiver)
job.simulator_run(str(Path(receiver).parent / "simulated"))
"""


def simulated(folder: Path) -> subprocess.CompletedProcess[str]:
    """NVFLARE's simulator, run over the hospitals in this folder."""
    variables = environment()
    paths = [str(HOME / "integrations" / "nvflare"), variables["PYTHONPATH"]]
    receiver = str(folder / COORDINATOR / "site.toml")
    return subprocess.run(
        [str(programs("nvflare") / "python"), "-c", SIMULATED, str(folder), receiver, *HOSPITALS],
        cwd=folder,
        env={**variables, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.integrations
@pytest.mark.zeromq
def test_nvflares_server_shows_the_exact_value_once_every_site_has_sent_its_list(
    tmp_path: Path,
) -> None:
    with served(tmp_path):
        (tmp_path / "ben" / "scores.csv").rename(tmp_path / "ben" / "late.csv")
        ended = simulated(tmp_path)
        assert "ben has not sent its list" in ended.stdout
        assert [*tmp_path.rglob("exact_auroc.json")] == []
        (tmp_path / "ben" / "late.csv").rename(tmp_path / "ben" / "scores.csv")
        ended = simulated(tmp_path)
    found = [*tmp_path.rglob("exact_auroc.json")]
    assert len(found) == 1, ended.stdout
    shown = json.loads(found[0].read_text())
    assert shown["auroc"] == exact()
    assert shown["auroc_averaged"] == pytest.approx(float(averaged()), rel=1e-12)
    assert {name: one["samples"] for name, one in shown["sites"].items()} == {
        name: len(table) for name, table in generated().items()
    }
    assert shown["sites"]["ann"]["auroc"] == pytest.approx(float(auroc(generated()["ann"])))
    assert f"exact {exact()}" in ended.stdout
