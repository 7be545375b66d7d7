"""`ppaurora plan` needs nothing but its arguments, and says in words what it cannot plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.commands.main import main

USUAL = ("--auroc=0.8", "--prevalence=0.1")


def planned(*arguments: str) -> int | str | None:
    """The exit code of the command."""
    with pytest.raises(SystemExit) as left:
        main(["plan", *USUAL, *arguments])
    return left.value.code


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_tells_samples_cost_and_disclosure_and_makes_no_file(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned("--width=0.1") == ExitCode.DONE
    told, rest = capsys.readouterr()
    assert "1135 samples (114 positive) of 8 owners, 141 or 142 of each" in told
    for text in (
        "width of its 95% interval",
        "sort shuffled: ",
        "s at 10ms and 1Gbit/s",
        "receivers   learn how many samples of each class there are, exactly",
        "--least-owners 3 --least-samples 1135 --least-list 20",
    ):
        assert text in told
    assert rest == ""
    assert [*empty.iterdir()] == []


def test_samples_and_the_width_that_they_give_lead_to_the_same_plan(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = []
    for asked in ("--width=0.1", "--samples=1135"):
        assert planned(asked, "--format=json") == ExitCode.DONE
        plans.append(json.loads(capsys.readouterr().out))
    assert plans[0] == plans[1]
    assert plans[0]["widths"][0]["width"] <= 0.1
    assert plans[0]["rule"]["least_samples"] == 1135
    assert planned("--samples=1134", "--format=json") == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["widths"][0]["width"] > 0.1


def test_the_network_is_said_with_units(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = []
    for rtt, bandwidth in (("10ms", "1Gbit"), ("10000us", "1000 Mbit"), ("0.01s", "100Mbit")):
        said = (f"--rtt={rtt}", f"--bandwidth={bandwidth}", "--merge=network", "--format=json")
        assert planned("--samples=3000", *said) == ExitCode.DONE
        seconds.append(json.loads(capsys.readouterr().out)["seconds"])
    assert seconds[0] == seconds[1] < seconds[2]


def test_lists_shorter_than_usual_are_noted(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned("--samples=90", "--metric=auroc") == ExitCode.DONE
    told = capsys.readouterr().out
    assert "learn auroc: the released decimals" in told
    assert "A list of fewer than 20 samples tells of few patients." in told
    assert "--least-list 11" in told


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "Say --width 0.1 to learn how many samples it needs, or --samples 2000"),
        (["--width=0.1", "--samples=100"], "Either a width or a number of samples"),
        (["--width=2"], "--width is 2. Say a number between 0 and 1"),
        (["--samples=100", "--level=95"], "--level is 95"),
        (["--samples=4", "--owners=2"], "4 samples would be all of one class"),
        (["--samples=7"], "7 samples would be fewer than the 8 owners"),
        (["--samples=100", "--rtt=10"], '"10" is no number with a unit out of us, ms, s'),
        (["--samples=100", "--rtt=61s"], "A round trip takes 60s at most"),
        (["--samples=100", "--bandwidth=fast"], "Say for example --bandwidth 1Gbit."),
        (["--samples=100", "--bandwidth=0.1Mbit"], "a server sends 1Mbit to 1000Gbit"),
        (["--samples=100", "--analysis=none"], 'analysis names "none"'),
        (["--samples=100", "--owners=1"], "--owners"),
    ],
)
def test_what_cannot_be_planned_is_said_in_words(
    empty: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert planned(*arguments) == ExitCode.USAGE
    told, rest = capsys.readouterr()
    assert why in rest
    assert told == ""
