"""A vantage6 algorithm: each node sends its list in shares, and one fetches the exact AUROC.

`partial` runs at every node with data and tells the node's own AUROC; `central` averages these and
fetches the exact value beside them. vantage6 holds older versions of packages than ppAURORA takes,
so both call the command of an environment of its own in the image.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from vantage6.algorithm.client import AlgorithmClient
from vantage6.algorithm.tools.decorators import algorithm_client, data
from vantage6.algorithm.tools.exceptions import AlgorithmExecutionError
from vantage6.algorithm.tools.util import get_env_var, info

SITE = "/mnt/ppaurora/site.toml"
COMMAND = "/opt/ppaurora/bin/ppaurora"
SECONDS = 900


@algorithm_client
def central(
    client: AlgorithmClient, score: str = "score", label: str = "label", wait: int = 600
) -> dict[str, Any]:
    """The exact AUROC over all organizations beside the average of their own.

    This node's site is a receiver of the study; `score` and `label` are columns everywhere.
    """
    organizations = [one["id"] for one in client.organization.list()]
    task = client.task.create(
        input_={"method": "partial", "kwargs": {"score": score, "label": label}},
        organizations=organizations,
        name="outsource",
        description="Sends each organization's list in shares",
    )
    told = client.wait_for_results(task_id=task["id"])
    missing = len(organizations) - sum(one is not None for one in told)
    if missing:
        raise AlgorithmExecutionError(f"{missing} organizations have not sent their lists")
    samples = sum(one["samples"] for one in told)
    averaged = sum(one["auroc"] * one["samples"] for one in told) / samples
    answer = ppaurora("result", "--wait", str(wait), "--no-save", "--format", "json")
    exact = json.loads(answer)["values"]["auroc"]["value"]
    info(f"AUROC: average of the organizations' own {averaged:.6f}, exact {exact}")
    return {"auroc": exact, "auroc_averaged": averaged, "samples": samples}


@data(1)
def partial(table: pd.DataFrame, score: str, label: str) -> dict[str, Any]:
    """The node's own AUROC and number of samples, once its list is sent in shares."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "list.csv")
        # pandas writes as many digits as tell a double from all others
        table[[score, label]].to_csv(path, index=False)
        ppaurora("outsource", str(path), "--score", score, "--label", label, "--yes")
    return {"auroc": own_auroc(table[score], table[label] == 1), "samples": len(table)}


def own_auroc(scores: pd.Series, positive: pd.Series) -> float:
    """Of all pairs of a positive and a negative sample: how many are in order, ties by half."""
    P, N = int(positive.sum()), int((~positive).sum())
    # (the sum of the positives' ranks - P·(P + 1) / 2) / (P·N)
    return float((scores.rank()[positive].sum() - P * (P + 1) / 2) / (P * N))


def ppaurora(command: str, *arguments: str) -> str:
    """The output of the command line; its errors tell no score or label."""
    program = shlex.split(get_env_var("PPAURORA", COMMAND))
    site = get_env_var("PPAURORA_SITE", SITE)
    ended = subprocess.run(
        [*program, command, *arguments, "--site", site],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if ended.returncode:
        raise AlgorithmExecutionError(f"ppaurora {command} ended with {ended.stderr}")
    return ended.stdout
