"""The reader against Python's own `csv` over generated files: equal, or refused; never different.

A file is written well and then, mostly, damaged. What is written well must be read. `csv` forgives
much, so where it reads a damaged file the reader may refuse it, but must not read it differently.
"""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.sources.text import records
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import rows, text_file

NORMAL_FILES = 60
SOAK_FILES = 2000
QUERIED = 0.15
ENDS = ("\n", "\r\n", "\r")
DELIMITERS = ",;\t|"
NOTES = (
    "", "#", "# no comment", "'", "\\", "\\n", "sep=;", "NULL", "a b", " ", "é", "漢字", "\u2028",
    "\x85", "\x0b", "\ufeff", "~", "%", "=1+1", 'say "so"', '"', '""', "a,b;c\td|e", "two\nlines",
    "two\r\nlines", "two\rlines", "0.9", "1", "x" * 300,
)  # fmt: skip
SCORES = ("0", "1", "0.5", ".25", "1.", "5e-1", "+0.75", "1E-3", " 0.5 ", "0.30000000000000004")
ODD_SCORES = ("1_0e-1", "nan", "inf", "0x1p-1", "0,5", "", "1.5", "5 0", "²", "٣", "1e999", "NA")
SCRAPS = ('"', '""', ",", ";", "\t", "|", "\n", "\r", "\r\n", "\n\n", "#", "\0", "\ufeff", "0", " ")


@dataclass(frozen=True)
class Case:
    """One generated file, its delimiter, and whether it is written well."""

    text: str
    delimiter: str
    well_written: bool


def generated(dice: random.Random) -> Case:
    """A file with its columns in any order, notes beside them, and perhaps damage."""
    delimiter, end = dice.choice(DELIMITERS), dice.choice(ENDS)
    names = [
        "score",
        "label",
        *dice.sample(["", "id", "#", "note", 'the "note"'], dice.randrange(4)),
    ]
    dice.shuffle(names)
    always = dice.random() < 0.2

    def field(text: str) -> str:
        must = any(sign in text for sign in f'{delimiter}"\r\n')
        if must or always or dice.random() < 0.1:
            return '"' + text.replace('"', '""') + '"'
        return text

    def cell(name: str) -> str:
        if name == "score":
            return dice.choice(SCORES) if dice.random() < 0.7 else repr(dice.random())
        return dice.choice("01") if name == "label" else dice.choice(NOTES)

    lines = [names, *([cell(name) for name in names] for _ in range(dice.randrange(12)))]
    text = end.join(delimiter.join(map(field, line)) for line in lines)
    text = dice.choice(("", "", "\ufeff")) + text + dice.choice(("", end, end, end * 3))
    if dice.random() < 0.5:
        return Case(text, delimiter, True)
    return Case(damaged(dice, text, delimiter), delimiter, False)


def damaged(dice: random.Random, text: str, delimiter: str) -> str:
    """The file with something wrong in it, or at least something odd."""
    place = dice.randrange(len(text) + 1)
    kind = dice.randrange(5)
    if kind == 0:
        return text[:place]
    if kind == 1:
        return text[:place] + text[place + 1 + dice.randrange(3) :]
    if kind == 2:
        return text[:place] + dice.choice(SCRAPS) + text[place:]
    if kind == 3:
        return text + delimiter.join((dice.choice(ODD_SCORES), dice.choice("01"), "")) + "\n"
    return text.replace("0.5", dice.choice(ODD_SCORES))


def by_csv(path: Path, delimiter: str) -> list[tuple[float, int]] | None:
    """The list as Python's `csv` and `float` read it; None where they do not."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header, *lines = [line for line in csv.reader(file, delimiter=delimiter) if line]
        names = [name.strip() for name in header]
        score, label = names.index("score"), names.index("label")
        return [(float(line[score]), {1.0: 1, 0.0: 0}[float(line[label])]) for line in lines]
    except (ValueError, LookupError, csv.Error):
        return None


def attempt(given: object, columns: Columns | None = None) -> list[tuple[float, int]] | str:
    """The list, or the words of its refusal."""
    try:
        return rows(read(given, columns, Scores()))
    except AuroraError as error:
        return str(error)


def compare(folder: Path, seed: int, files: int) -> None:
    """Hold the reader against `csv`, some files through a query as well."""
    dice = random.Random(seed)
    taken = queried = through = 0
    for _ in range(files):
        case = generated(dice)
        path = text_file(folder, case.text)
        columns = Columns(delimiter=case.delimiter if dice.random() < 0.7 else "")
        wanted = by_csv(path, case.delimiter)
        found = attempt(path, columns)
        if isinstance(found, str):
            assert not case.well_written or "several delimiters" in found, repr(case.text)
            continue
        assert found == wanted, repr(case.text)
        taken += 1
        if dice.random() < QUERIED:
            queried += 1
            query = Query("SELECT score, label FROM t", {"t": path}, columns)
            result = attempt(query)
            through += isinstance(result, list)
            assert isinstance(result, str) or result == wanted, repr(case.text)
    assert taken > files / 2
    assert through * 2 >= queried


@pytest.fixture(params=[8 << 20, 48], ids=["one block", "many blocks"])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK_BYTES", request.param)


@pytest.mark.usefixtures("_blocks")
def test_generated_files_are_read_as_csv_reads_them_or_refused(tmp_path: Path) -> None:
    compare(tmp_path, seed=1, files=NORMAL_FILES // 2)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("seed", range(2, 6))
def test_thousands_of_generated_files_too(tmp_path: Path, seed: int) -> None:
    compare(tmp_path, seed, files=SOAK_FILES // 8)
