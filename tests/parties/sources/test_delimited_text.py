"""Delimited texts are read as they stand; every refusal names file, column, row and line."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.sources.text import records
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import CANARY, refused, rows, text_file

HEAD = "score,label\n"
LIST = [(0.5, 1), (0.25, 0)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiters_line_ends_and_byte_order_mark(
    tmp_path: Path, delimiter: str, end: str, mark: str
) -> None:
    text = f"{mark}id,score,label\n1,0.5,1\n2,0.25,0\n".replace(",", delimiter).replace("\n", end)
    assert rows(read(text_file(tmp_path, text))) == LIST


@pytest.mark.parametrize(
    "text",
    [
        "score,label\n0.5,1\n0.25,0",
        "score,label\n0.5,1\n0.25,0\n\n\r\n\n",
        '"score","label"\n"0.5","1"\n"0.25","0"\n',
        "Score , LABEL\n 0.5 ,\t1\n0.25\t, 0 \n",
        'score,note,label\n0.5,"a,b\n""c""\r#",1\n0.25,,0\n',
        "#,score,label\n#1,0.5,1\n#2,0.25,0\n",
        "score,label,\n0.5,1,\n0.25,0,\n",
        "score,label\n+5e-1,1.0\n.25,+0\n",
    ],
)
def test_what_stands_there_is_read(tmp_path: Path, text: str) -> None:
    assert rows(read(text_file(tmp_path, text))) == LIST


def test_rows_that_begin_with_a_hash_count(tmp_path: Path) -> None:
    lines = [f"{'#' if k % 3 else ''}{k},{k / 200},{k % 2}\n" for k in range(200)]
    table = read(text_file(tmp_path, "id,score,label\n" + "".join(lines)))
    assert len(table) == 200


@pytest.mark.parametrize(
    "name", ["score=0.5/label=1/list.csv", "list[1].csv", "a*b.csv", "q?.csv", 'it\'s "{x}".csv']
)
def test_names_of_files_and_folders_mean_nothing(tmp_path: Path, name: str) -> None:
    text_file(tmp_path, HEAD + "0.9,1\n", "list1.csv")
    assert rows(read(text_file(tmp_path, HEAD + "0.5,1\n0.25,0\n", name))) == LIST


def test_a_stated_delimiter_decides_where_the_header_shows_several(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,la;bel\n0.5,1\n0.25,0\n")
    assert rows(read(path, Columns(label="la;bel", delimiter=","), Scores())) == LIST
    path = text_file(tmp_path, "score\tla;bel\n0.5\t1\n0.25\t0\n")
    assert rows(read(path, Columns(label="la;bel", delimiter="tab"), Scores())) == LIST


def test_every_double_is_read_exactly_and_in_order(tmp_path: Path) -> None:
    dice = random.Random(3)
    wanted = [dice.random() * 10.0 ** dice.randint(-300, 0) for _ in range(200_000)]
    wanted += [5e-324, 0.1, float(np.nextafter(0.1, 1)), 1.0, 0.0]
    text = HEAD + "".join(f"{value!r},1\n" for value in wanted)
    assert read(text_file(tmp_path, text)).scores.tolist() == wanted


def test_words_as_labels_where_the_study_names_them(tmp_path: Path) -> None:
    path = text_file(tmp_path, 'score,label\n0.5,sick\n0.25, "well"\n'.replace(" ", ""))
    assert rows(read(path, scores=Scores(positive="sick", negative="well"))) == LIST


def test_a_header_alone_is_an_empty_list(tmp_path: Path) -> None:
    assert len(read(text_file(tmp_path, "score,label"))) == 0


SCORE = r'list.csv, column "score": '
LABEL = r'list.csv, column "label": '


@pytest.mark.parametrize(
    ("text", "told", "advice"),
    [
        (f"{HEAD}0.5,1\n,0\n", SCORE + "no score in row 2 (line 3)", "nothing is filled in"),
        (f"{HEAD}x,1\ny,0\n", SCORE + "a score that is no number in rows 1, 2 (lines 2, 3)", ""),
        (
            HEAD + "x,1\n" * 9,
            "no number in 9 rows, the first 1, 2, 3, 4, 5 (lines 2, 3, 4, 5, 6)",
            "Write each score as a number",
        ),
        (f"{HEAD}{CANARY}!,1\n", SCORE + "a score that is no number in row 1 (line 2)", ""),
        (f"{HEAD}1_0e-1,1\n", SCORE + "a number with underscores in row 1", "Write each score"),
        (f"{HEAD}0x1p-1,1\n", SCORE + "a hexadecimal number in row 1", "Write each score"),
        (f"{HEAD}NaN,1\n", SCORE + "NaN, which is no score, in row 1", "nothing is filled in"),
        (f"{HEAD}-Inf,1\n", SCORE + "an infinite number in row 1", "a score is a finite number"),
        (f"{HEAD}1e999,1\n", SCORE + "a number too large for a double in row 1", "finite"),
        (f"{HEAD}NA,1\n", SCORE + "a word for a missing score in row 1", "Remove these rows"),
        (f'{HEAD}"0,731",1\n', SCORE + "a decimal comma in row 1", "with a decimal point"),
        (f"{HEAD}73 %,1\n", SCORE + "a percentage in row 1", "0.25 for 25 percent"),
        (f"{HEAD}1 000.5,1\n", SCORE + "a mark between thousands in row 1", "without marks"),
        (
            f"{HEAD}0.5,1\n1.5,0\n",
            "between 0 and 1 in row 2 (line 3)",
            "range = [0, 20]",
        ),
        (f"{HEAD}0.5,1\n0.5,\n", LABEL + "no label in row 2 (line 3)", "give them their labels"),
        (
            f"{HEAD}0.5,yes\n0.4,no\n",
            LABEL + "a label that is neither of the study's two classes in rows 1, 2 (lines 2, 3); "
            "such labels here: no, yes",
            'Asked for are "1" and "0". Say what this list writes: --positive WORD --negative WORD',
        ),
        (f"{HEAD}0.2,{CANARY}\n", "neither of the study's two classes in row 1 (line 2). ", ""),
        (
            f"{HEAD}0.5,1\n0.5,1,{CANARY}\n",
            "list.csv: row 2 (line 3) has 3 fields, but the header has 2",
            "quote a field that holds the delimiter",
        ),
        (f"{HEAD}0.5,1\n{CANARY}\n", "list.csv: row 2 (line 3) has 1 field", "remove lines"),
        (
            f"{HEAD}0.5,1\n\n0.4,1\n",
            "list.csv: line 3 (row 2) is empty, but is not at the end",
            "Remove the empty line",
        ),
        (f'{HEAD}0.5,"a\nb"\n\n0.4,1\n', "list.csv: line 4 (row 2) is empty", ""),
        (
            f'{HEAD}0.5,1\n"{CANARY},1\n',
            "a quote is not closed in the record that begins in line 3 (row 2)",
            "write a quote within it twice",
        ),
        (f'{HEAD}0.5,1\n0."7",1\n', "list.csv: a quote in line 3 stands within a field", "twice"),
        (f'{HEAD}0.5,1\n"0.7"x,1\n', "list.csv: a quote in line 3 stands within a field", "twice"),
        ("risk,label\n0.5,1\n", 'list.csv has no column "score"; it has: risk, label', "--score"),
        (f"{CANARY},1\n0.5,0\n", "list.csv has no header: its first line holds numbers", "names"),
        (f"{CANARY}!,x\n0.5,0\n", "list.csv has no header", "score,label"),
        (
            "score,label,score\n0.5,1,0.5\n",
            'names column "score" more than once (columns 1 and 3',
            "Rename all but the one",
        ),
        ("score,label, SCORE \n0.5,1,0.5\n", 'names column "score" more than once', "Rename"),
        ("score\n0.5\n", "the header holds no delimiter (comma, semicolon, tab or |)", "two"),
        (
            "score,label;x\n0.5,1\n",
            "the header holds several delimiters (comma, semicolon)",
            "--delimiter",
        ),
        ("sep=;\nscore;label\n0.5;1\n", "list.csv begins with a line sep=", "Remove that first"),
        ('sc"or"e,label\n0.5,1\n', "a quote in the header in line 1 stands within a name", "twice"),
        ('"score,label\n0.5,1\n', "the header in line 1 does not end", "not closed"),
        ("", "list.csv is empty", "Give the file"),
        ("\ufeff\n", "list.csv is empty", "Give the file"),
        (f"{HEAD}0.5,1\0\n", "list.csv holds a NUL byte in line 2", "CSV in UTF-8"),
        (f"{HEAD}0.5,é\n".encode("latin-1"), "list.csv is no text in UTF-8: line 2", "Latin-1"),
        (HEAD.encode("utf-16"), "list.csv is a text in UTF-16", "CSV in UTF-8"),
        (HEAD.encode("utf-16-le"), "list.csv holds a NUL byte in line 1", "UTF-16"),
        (HEAD.encode("utf-32"), "list.csv is a text in UTF-32", "CSV in UTF-8"),
        (b"\x1f\x8b\x08\0", "list.csv is compressed (gzip)", "ends in .gz"),
        (b"PK\x03\x04\0", "list.csv is a zip archive or a spreadsheet", "Export the list"),
        (b"PAR1\x15\0", "list.csv is a Parquet file", "ends in .parquet"),
    ],
)
def test_every_fault_is_told_with_its_place(
    tmp_path: Path, text: str | bytes, told: str, advice: str
) -> None:
    sentence = refused(text_file(tmp_path, text))
    assert told in sentence
    assert advice in sentence


def test_several_faults_of_a_column_are_told_together(tmp_path: Path) -> None:
    told = refused(text_file(tmp_path, f"{HEAD}nan,1\n,0\n0x1,1\n7,9\n"))
    assert "NaN, which is no score, in row 1 (line 2); no score in row 2 (line 3); a hex" in told
    assert "between 0 and 1 in row 4 (line 5)" in told
    assert "label" not in told.partition("column")[2].partition(". ")[0]


def test_the_line_counts_line_ends_within_quotes(tmp_path: Path) -> None:
    text = 'note,score,label\r\n"a\r\nb\nc\rd",0.5,1\r\n"\n",x,1\r\n'
    assert "in row 2 (line 6)" in refused(text_file(tmp_path, text))


def test_faults_keep_their_places_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "BLOCK_BYTES", 16)
    lines = [f"0.{k},{k % 2}\r\n" for k in range(1, 60)]
    lines[40] = "oops,1\r\n"
    told = refused(text_file(tmp_path, "score,label\r\n" + "".join(lines)))
    assert "no number in row 41 (line 42)" in told
    lines[40] = "\r\n"
    told = refused(text_file(tmp_path, "score,label\r\n" + "".join(lines)))
    assert "line 42 (row 41) is empty" in told
    lines[40:] = ["0.5,1,1\r\n"]
    told = refused(text_file(tmp_path, "score,label\r\n" + "".join(lines)))
    assert "row 41 (line 42) has 3 fields" in told


def test_a_record_without_an_end_takes_no_endless_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "BLOCK_BYTES", 64)
    monkeypatch.setattr(records, "LONGEST_RECORD", 256)
    text = HEAD + '0.5,1\n0.4,"' + "x\n" * 10_000
    assert "a quote is not closed in the record that begins in line 3" in refused(
        text_file(tmp_path, text)
    )


def test_a_score_and_a_label_cannot_be_one_column(tmp_path: Path) -> None:
    path = text_file(tmp_path, HEAD + "1,1\n")
    told = refused(path, columns=Columns("label", "Label"))
    assert 'score and label are both asked for in column "label"' in told


def test_labels_are_shown_only_where_they_are_few_and_no_scores(tmp_path: Path) -> None:
    many = HEAD + "".join(f"0.5,name{k}\n" for k in range(6))
    assert "such labels" not in refused(text_file(tmp_path, many))
    assert "such labels" not in refused(text_file(tmp_path, HEAD + "0.5,0.5\n0.5,yes\n"))
    assert "such labels" not in refused(text_file(tmp_path, HEAD + "0.5,a\x1b[1m\n"))
    assert "such labels" not in refused(text_file(tmp_path, HEAD + "0.5,yes0.73\n"))
    assert "such labels" not in refused(text_file(tmp_path, HEAD + "0.5,73100981\n"))
    assert "such labels here: 2, 7" in refused(text_file(tmp_path, HEAD + "0.5,7\n0.5,2\n"))


def test_both_labels_of_a_study_must_differ(tmp_path: Path) -> None:
    path = text_file(tmp_path, HEAD + "0.5,1\n")
    told = refused(path, Scores(positive="1", negative="1.0"), error=ConfigurationError)
    assert "The positive and the negative label are the same" in told


def test_an_unknown_delimiter_is_refused(tmp_path: Path) -> None:
    columns = Columns(delimiter=":")
    told = refused(text_file(tmp_path, HEAD), columns=columns, error=ConfigurationError)
    assert "Say , or ; or | or tab" in told


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert "There is no file" in refused(tmp_path / "none.csv")
