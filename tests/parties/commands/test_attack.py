"""`ppaurora attack`: on generated rows, on a file, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.commands.main import main

Out = pytest.CaptureFixture[str]


def told(capsys: Out, *arguments: str) -> str:
    """The text that the command prints to stdout, run to its end."""
    with pytest.raises(SystemExit) as left:
        main(["attack", *arguments])
    assert left.value.code == 0
    return capsys.readouterr().out


def guessed(capsys: Out, *arguments: str) -> dict[int, float]:
    """The share of right guesses by decimals, by counting the candidates that fit."""
    document = json.loads(told(capsys, "guess-labels", *arguments, "--format=json"))
    return {one["decimals"]: one["fitting"] for one in document["guessed"]}


def test_thirty_generated_rows_are_guessed_by_four_decimals(capsys: Out) -> None:
    rates = guessed(capsys, "--trials=400", "--decimals=1/4")
    assert rates[1] < 0.65
    assert rates[4] > 0.97


def test_the_same_seed_tells_the_same(capsys: Out) -> None:
    command = ("--trials=50", "--seed=7")
    assert guessed(capsys, *command) == guessed(capsys, *command)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_rows_of_a_file_are_attacked_as_they_stand(
    tmp_path: Path, capsys: Out, direction: str
) -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 200)
    sign = 1 if direction == "higher" else -1
    rows = "".join(
        f"{sign * (rng.normal() + label):.17g};{'sick' if label else 'well'}\n" for label in labels
    )
    (tmp_path / "own.csv").write_text("risk;state\n" + rows)
    own = (
        str(tmp_path / "own.csv"),
        "--score=risk",
        "--label=state",
        "--positive=sick",
        "--negative=well",
        f"--direction={direction}",
        "--trials=200",
    )
    rates = guessed(capsys, *own, "--decimals=1/8")
    assert rates[8] > 0.97 > 0.75 > rates[1]
    assert guessed(capsys, *own, "--decimals=4", "--samples=25")[4] > 0.9


def test_a_table_says_what_guessing_without_the_number_achieves(capsys: Out) -> None:
    assert "labels guessed, of 30 rows" in told(capsys, "guess-labels", "--trials=20")


def test_the_class_counts_that_fit_a_value_are_listed(capsys: Out) -> None:
    # 0.7788 of 30 samples: 81 of 104 pairs
    assert "2 of 29" in (text := told(capsys, "class-counts", "0.7788", "30"))
    assert "4, 26" in text
    found = json.loads(told(capsys, "class-counts", "0.7788", "30", "--format=json"))
    assert found["positives"] == [4, 26]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("guess-labels", "--decimals=2/x"), "2/3/4"),
        (("guess-labels", "--decimals=16"), "from 1 to 15"),
        (("guess-labels", "--samples=1000000", "--trials=100000"), "very long"),
        (("class-counts", "81%", "30"), "no released AUROC"),
        (("class-counts", "2.5", "30"), "no released AUROC"),
    ],
)
def test_what_is_not_understood_is_refused_with_advice(
    capsys: Out, arguments: tuple[str, ...], says: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["attack", *arguments])
    assert left.value.code not in (0, 1)
    assert says in capsys.readouterr().err


def test_two_results_that_differ_by_one_patient_are_attacked(tmp_path: Path, capsys: Out) -> None:
    command = ("differencing", "--trials=200", "--decimals=1/8", "--format=json")
    found = json.loads(told(capsys, *command))
    few, many = found["told"]
    assert (few["decimals"], many["decimals"]) == (1, 8)
    assert many["certain"] > 0.9 > few["certain"]
    assert many["open"] < few["open"]
    rng = np.random.default_rng(5)
    rows = "".join(f"{rng.normal() + label:.17g},{label}\n" for label in [0, 1] * 20)
    (tmp_path / "own.csv").write_text("score,label\n" + rows)
    own = json.loads(told(capsys, *command, str(tmp_path / "own.csv")))
    assert own["samples"] == 40
    assert "with and without one of 30" in told(capsys, "differencing", "--trials=20")
