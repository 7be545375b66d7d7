"""`ppaurora outsource` on every source: what it says before it sends, and what it refuses."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import numpy as np
import pytest

from ppaurora.parties.participant.ready import _told
from ppaurora.parties.sources.postgres import Postgres
from tests.parties.sample import study
from tests.parties.world import World

pytestmark = pytest.mark.zeromq


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(tmp_path_factory.mktemp("sources")) as made:
        (made.folder / "risks.csv").write_text("id;risk\n#1;0.5\n#2;0.25\n#3;1\n")
        (made.folder / "outcomes.csv").write_text("id|sick\n#1|1\n#2|0\n#3|1\n")
        (made.folder / "empty.csv").write_text("score,label\n")
        yield made


def checked(world: World, *arguments: str) -> subprocess.CompletedProcess[str]:
    return world.run("outsource", "--check-only", "--site=ann.toml", *arguments)


def told(world: World, code: int, *arguments: str) -> str:
    """The one line on stderr in which the command says why it does not go on."""
    done = checked(world, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    return done.stderr.strip().splitlines()[-1]


def test_the_source_says_its_name_its_leak_and_its_cost(world: World) -> None:
    done = checked(world, "ann.csv")
    assert done.returncode == 0, done.stderr
    assert "reading ann.csv (a delimited text): nothing leaves this machine" in done.stderr
    assert "your list has 40 samples" in done.stderr


def test_a_study_of_counts_is_told_where_they_are_made() -> None:
    counted = study(metrics=("auroc",), resolution="bins:64")
    source = Postgres("postgresql://host/name", "SELECT 1")
    assert _told(source, counted) == (
        "the database counts; nothing leaves it but a number for each bin and label"
    )
    assert _told(source, study()).startswith("two or three columns travel from the database")


def test_a_query_joins_the_files_that_are_named(world: World) -> None:
    query = "SELECT risk AS score, sick AS label FROM r JOIN o USING (id)"
    done = checked(world, "--sql", query, "--table", "r=risks.csv", "--table", "o=outcomes.csv")
    assert done.returncode == 0, done.stderr
    assert "your list has 3 samples" in done.stderr


def test_the_old_form_of_a_query_is_told_the_new_one(world: World) -> None:
    sentence = told(world, 2, "--sql", "SELECT score, label FROM 'ann.csv'")
    assert 'The query reads from "ann.csv", which no --table names' in sentence
    assert '--sql "SELECT score, label FROM ann" --table ann=ann.csv' in sentence


def test_a_query_cannot_write(world: World) -> None:
    before = (world.folder / "ann.csv").read_text()
    for query in (
        "COPY (SELECT 1) TO 'ann.csv'",
        "SELECT 1 AS score, 1 AS label; COPY (SELECT 1) TO 'ann.csv'",
        "WITH x AS (COPY (SELECT 1) TO 'ann.csv' (USE_TMP_FILE false)) SELECT * FROM t",
    ):
        assert "Give one SELECT" in told(world, 2, "--sql", query, "--table", "t=ann.csv")
    assert (world.folder / "ann.csv").read_text() == before


def test_a_file_and_a_query_exclude_each_other(world: World) -> None:
    for arguments in (
        (),
        ("ann.csv", "--sql=SELECT 1"),
        ("ann.csv", "--table=t=ann.csv"),
        ("--table=t=ann.csv",),
        ("ann.csv", "--database=postgresql://host/name"),
        ("--sql=SELECT 1", "--table=t=ann.csv", "--database=postgresql://host/name"),
    ):
        assert "Give either a file, or --sql with its --table" in told(world, 2, *arguments)
    assert "--glob says that the file is a pattern" in told(world, 2, "--sql=SELECT 1", "--glob")
    assert "does not read NAME=FILE" in told(world, 2, "--sql=SELECT 1", "--table=ann.csv")


def test_a_password_on_the_command_line_is_refused_and_not_repeated(world: World) -> None:
    sentence = told(world, 2, "--sql=SELECT 1", "--database=postgresql://ann:geheim@host/name")
    assert (
        "The database's address holds a password. Leave it out; give it in PGPASSWORD" in sentence
    )
    assert "geheim" not in sentence


def test_a_delimiter_can_be_stated(world: World) -> None:
    (world.folder / "two.csv").write_text("score;a,b;label\n0.5;x;1\n0.25;y;0\n")
    sentence = told(world, 3, "two.csv")
    assert "several delimiters (comma, semicolon)" in sentence
    assert "--delimiter" in sentence
    assert checked(world, "two.csv", "--delimiter=;").returncode == 0


def test_what_is_stated_of_texts_holds_for_all_files_of_a_pattern(world: World) -> None:
    for name, row in (("part-1.csv", "50 %;1"), ("part-2.csv", "2,5;0")):
        (world.folder / name).write_text(f"score;label\n{row}\n", encoding="utf-16")
    done = checked(
        world, "part-*.csv", "--glob", "--decimal-comma", "--percent", "--encoding=utf-16"
    )
    assert done.returncode == 0, done.stderr
    assert "your list has 2 samples" in done.stderr


def test_an_empty_list_is_refused_before_it_is_sent(world: World) -> None:
    sentence = told(world, 3, "empty.csv")
    assert "empty.csv holds no rows, and an empty list cannot be uploaded" in sentence
    assert "nothing was sent" in sentence


def test_one_class_only_names_the_file(world: World) -> None:
    (world.folder / "sick.csv").write_text("score,label\n0.5,1\n")
    assert "All labels of this list are of one class (sick.csv)" in told(world, 3, "sick.csv")


def test_scores_that_were_cut_to_15_digits_are_noted(world: World) -> None:
    scores = np.random.default_rng(1).random(50).tolist()
    lines = [f"{score:.15g},{place % 2}\n" for place, score in enumerate(scores)]
    (world.folder / "cut.csv").write_text("score,label\n" + "".join(lines))
    done = checked(world, "cut.csv")
    assert done.returncode == 0, done.stderr
    assert "note: cut.csv: nearly all scores have at most 15 significant digits" in done.stderr
