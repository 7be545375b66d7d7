"""`ppaurora simulate` and its Python function: three real processes, private beside pooled."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppaurora import Options, Scores, simulate
from ppaurora.parties.errors import DataError, LocalServerFailed
from ppaurora.parties.simulation import processes
from ppaurora.parties.simulation.processes import START_SECONDS
from ppaurora.parties.sources.delimited_text import DelimitedText
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.protocols.lists.scale import Scale
from tests.parties.world import World, csv, generated
from tests.until import later

pytestmark = pytest.mark.zeromq


def test_the_function_gives_the_pooled_values() -> None:
    lists = [generated(60, seed=1), generated(1, seed=2), generated(25, seed=3)]
    metrics = ("auroc", "auroc_no_ties", "aupr", "average_precision")
    done = simulate(lists, Options(metrics=metrics, decimals=6, ties="helper"))
    assert done.equal
    assert list(done.pooled) == list(metrics)


def test_what_owners_draw_at_random_is_in_the_pooled_values_as_well() -> None:
    lists = [generated(60, seed=1), EMPTY, generated(40, seed=2)]
    options = Options(metrics=("bootstrap:replicates=20,bins=4",), decimals=6, resolution="bins:16")
    done = simulate(lists, options)
    assert done.equal
    drawn = str(done.pooled["bootstrap:replicates=20,bins=4"])
    assert re.fullmatch(r"auroc 0\.\d{6}, auroc_lower 0\.\d{6}, auroc_upper 0\.\d{6}", drawn)


@pytest.mark.parametrize("given", [{"score": [0.5]}, np.array([0.5]), None])
def test_lists_of_another_type_are_refused_with_what_is_accepted(given: object) -> None:
    with pytest.raises(DataError, match=f"of type {type(given).__name__}") as caught:
        simulate([given])  # type: ignore[list-item]
    assert "the path of a CSV or Parquet file" in caught.value.advice
    assert "Labelled" in caught.value.advice


def test_one_class_only_is_undefined_in_words() -> None:
    table = Labelled(np.array([-3.5, 1e40, 7.0]), np.zeros(3, np.uint8))
    options = Options(metrics=("auroc", "average_precision"), range=("any",), direction="lower")
    done = simulate([table], options)
    assert done.equal
    assert [str(one) for one in done.result.values.values()] == [
        "undefined: a class is missing",
        "undefined: there are no positives",
    ]


def test_a_server_that_dies_on_the_way_ends_the_simulation_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, start = {}, processes.start_server

    def start_one(site: Path, *rest: Any) -> Any:
        started[site.stem] = start(site, *rest)
        return started[site.stem]

    def told(line: str) -> None:
        if line.startswith("owner-2 sends"):
            started["helper"].kill()

    monkeypatch.setattr(processes, "start_server", start_one)
    lists = [generated(60, seed=1), generated(40, seed=2)]
    with pytest.raises(LocalServerFailed, match="helper ended by signal 9") as raised:
        simulate(lists, folder=tmp_path, on_message=told)
    assert "Its last lines:" in str(raised.value)


def test_servers_that_start_slowly_are_waited_for_and_the_study_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine whose virus scanner reads every file: here a server waits to be let in."""
    go, lines = tmp_path / "go", list[str]()
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib, sys, time\n"
        f"while 'server' in sys.orig_argv and not pathlib.Path({str(go)!r}).exists():\n"
        "    time.sleep(.01)\n"
    )
    monkeypatch.setattr("ppaurora.parties.simulation.processes.TELL_SECONDS", 0.1)
    start = processes.start_server

    def start_one(site: Path, *rest: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            if site.stem == "P0":
                patch.setenv("PYTHONPATH", str(tmp_path))
            return start(site, *rest)

    monkeypatch.setattr(processes, "start_server", start_one)

    def told(line: str) -> None:
        lines.append(line)
        if line.startswith("waiting for P0 to start: it lives") and not go.exists():
            later(monkeypatch, 100.0)
            go.touch()

    lists = [generated(60, seed=1), generated(40, seed=2)]
    done = simulate(lists, Options(metrics=("auroc",)), on_message=told)
    assert done.equal
    assert any(line.startswith("waiting for P0") for line in lines)


def test_servers_that_are_not_waited_for_long_enough_are_called_slow_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(START_SECONDS, "0.01")
    with pytest.raises(LocalServerFailed, match=r"P0 was still starting after 0\.01 s") as raised:
        simulate([generated(60, seed=1)], folder=tmp_path)
    assert str(tmp_path / "P0.log") in str(raised.value)
    assert "PPAURORA_START_SECONDS" in raised.value.advice
    # nobody is sent to a log that is gone
    with pytest.raises(LocalServerFailed) as raised:
        simulate([generated(60, seed=1)])
    assert "see /" not in str(raised.value)
    assert "--keep" in raised.value.advice


EMPTY = Labelled(np.empty(0), np.empty(0, np.uint8))


def test_an_empty_list_counts_as_an_empty_list() -> None:
    metrics = ("auroc", "aupr", "average_precision")
    done = simulate(
        [EMPTY, generated(30, seed=1), EMPTY, generated(20, seed=2)], Options(metrics=metrics)
    )
    assert done.equal
    assert done.empty == ("owner-1", "owner-3")
    assert done.result.content["owners"] == {"owner-2": 30, "owner-4": 20}
    assert done.result.content["samples"] == 50


def test_one_list_that_is_not_empty_is_enough() -> None:
    done = simulate([EMPTY, generated(12, seed=1)], Options(metrics=("auroc",)))
    assert done.equal
    assert done.result.content["samples"] == 12


def test_empty_lists_only_are_refused() -> None:
    with pytest.raises(DataError, match="All lists are empty"):
        simulate([EMPTY, EMPTY])


def test_a_fault_of_the_owners_reader_shows_as_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list.csv").write_text(csv(generated(40, seed=1)))
    whole = DelimitedText.read

    def half(self: DelimitedText, scores: Scores, scale: Scale, extra: Sequence[str]) -> Labelled:
        table = whole(self, scores, scale, extra)
        return Labelled(table.scores[::2], table.labels[::2])

    monkeypatch.setattr(DelimitedText, "read", half)
    assert not simulate([tmp_path / "list.csv"], Options(metrics=("auroc",))).equal


def test_faults_name_the_list_or_the_file_and_the_row(tmp_path: Path) -> None:
    faulty = Labelled(np.array([0.5, np.nan]), np.array([1, 0], np.uint8))
    with pytest.raises(DataError, match=r'list 2, column "score": NaN, .* in row 2'):
        simulate([generated(5, seed=1), faulty])
    (tmp_path / "bad.csv").write_text("score,label\n0.5,1\n2.5,0\n")
    with pytest.raises(DataError, match=r'bad.csv, column "score": .* in row 2 \(line 3\)'):
        simulate([tmp_path / "bad.csv"])


def test_only_files_and_arrays_are_simulated() -> None:
    with pytest.raises(DataError, match="of type dict is not understood"):
        simulate([{"score": [0.5]}])  # type: ignore[list-item]
    with pytest.raises(DataError, match="cannot read the query twice"):
        simulate([Query("SELECT 1 AS score, 1 AS label")])  # type: ignore[list-item]


def test_the_command_shows_both_and_keeps_what_it_is_told_to(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        for seed in (1, 2):
            header, *lines = csv(generated(30, seed=seed)).splitlines()
            second = [f"{score}" for score in generated(30, seed=10 + seed).scores]
            rows = [f"{line},{score},0.{seed}\n" for line, score in zip(lines, second, strict=True)]
            assert header == "score,label"
            (tmp_path / f"{seed}.csv").write_text("risk,sick,other,third\n" + "".join(rows))
        arguments = ("simulate", "1.csv", "2.csv", "--score=risk", "--label=sick")
        shown = world.run(*arguments, "--metric=aupr", "--merge=delta", "--delta=3")
        assert shown.returncode == 0, shown.stderr
        assert "AUPR (trapezoids)" in shown.stdout
        assert "yes" in shown.stdout
        against = ("--against=other", "--metric=auroc_difference", "--metric=auroc")
        kept = world.run(*arguments, *against, "--format=json", "--keep=kept")
        assert kept.returncode == 0, kept.stderr
        assert json.loads(kept.stdout)["samples"] == 60
        assert set(json.loads(kept.stdout)["values"]["auroc_difference"]) >= {"value", "z"}
        shown = world.run(*arguments, "--against=other", "--against=third")
        assert shown.returncode == 0, shown.stderr
        assert "All AUROCs equal: chi_square" in shown.stdout
        assert 'against = ["other"]' in (tmp_path / "kept" / "study.toml").read_text()


def test_the_demo_is_quick_and_equal(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        done = world.run("demo", "--format=json")
        assert done.returncode == 0, done.stderr
        of_demo = Options(analysis="validation", resolution="decimals:2")
        assert [*json.loads(done.stdout)["values"]] == list(of_demo.metrics)


def test_the_command_names_empty_lists_and_takes_a_delimiter(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        (tmp_path / "full.csv").write_text(csv(generated(30, seed=1)).replace(",", "|"))
        (tmp_path / "none.csv").write_text("score|label\n")
        shown = world.run("simulate", "full.csv", "none.csv", "--delimiter=|", "--metric=auroc")
        assert shown.returncode == 0, shown.stderr
        assert "owner-2 has an empty list and uploaded nothing" in shown.stdout
        assert "owner-2 has an empty list and uploads nothing" in shown.stderr
        assert "yes" in shown.stdout
