"""`ppaurora simulate` and its Python function: three real processes, private beside pooled."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties import Options, Scores, simulate
from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.labelled import Labelled
from tests.parties.world import World, csv, generated

pytestmark = pytest.mark.zeromq


def test_the_function_gives_the_pooled_values() -> None:
    lists = [generated(60, seed=1), generated(1, seed=2), generated(25, seed=3)]
    metrics = ("auroc", "auroc_no_ties", "aupr", "average_precision")
    done = simulate(lists, Options(metrics, decimals=6, ties="helper"))
    assert done.equal
    assert list(done.pooled) == list(metrics)


@pytest.mark.parametrize("given", [{"score": [0.5]}, np.array([0.5]), None])
def test_lists_of_another_type_are_refused_with_what_is_accepted(given: object) -> None:
    with pytest.raises(DataError, match=f"from a {type(given).__name__}") as caught:
        simulate([given])  # type: ignore[list-item]
    assert "Give a file" in caught.value.advice
    assert "Labelled" in caught.value.advice


def test_one_class_only_is_undefined_in_words() -> None:
    table = Labelled(np.array([-3.5, 1e40, 7.0]), np.zeros(3, np.uint8))
    options = Options(("auroc", "average_precision"), code="real")
    done = simulate([table], options, scores=Scores(direction="lower"))
    assert done.equal
    assert [str(one) for one in done.result.values.values()] == [
        "undefined: a class is missing",
        "undefined: there are no positives",
    ]


def test_the_command_shows_both_and_keeps_what_it_is_told_to(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        for seed in (1, 2):
            text = csv(generated(30, seed=seed)).replace("score,label", "risk,sick")
            (tmp_path / f"{seed}.csv").write_text(text)
        arguments = ("simulate", "1.csv", "2.csv", "--score=risk", "--label=sick")
        shown = world.run(*arguments, "--metric=aupr", "--merge=delta", "--delta=3")
        assert shown.returncode == 0, shown.stderr
        assert "aupr" in shown.stdout
        assert "yes" in shown.stdout
        kept = world.run(*arguments, "--format=json", "--keep=kept")
        assert kept.returncode == 0, kept.stderr
        assert json.loads(kept.stdout)["samples"] == 60
        assert (tmp_path / "kept" / "study.toml").exists()


def test_the_demo_is_quick_and_equal(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        done = world.run("demo", "--format=json")
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["values"]) == 3
