"""A report becomes the files that are asked for; what is no result is refused in a sentence."""

from __future__ import annotations

import csv
import io
import json
import stat
from pathlib import Path

import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.reports.files import (
    csv_text,
    file_name,
    page_of_file,
    page_of_text,
    read_text,
    write_report,
)
from ppaurora.parties.reports.model import Page, Section, Sheet
from tests.parties.reports.documents import HOSTILE, document, hostile


def sheet(name: str, *rows: tuple[str, ...]) -> Sheet:
    return Sheet(name, "", ("a", "b"), rows)


def test_each_table_is_a_csv_file_and_each_curve_a_drawing(tmp_path: Path) -> None:
    page = page_of_text(json.dumps(document()))
    written = list(
        write_report(page, html=tmp_path / "r.html", csv=tmp_path / "c", svg=tmp_path / "s")
    )
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert len(list((tmp_path / "c").iterdir())) == len(page.sheets)
    assert len(list((tmp_path / "s").iterdir())) == len(page.charts) == 5
    assert len(set(written)) == len(written) == 1 + len(page.sheets) + len(page.charts)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in written)
    rows = list(csv.reader(io.StringIO((tmp_path / "c" / "owners.csv").read_text())))
    assert rows[1] == ["ann", "30", "60.0 %", "yes"]
    points = (tmp_path / "c" / "roc_curve-points-2.csv").read_text()
    assert points.startswith("fpr,tpr,tpr_lower,tpr_upper\n0.0,0.1,0.0,0.2\n")


def test_names_that_look_alike_get_files_of_their_own(tmp_path: Path) -> None:
    page = Page("", "", (Section("a", "", (sheet("x:1"), sheet("x/1"), sheet("../.."))),))
    names = [path.name for path in write_report(page, csv=tmp_path)]
    assert names == ["x-1.csv", "x-1-2.csv", "unnamed.csv"]


def test_no_name_leaves_its_folder() -> None:
    for name in ("../../etc/passwd", HOSTILE, "", "\x00", "a" * 1000):
        assert "/" not in file_name(name)
        assert 0 < len(file_name(name)) <= 100


def test_a_spreadsheet_takes_no_text_for_a_formula() -> None:
    text = csv_text(sheet("x", ("=1+1", "-0.5"), ("@a", "-x"), ('+"', "\t=1"), ("1,5\n", "é")))
    assert list(csv.reader(io.StringIO(text)))[1:] == [
        ["'=1+1", "-0.5"], ["'@a", "'-x"], ["'+\"", "?=1"], ["1,5?", "é"],
    ]  # fmt: skip


def test_a_hostile_result_makes_files_in_their_folders_only(tmp_path: Path) -> None:
    page = page_of_text(json.dumps(hostile()))
    folder = tmp_path / "inner"
    written = list(write_report(page, csv=folder / "c", svg=folder / "s"))
    assert {path.parent for path in written} == {folder / "c", folder / "s"}
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "is not a text"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"format": "other", "version": 4}', "no ppaurora result of version 4"),
        (b'{"format": "ppaurora result", "version": 3}', "no ppaurora result of version 4"),
        (b'{"format": "ppaurora result", "version": 5}', "written by a newer version of ppaurora"),
        (b" " * (1 << 22) + b"{}", "larger than any result"),
    ],
)
def test_what_is_no_result_is_refused_by_name(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=told) as refusal:
        page_of_file(path, read_text(path))
    assert "ppaurora result` saved" in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_an_absent_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_text(tmp_path / "absent.json")
    with pytest.raises(DataError, match="is a folder"):
        read_text(tmp_path)
