"""The form of a list is the owner's: its words, its missing rows; and it is found by looking."""

from __future__ import annotations

import gzip
import sqlite3
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.simulation.plain_reading import plain_keys, read_plainly
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.form import form_of, options_text
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.labelled import Labelled, joined
from ppaurora.parties.sources.looked import Looked
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import Bins
from ppaurora.protocols.lists.scale import Scale, encode
from ppaurora.protocols.options import Options
from tests.parties.sources.writing import rows, text_file

TRUTH = Columns(positive="True", negative="False")
YES = Columns(positive="yes", negative="no", drop_missing=True)
HOLES = "score,label\n0.5,yes\n,yes\n0.25,\nNA,no\nnan,yes\n0.75,n/a\n1,no\n"
KEPT = [(0.5, 1), (1.0, 0)]


def test_a_list_says_its_own_words_whatever_the_study_calls_the_classes(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.5,True\n0.25,False\n")
    wanted = [(0.5, 1), (0.25, 0)]
    for scores in (Scores(), Scores(positive="sick", negative="well")):
        assert rows(read(path, TRUTH, scores)) == wanted
        assert rows(read_plainly(path, scores, TRUTH)) == wanted
        frame = polars.DataFrame({"score": [0.5, 0.25], "label": ["True", "False"]})
        assert rows(read(frame, TRUTH, scores)) == wanted
        assert len(Frame(frame, TRUTH).count(scores, Bins(4))) == 2
    with pytest.raises(DataError, match="such labels here: False, True") as caught:
        read(path)
    assert "--positive WORD --negative WORD" in str(caught.value)
    with pytest.raises(OptionRefused, match="is missing"):
        Columns(positive="True")


def test_rows_without_a_score_or_a_label_are_left_out_where_the_owner_says_so(
    tmp_path: Path,
) -> None:
    path = text_file(tmp_path, HOLES)
    found = read(path, YES)
    assert rows(found) == KEPT
    assert found.notes == (f"{path}: 5 of 7 rows have no score or no label and are left out.",)
    assert found.kept is not None
    assert found.kept.tolist() == [True] + 5 * [False] + [True]
    assert rows(read_plainly(path, Scores(), YES)) == KEPT
    with pytest.raises(DataError, match="--drop-missing"):
        read(path, Columns(positive="yes", negative="no"))
    with pytest.raises(DataError, match="no number in row 1"):
        read(text_file(tmp_path, "score,label\nabout 1,yes\n,no\n"), YES)


def test_frames_and_databases_leave_out_the_same_rows_where_they_read_and_where_they_count() -> (
    None
):
    values = {"score": [0.5, None, 0.25, 1.0], "label": ["yes", "yes", None, "no"]}
    frame = Frame(polars.DataFrame(values), YES)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE list (score REAL, label TEXT)")
    connection.executemany("INSERT INTO list VALUES (?, ?)", zip(*values.values(), strict=True))
    query = DatabaseQuery(connection, "SELECT score, label FROM list", YES)
    for source in (frame, query):
        assert rows(source.read(Scores())) == KEPT
        counted = source.count(Scores(), Bins(4))
        assert (counted.positives.tolist(), counted.negatives.tolist()) == (
            [0, 0, 1, 0],
            [0, 0, 0, 1],
        )
        assert "2 of 4 rows" in counted.notes[0]


def test_second_scores_and_identifiers_are_of_the_rows_that_are_left(tmp_path: Path) -> None:
    text = "score,new,label,id\n0.5,0.1,yes,a\n0.5,,no,b\n,0.2,no,c\n0.25,0.3,no,d\n"
    path = text_file(tmp_path, text)
    found = read(path, YES, extra=["new"])
    assert (found.scores.tolist(), found.extra["new"].tolist()) == ([0.5, 0.25], [0.1, 0.3])
    twice = joined([found, found])
    assert twice.kept is not None
    assert twice.kept.tolist() == 2 * [True, False, False, True]


UNTIDY: dict[str, tuple[bytes, Columns]] = {
    "truth.csv": (b"id,risk,outcome\nx,0.5,True\ny,0.25,False\n", Columns("risk", "outcome")),
    "comma.csv.gz": (
        gzip.compress(b"score;label\n0,5;JA\n0,25;NEIN\n", mtime=0),
        Columns(decimal_comma=True, positive="JA", negative="NEIN"),
    ),
    "latin.csv": (
        "gr\u00f6\u00dfe;score;y\n\u00fc;0.5;1\n\u00e4;0.25;0\n".encode("latin-1"),
        Columns(label="y", encoding="latin-1"),
    ),
    "wide.csv": (
        "p;label\n50 %;pos\n25 %;neg\n".encode("utf-16"),
        Columns("p", encoding="utf-16", percent=True, positive="pos", negative="neg"),
    ),
    # what DuckDB would refuse: another byte order, lone carriage returns, a name twice
    "high.csv": (
        "\ufeffp;label\n0.5;pos\n0.25;neg\n".encode("utf-16-be"),
        Columns("p", encoding="utf-16", positive="pos", negative="neg"),
    ),
    "returns.csv": (b"risk,label\r0.5,1\r0.25,0\r", Columns("risk")),
    "twice.csv": (b"x,x,risk,label\n1,2,0.5,1\n1,2,0.25,0\n", Columns("risk")),
    "plain.csv": (b"score,label\n0.5,1\n0.25,0.0\n", Columns()),
}


@pytest.mark.parametrize("name", UNTIDY)
def test_the_form_of_an_untidy_list_is_found_by_looking(tmp_path: Path, name: str) -> None:
    content, form = UNTIDY[name]
    if name == "truth.csv":
        form = Columns("risk", "outcome", positive="True", negative="False")
    path = text_file(tmp_path, content, name)
    assert form_of(path, Columns(), Scores()) == form
    assert rows(read(path, form)) == [(0.5, 1), (0.25, 0)]
    assert bool(options_text(form)) == (form != Columns())


def test_what_is_stated_is_not_looked_for_and_what_is_in_doubt_is_left(tmp_path: Path) -> None:
    path = text_file(tmp_path, "risk,prob,label,outcome\n0.5,0.1,2,a\n0.25,0.2,1,b\n")
    assert form_of(path, Columns(), Scores()) == Columns()
    stated = Columns("risk", "outcome", positive="a", negative="b")
    assert form_of(path, stated, Scores()) == stated
    only = text_file(tmp_path, "score,label\n0.5,No\n", "one.csv")
    assert form_of(only, Columns(), Scores()) == Columns(positive="Yes", negative="No")


@pytest.mark.slow
def test_lists_of_different_forms_are_one_simulation(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    drawn = [(rng.random(60).round(2), rng.integers(0, 2, 60)) for _ in range(3)]
    texts = [
        "risk,outcome\n" + "".join(f"{x},{bool(y)}\n" for x, y in zip(*drawn[0], strict=True)),
        "score;label\n"
        + "".join(
            f"{str(x).replace('.', ',')};{'ny'[y]}\n" for x, y in zip(*drawn[1], strict=True)
        ),
        "gr\u00f6\u00dfe;p;y\n"
        + "".join(f"\u00e4;{x};{y}\n" for x, y in zip(*drawn[2], strict=True)),
    ]
    paths = [
        text_file(tmp_path, texts[0], "a.csv"),
        text_file(tmp_path, gzip.compress(texts[1].encode()), "b.csv.gz"),
        text_file(tmp_path, texts[2].encode("latin-1"), "c.csv"),
    ]
    told: list[str] = []
    options = Options(metrics=("auroc", "class_counts"))
    found = simulate(paths, options, on_message=told.append)
    plain = simulate([Labelled(*one) for one in drawn], options)
    assert found.equal
    assert found.result.values == plain.result.values
    assert f"{paths[0]} is read with --score=risk --label=outcome" in told[0]


def test_scores_are_rounded_only_where_the_owner_says_so(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.123456,1\n0.125,0\n0.135,1\n0.5,0\n")
    with pytest.raises(DataError, match="--round"):
        read(path, resolution="decimals:2")
    columns = Columns(round=True)
    found = read(path, columns, resolution="decimals:2")
    # 0.125 is half way, and the double 0.135 lies above the half
    assert found.scores.tolist() == [0.12, 0.12, 0.14, 0.5]
    assert "3 of 4 scores were rounded to a score between 0 and 1 of at most 2" in found.notes[0]
    for resolution in ("decimals:2", "float32", "full"):
        options = Options(resolution=resolution)
        table = read(path, columns, resolution=resolution)
        [plain] = plain_keys(path, Scores(), columns, options)
        assert plain.tolist() == encode(table.scores, table.labels, options.scale).tolist()
    outside = text_file(tmp_path, "score,label\n1.0001,1\n0.5,0\n", "outside.csv")
    with pytest.raises(DataError, match="between 0 and 1 in row 1"):
        read(outside, columns, resolution="decimals:2")


def test_rounding_is_exact_next_to_a_half() -> None:
    rng = np.random.default_rng(1)
    for d in range(7):
        halves = (rng.integers(0, 10**d, 200) + 0.5) / 10**d
        x = np.concatenate([halves, np.nextafter(halves, 0), np.nextafter(halves, 1)])
        exact = [float(Fraction(round(Fraction(one) * 10**d), 10**d)) for one in x.tolist()]
        assert Scale.of(f"decimals:{d}").nearest(x).tolist() == exact


def test_a_list_of_ones_and_zeros_is_found_beside_other_words_of_the_study(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.5,1\n0.25,0\n")
    sick = Scores(positive="sick", negative="well")
    assert form_of(path, Columns(), sick) == Columns(positive="1", negative="0")
    same = Scores(positive="1.0", negative="0.0")
    assert form_of(path, Columns(), same) == Columns()


def test_what_is_no_text_is_told_as_what_it_is(tmp_path: Path) -> None:
    packed = text_file(tmp_path, gzip.compress(b"score,label\n0.5,1\n", mtime=0), "list.csv")
    with pytest.raises(DataError, match=r"compressed \(gzip\)"):
        form_of(packed, Columns(), Scores())


@pytest.mark.parametrize(
    ("scores", "proposed"),
    [
        ("-3,-3", (-3, 0)),
        ("0.5,1", (0, 1)),
        ("7,20.5", (0, 21)),
        ("-7.5,4", (-8, 4)),
        ("1e9,2", ("any",)),
    ],
)
def test_a_range_is_proposed_for_any_scores(
    tmp_path: Path, scores: str, proposed: tuple[float | str, ...]
) -> None:
    one, other = scores.split(",")
    path = text_file(tmp_path, f"score,label\n{one},1\n{other},0\n")
    found = Looked.at(path, Columns(), Scores())
    assert found.range == proposed
    assert len(read(path, resolution=found.resolution, range=found.range)) == 2
