"""The R package: R's own check of it, and a study whose hospitals send their lists from R."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from ppaurora.parties.simulation.processes import command, environment
from tests.docs.tree import HOME
from tests.integrations.hospitals import COORDINATOR, HOSPITALS, averaged, exact, served

SECONDS = 600
STUDY = """
library(ppaurora, lib.loc = "library")
names <- commandArgs(TRUE)
stopifnot(!ppaurora_status(file.path(names[1], "site.toml")))
own <- lapply(names[-1], function(name) {
  frame <- read.csv(file.path(name, "scores.csv"))
  names(frame) <- c("risk", "outcome")
  ppaurora_outsource(frame, file.path(name, "site.toml"), score = "risk", label = "outcome")
})
shown <- ppaurora_report(file.path(names[1], "site.toml"), "report", own)
print(shown[, c("Statistic", "Value")])
"""


def r(*arguments: str, folder: Path) -> str:
    """The output of R, which must succeed."""
    ended = subprocess.run(
        arguments,
        cwd=folder,
        env={
            **os.environ,
            **environment(),
            "PPAURORA": shlex.join(command()),
            "_R_CHECK_FORCE_SUGGESTS_": "false",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.mark.integrations
def test_r_finds_nothing_wrong_in_the_package(tmp_path: Path) -> None:
    r("R", "CMD", "build", str(HOME / "integrations" / "r"), folder=tmp_path)
    told = r(
        "R",
        "CMD",
        "check",
        "--no-manual",
        f"ppaurora_{version('ppaurora')}.tar.gz",
        folder=tmp_path,
    )
    assert re.search(r"^Status: OK$", told, re.M), told


@pytest.mark.integrations
@pytest.mark.zeromq
def test_r_shows_the_exact_value_beside_the_averaged_one(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "study.R").write_text(STUDY)
    package = str(HOME / "integrations" / "r")
    r("R", "CMD", "INSTALL", "--library=library", package, folder=tmp_path)
    with served(tmp_path):
        told = r("Rscript", "study.R", COORDINATOR, *HOSPITALS, folder=tmp_path)
    assert re.search(rf"\bAUROC +{exact()}$", told, re.M), told
    assert re.search(rf"average of own AUROCs +{float(averaged()):.6f}$", told, re.M), told
    assert exact() in (tmp_path / "report" / "report.html").read_text()
