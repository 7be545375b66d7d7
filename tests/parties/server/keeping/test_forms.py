"""Records in an older form are brought into this one or left alone; a newer form is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import ppaurora.parties.server.keeping.database as module
from ppaurora.parties.errors import ConfigurationError, DiskFault
from ppaurora.parties.kept_form import KeptForm
from ppaurora.parties.server.keeping.database import (
    DATABASE,
    Database,
    NewRows,
    Row,
    read_beside,
)

OLD, OTHER = "name TEXT NOT NULL", "name TEXT NOT NULL, size INTEGER NOT NULL"
STEPS: tuple[NewRows, ...] = (
    {"names": lambda row: (*row, 1)},
    {"names": lambda row: (f"{row[0]}!", *row[1:]), "later": lambda row: row},
)
"""A column more, then other names; the table `later` is of the second form."""


def arrange(patch: pytest.MonkeyPatch, form: KeptForm[NewRows], **tables: str) -> None:
    """A program with these tables and this form."""
    schema = "".join(
        f"CREATE TABLE IF NOT EXISTS {name} ({columns}, digest BLOB NOT NULL);\n"
        for name, columns in tables.items()
    )
    expected = {
        one.split()[5]: one.replace("IF NOT EXISTS ", "").rstrip(";")
        for one in [*schema.splitlines(), module.SET_ASIDE]
    }
    for name, value in (("FORM", form), ("SCHEMA", schema), ("_EXPECTED", expected)):
        patch.setattr(module, name, value)


def opened(path: Path) -> Database:
    """As a server opens it in which no row is damaged."""

    def none(table: str, row: Row) -> None:
        raise AssertionError(table)

    return Database(path, none)


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of an older version, and this program as a version two forms later."""
    path = tmp_path / DATABASE
    with monkeypatch.context() as before:
        arrange(before, KeptForm(6), names=OLD, other=OLD)
        records = opened(path)
        for name in ("b", "a"):
            records.put("names", name)
        records.put("other", "as it was")
        records.close()
    arrange(monkeypatch, KeptForm(6, STEPS), names=OTHER, other=OLD, later=OLD)
    return path


def test_rows_go_through_all_steps_in_their_order_and_a_new_table_is_empty(older: Path) -> None:
    assert read_beside(older, "names") == [("b!", 1), ("a!", 1)]
    for _ in range(2):  # the second time there is nothing to do
        records = opened(older)
        assert records.rows("names") == [("b!", 1), ("a!", 1)]
        assert records.rows("other") == [("as it was",)]
        assert records.rows("later") == []
        records.close()
    with sqlite3.connect(older) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (8,)


def test_a_crash_in_the_middle_leaves_the_older_form(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = older.read_bytes()

    def crash(self: Database, table: str, row: Row) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as one:
        one.setattr(Database, "_insert", crash)
        with pytest.raises(KeyboardInterrupt):
            opened(older)
    assert older.read_bytes() == before
    assert opened(older).rows("names") == [("b!", 1), ("a!", 1)]


def test_a_damaged_row_is_not_carried_over(older: Path) -> None:
    with sqlite3.connect(older) as file:
        file.execute("UPDATE names SET name = 'c' WHERE name = 'b'")
    before = older.read_bytes()
    with pytest.raises(DiskFault, match="the table names") as caught:
        opened(older)
    assert "Start the version before this one" in caught.value.advice
    assert older.read_bytes() == before


@pytest.mark.parametrize(
    ("form", "what", "advice"),
    [
        (
            9,
            "newer version of ppaurora: it has the form 9, and this one",
            "Start that version again",
        ),
        (5, "before the first release", "Finish its studies with that version"),
        (0, "before the first release", "Finish its studies with that version"),
    ],
)
def test_a_form_that_no_step_leads_from_is_refused_in_words_and_left_alone(
    older: Path, form: int, what: str, advice: str
) -> None:
    with sqlite3.connect(older) as file:
        file.execute(f"PRAGMA user_version = {form}")
    before = older.read_bytes()
    with pytest.raises(ConfigurationError, match=what) as caught:
        opened(older)
    assert advice in caught.value.advice
    if form:
        with pytest.raises(ConfigurationError, match=what):
            read_beside(older, "names")
    assert older.read_bytes() == before
