"""The known numbers are those of other programs; what differs from them is not qualified."""

from __future__ import annotations

import json
import subprocess
import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    roc_auc_score,
)

from ppaurora.parties.participant.checkup import Verdict
from ppaurora.parties.simulation import qualification
from ppaurora.parties.simulation.qualification import COUNTED, SORTED, known_lists, operation


def test_the_known_numbers_are_those_of_other_programs() -> None:
    lists = known_lists()
    scores = np.concatenate([one.scores for one in lists])
    labels = np.concatenate([one.labels for one in lists])
    assert len(set(scores)) < len(scores)  # there are ties
    area = roc_auc_score(labels, scores)
    above = scores[labels == 1][:, None] - scores[labels == 0]
    won = (np.sign(above) + 1) / 2
    error = sqrt(won.mean(1).var(ddof=1) / len(won) + won.mean(0).var(ddof=1) / won.shape[1])
    assert {
        "auroc": f"{area:.6f}",
        "auroc_se": f"{error:.6f}",
        "average_precision": f"{average_precision_score(labels, scores):.6f}",
    } == SORTED
    accuracy = accuracy_score(labels, scores >= 0.5)
    assert {
        "auroc": f"{area:.6f}",
        "brier": f"{brier_score_loss(labels, scores):.6f}",
        "accuracy:at=0.5": f"threshold 0.5, accuracy {accuracy:.6f}",
        "observed_expected": f"{labels.sum() / scores.sum():.6f}",
    } == COUNTED


@pytest.mark.slow
@pytest.mark.zeromq
def test_another_number_is_found_and_all_else_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**COUNTED, "brier": "0.181398"}
    monkeypatch.setattr(qualification, "KNOWN", {"decimals:2": wrong})
    found = {one.about: one for one in operation()}
    differing = found.pop("operation, decimals:2")
    assert differing.verdict is Verdict.WRONG
    assert "brier 0.181399" in differing.seen
    assert differing.error is not None
    assert [one.verdict for one in found.values()] == [Verdict.FINE] * 3
    assert (
        "changed after it was fetched"
        in found["operation, decimals:2, a changed result is refused"].seen
    )


@pytest.mark.soak
@pytest.mark.zeromq
def test_a_site_is_qualified_and_its_protocol_can_be_shown(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ppaurora", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("keys", "new", "site.key").returncode == 0
    (tmp_path / "studies").mkdir()
    (tmp_path / "site.toml").write_text('key = "site.key"\nstudies = ["studies/"]\n')
    (tmp_path / "site.toml").chmod(0o600)
    done = run("doctor", "--site", "site.toml", "--qualify", "protocol.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "qualified: protocol.json, signed by " in done.stderr
    again = run("doctor", "--site", "site.toml", "--qualify", "protocol.json")
    assert again.returncode == 2
    shown = run("doctor", "--qualified", "protocol.json")
    assert shown.returncode == 0
    assert shown.stdout.startswith(done.stdout)
    content = json.loads((tmp_path / "protocol.json").read_text())
    assert content["protocol"]["passed"] is True
    assert len(content["protocol"]["checks"]) == 12
