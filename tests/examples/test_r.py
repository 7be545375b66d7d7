"""The example in R, where R is installed: its own check compares with the AUROC that R computes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

import pytest

from ppaurora.parties.simulation.processes import command, environment
from tests.docs.tree import HOME
from tests.examples import ALL_EXAMPLES

RSCRIPT = shutil.which("Rscript")


@pytest.mark.zeromq
@pytest.mark.skipif(RSCRIPT is None and not ALL_EXAMPLES, reason="R is not installed")
def test_scores_from_r_keep_every_digit_and_the_result_comes_back() -> None:
    ended = subprocess.run(
        [str(RSCRIPT), str(HOME / "examples" / "from_r.R")],
        env={**os.environ, **environment(), "PPAURORA": shlex.join(command())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    changed = re.search(r"scores that write.csv changed: (\d+) of 300", ended.stdout)
    assert changed is not None
    assert int(changed[1]) > 200
    assert "scores that write_exactly changed: 0 of 300" in ended.stdout
