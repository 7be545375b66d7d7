"""Six hosts on one machine have the AUROC of the pooled lists, and leave nothing behind."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from sklearn.metrics import roc_auc_score

from tests.docs.tree import HOME

SCRIPT = HOME / "examples" / "six_hosts.sh"


def published() -> list[str]:
    """The ports of a composed server that its host publishes."""
    composed = yaml.safe_load((HOME / "deploy" / "compose" / "compose.yaml").read_text())
    return [port.rpartition(":")[2] for port in composed["services"]["server"]["ports"]]


@pytest.mark.soak
@pytest.mark.zeromq
@pytest.mark.parametrize("forwarded", [(), published()], ids=["hosts", "containers"])
def test_six_hosts_compute_the_pooled_auroc_and_leave_nothing_behind(
    tmp_path: Path, forwarded: list[str]
) -> None:
    program = Path(sys.executable).parent / "ppaurora"
    done = subprocess.run(
        ["bash", SCRIPT, tmp_path / "lists"],
        env={
            **os.environ,
            "PPAURORA": str(program),
            "TMPDIR": str(tmp_path),
            "FORWARDED": " ".join(forwarded),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [
        row
        for name in ("ann", "ben")
        for row in csv.DictReader((tmp_path / "lists" / f"{name}.csv").open())
    ]
    assert len(rows) == 400
    exact = roc_auc_score([row["label"] for row in rows], [float(row["score"]) for row in rows])
    [found] = re.findall(r"auroc_ci: (0\.\d{4}) \(", done.stdout)
    assert found == f"{exact:.4f}"
    assert "signed by all three servers of study six-hosts" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["lists"]
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert "ppaurora-walk" not in left.stdout
