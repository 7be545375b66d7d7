"""Data of other packages are found by their hash, and asked for where they are not there."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

import pytest

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers import data_sets
from ppaurora.bench.papers.data_sets import DataSet

WOMEN = """horTh,age,menostat,tsize,tgrade,pnodes,progrec,estrec,time,cens
no,70,Post,21,II,3,48,66,1814,1
yes,56,Post,12,III,7,61,77,700,0
"""
PATIENTS = """age\tchest pain\tvessels\tdiameter narrowing
c\td\tc\td
\t\t\tclass
63\ttypical\t0\t0
67\tnone\t?\t1
41\ttypical\t2\t1
"""


def made(folder: Path, text: str, delimiter: str, heads: int) -> DataSet:
    package = folder / "some_data"
    package.mkdir()
    (package / "table.txt").write_text(text)
    digest = sha256(text.encode()).hexdigest()
    return DataSet("Some", "some-data", "some_data", "table.txt", digest, delimiter, heads)


def test_women_have_numbers_for_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(data_sets, "BREAST_CANCER", made(tmp_path, WOMEN, ",", 1))
    found = data_sets.breast_cancer()
    assert found.x.tolist() == [[0, 70, 21, 2, 3, 48, 66], [1, 56, 12, 3, 7, 61, 77]]
    assert found.days.tolist() == [1814, 700]
    assert found.event.tolist() == [1, 0]


def test_patients_have_a_column_for_each_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(data_sets, "HEART_DISEASE", made(tmp_path, PATIENTS, "\t", 3))
    x, y = data_sets.heart_disease()
    assert x.tolist() == [[63, 0, 1, 0], [67, 1, 0, 1], [41, 0, 1, 2]]
    assert y.tolist() == [0, 1, 1]


def test_an_absent_package_and_another_file_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(tmp_path, WOMEN, ",", 1)
    with pytest.raises(ToolAbsent, match="some-data, which is not installed"):
        found.rows()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert len(found.rows()) == 2
    (tmp_path / "some_data" / "table.txt").write_text(WOMEN + "\n")
    with pytest.raises(ToolAbsent, match="another Some"):
        found.rows()
