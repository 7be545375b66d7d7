"""A fault of the own disk is told as such, and a bug is not taken for one."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppaurora.parties.errors import DiskCode
from ppaurora.parties.server.keeping.disk_faults import reading, writing
from tests.parties.disk_trouble import disk_fault


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "state.sqlite")
    connection.execute("CREATE TABLE words (word BLOB)")
    yield connection
    connection.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_told_from_a_broken_one(number: int) -> None:
    with disk_fault(DiskCode.FULL, match="no room left"), writing():
        raise OSError(number, "full", "/state/secret-path")
    with disk_fault(DiskCode.UNWRITABLE, match="Input/output error") as caught, writing():
        raise OSError(errno.EIO, "Input/output error", "/state/secret-path")
    assert "secret-path" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with disk_fault(DiskCode.UNREADABLE, match="No such file"), reading():
        (tmp_path / "none.share").read_bytes()


def test_a_full_database_is_told_from_a_read_only_one(database: sqlite3.Connection) -> None:
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages}")
    with disk_fault(DiskCode.FULL), writing():
        database.execute("INSERT INTO words VALUES (zeroblob(1000000))")
    database.rollback()
    database.execute("PRAGMA query_only = ON")
    with disk_fault(DiskCode.UNWRITABLE, match="readonly"), writing():
        database.execute("INSERT INTO words VALUES (1)")


def test_a_damaged_database_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(b"no database at all" * 1000)
    with disk_fault(DiskCode.UNREADABLE, match="not a database"), reading():
        sqlite3.connect(path).execute("SELECT * FROM words")


def test_a_wrong_statement_is_a_bug_and_stays_one(database: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), reading():
        database.execute("SELECT * FROM sentences")
    database.close()
    with pytest.raises(sqlite3.ProgrammingError), writing():
        database.execute("SELECT 1")
