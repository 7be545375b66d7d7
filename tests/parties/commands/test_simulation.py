"""`ppaurora simulate`: lists of several files, and what it says when it is interrupted."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from ppaurora.parties.commands import simulation
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import Interrupted


@pytest.mark.parametrize(
    ("kept", "what", "advice"),
    [
        (None, "Nothing is left of it", "The same command begins anew."),
        ("kept", "What there was is left in", "begins anew, with another --keep."),
    ],
)
def test_an_interruption_says_what_is_left_and_how_to_begin_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str | None, what: str, advice: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "simulate", interrupted)
    with pytest.raises(Interrupted, match="the three servers were stopped") as caught:
        simulation.simulate_command(
            context=None,
            files=[tmp_path / "list.csv"],
            keep=tmp_path / kept if kept else None,
            analysis="validation",
        )
    assert what in caught.value.what
    assert caught.value.advice.endswith(advice)


@pytest.mark.slow
@pytest.mark.zeromq
def test_where_lower_scores_are_positive_a_threshold_is_a_score_of_that_or_lower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of them lies on the threshold; .1 alone is positive, so that 0.25 makes no mistake."""
    lists = [tmp_path / name for name in ("a.csv", "b.csv")]
    lists[0].write_text("score,label\n0.1,1\n0.3,0\n0.5,0\n", encoding="utf-8")
    lists[1].write_text("score,label\n0.6,0\n0.9,0\n", encoding="utf-8")
    report = tmp_path / "report.html"
    with pytest.raises(SystemExit) as left:
        main(
            [
                "simulate", *map(str, lists), "--direction=lower",
                "--metric=confusion:at=0.25/0.5", "--metric=calibration:bins=2", "--least-cell=1",
                f"--report={report}", "--format=json",
            ]
        )  # fmt: skip
    result = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    assert result["values"]["confusion:at=0.25/0.5"]["rows"] == [
        ["0.25", "1", "0", "0", "4", "1.0000", "1.0000"],
        ["0.5", "1", "2", "0", "2", "1.0000", "0.5000"],
    ]
    # mean of 1 - score, and the share of positives
    assert result["values"]["calibration:bins=2"]["rows"] == [
        ["0", "0.5", "0.7000", "0.3333"],
        ["0.5", "1", "0.2500", "0.0000"],
    ]
    told = report.read_text(encoding="utf-8")
    assert "a score of the threshold or lower is called positive" in told
    assert "a score of that or lower being called positive" in told
    caption = "Confusion matrix: the released points; a score of the threshold or lower"
    assert caption in unescape(re.sub("<[^>]*>", "", told))
    # what calibration compares is not the score
    assert "1 - score" in told
    assert "mean score" not in told


@pytest.mark.slow
@pytest.mark.zeromq
def test_with_glob_all_files_of_a_pattern_are_the_list_of_one_owner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, rows in (("a-1", "0.9;1\n0.1;0\n"), ("a-2", "0.4;0\n"), ("b", "0.5;1\n0.5;0\n")):
        (tmp_path / f"{name}.csv").write_text(f"risk;label\n{rows}", encoding="utf-8")
    patterns = [str(tmp_path / one) for one in ("a-*.csv", "b.csv")]
    with pytest.raises(SystemExit) as left:
        main(["simulate", *patterns, "--glob", "--score=risk", "--format=json", "--metric=auroc"])
    result = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    # 5 of 6 pairs are won, one is tied
    assert result["values"]["auroc"]["value"] == "0.9167"
    assert result["ledger"]["public"]["sizes"] == [3, 2]
