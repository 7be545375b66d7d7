"""The vantage6 algorithm, run by vantage6's own mock client over three organizations."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from ppaurora.parties.simulation.processes import command, environment
from tests.docs.tree import HOME
from tests.integrations import programs
from tests.integrations.hospitals import COORDINATOR, HOSPITALS, averaged, exact, generated, served

SECONDS = 600
MOCKED = """
import json, os, sys
import exact_auroc
from vantage6.algorithm.tools.mock_client import MockAlgorithmClient

folder, coordinator, *names = sys.argv[1:]
databases = [[{"database": f"{folder}/{name}/scores.csv", "db_type": "csv"}] for name in names]
client = MockAlgorithmClient(datasets=databases, module="exact_auroc")
sent = exact_auroc.partial
sites = iter(names)

def at_its_node(*arguments, **more):
    os.environ["PPAURORA_SITE"] = f"{folder}/{next(sites)}/site.toml"
    answer = sent(*arguments, **more)
    os.environ["PPAURORA_SITE"] = f"{folder}/{coordinator}/site.toml"
    return answer

at_its_node.wrapped_in_data_decorator = True
exact_auroc.partial = at_its_node
task = client.task.create(input_={"method": "central"}, organizations=[0])
print(json.dumps(client.wait_for_results(task["id"])))
"""
"""One process is all nodes here, so each call of `partial` is given its node's site."""


def run_there(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The environment of vantage6, beside the algorithm, calling this project's command."""
    return subprocess.run(
        [str(programs("vantage6") / "python"), "-c", *arguments],
        cwd=HOME / "integrations" / "vantage6",
        env={**environment(), "PPAURORA": shlex.join(command()), **variables},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.integrations
@pytest.mark.zeromq
def test_the_central_task_returns_the_exact_value_beside_the_averaged_one(tmp_path: Path) -> None:
    with served(tmp_path):
        ended = run_there(MOCKED, str(tmp_path), COORDINATOR, *HOSPITALS)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (answer,) = json.loads(ended.stdout.splitlines()[-1])
    assert answer["auroc"] == exact()
    assert answer["samples"] == sum(map(len, generated().values()))
    assert answer["auroc_averaged"] == pytest.approx(float(averaged()), rel=1e-12)


@pytest.mark.integrations
def test_a_site_that_is_missing_ends_the_task_with_the_commands_own_words(tmp_path: Path) -> None:
    call = "import exact_auroc; exact_auroc.ppaurora('outsource', 'list.csv', '--yes')"
    ended = run_there(call, PPAURORA_SITE=str(tmp_path / "site.toml"))
    assert ended.returncode != 0
    assert "ppaurora outsource ended with" in ended.stderr
    assert str(tmp_path / "site.toml") in ended.stderr
