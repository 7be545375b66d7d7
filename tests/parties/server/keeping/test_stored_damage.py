"""Damaged files are named and set aside, and never computed on."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from ppaurora.parties.errors import DiskCode
from ppaurora.parties.server.keeping.store import Store
from tests.parties.disk_trouble import disk_fault
from tests.parties.server.stored import (
    DATA,
    SESSION,
    STUDY,
    files,
    put,
    reopened,
    upload,
)


def test_a_share_that_is_damaged_on_the_disk_is_never_computed_on(
    store: Store, tmp_path: Path
) -> None:
    for damaged in (DATA[:-1] + b"\xff", DATA[:-8], DATA + b"\0", b"", None):
        put(store, upload())
        share = next((tmp_path / "state" / "shares").rglob("*.share"))
        share.unlink() if damaged is None else share.write_bytes(damaged)
        with disk_fault(DiskCode.SHARE_DAMAGED, match="the list of ann was damaged"):
            store.read_share(STUDY, upload().upload)
        assert store.stored_uploads(STUDY) == ()
        assert store.damaged(STUDY) == ("ann",)
        assert files(tmp_path) == []
    assert [path.suffix for path in (tmp_path / "state" / "damaged").rglob("*.*")] == [".share"]
    put(store, upload())
    assert store.damaged(STUDY) == ()
    assert store.read_share(STUDY, upload().upload) == DATA
    store.withdraw(STUDY, "ann")
    assert not list((tmp_path / "state" / "damaged").rglob("*.*"))


def test_damage_is_found_when_a_server_starts(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    next((tmp_path / "state" / "shares").rglob("*.share")).write_bytes(DATA[::-1])
    store = reopened(store, tmp_path)
    assert store.damaged(STUDY) == ("ann",)
    assert "ann: its share was damaged" in store.history.of(STUDY.hash)[-1][1]


def test_a_damaged_upload_may_be_withdrawn_instead(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    next((tmp_path / "state" / "shares").rglob("*.share")).unlink()
    store.check_shares(STUDY)
    assert store.withdraw(STUDY, "ann")
    assert store.damaged(STUDY) == ()


@pytest.mark.parametrize("column", ["session", "sealed", "words", "about", "at", "digest"])
def test_a_result_that_is_damaged_on_the_disk_is_never_given(
    store: Store, tmp_path: Path, column: str
) -> None:
    for uploads_are_there in (True, False):
        put(store, upload())
        store.put_result(STUDY, SESSION, [5, 7], "about", store.stored_uploads(STUDY))
        if not uploads_are_there:
            store.seal(STUDY, SESSION)
        store.close()
        flip(tmp_path, "results", column)
        store = reopened(store, tmp_path)
        assert store.results.find(STUDY.hash) is None
        assert ("damaged" in store.ended(STUDY)) is not uploads_are_there
        assert not store.counted(STUDY, "ann", upload().upload) or not uploads_are_there
        assert any("damaged" in text for _, text in store.history.of(STUDY.hash))


def test_a_damaged_record_of_an_upload_names_its_owner(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    store.close()
    flip(tmp_path, "uploads", "samples")
    store = reopened(store, tmp_path)
    assert store.damaged(STUDY) == ("ann",)
    assert files(tmp_path) == []


def test_a_file_of_records_that_is_damaged_is_told_at_the_start(
    store: Store, tmp_path: Path
) -> None:
    for number in range(50):
        put(store, upload(owner=f"owner {number}", name=number))
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:2048] + bytes(64) + whole[2112:8192] + os.urandom(4096) + whole[12288:])
    with disk_fault(
        DiskCode.STATE_DAMAGED, match=r"The records of this server are damaged: .*sqlite"
    ):
        Store(tmp_path / "state")
    path.write_bytes(b"no database at all" * 1000)
    with disk_fault(DiskCode.STATE_DAMAGED, match="not a database"):
        Store(tmp_path / "state")


def test_tables_whose_names_or_columns_were_damaged_are_told_at_the_start(
    store: Store, tmp_path: Path
) -> None:
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    path.write_bytes(path.read_bytes().replace(b"samples INTEGER", b"s\xe1mples INTEGER"))
    with disk_fault(DiskCode.STATE_DAMAGED, match="its tables are not those"):
        Store(tmp_path / "state")


def test_a_damaged_byte_that_sqlite_repeats_in_its_error_is_damage_of_the_records(
    store: Store, tmp_path: Path
) -> None:
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE uploads (study", b"CREATE TABLE uploads \xd4study")
    )
    with disk_fault(DiskCode.STATE_DAMAGED, match="SQLite cannot read it"):
        reopened(store, tmp_path)


def test_a_header_that_sqlite_cannot_read_is_damage_of_the_records(
    store: Store, tmp_path: Path
) -> None:
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:44] + b"\xff" * 4 + whole[48:])
    with disk_fault(DiskCode.STATE_DAMAGED, match="unsupported file format"):
        Store(tmp_path / "state")


def flip(tmp_path: Path, table: str, column: str) -> None:
    """Change one column of a table's first row, as a rotten disk might."""
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "server.sqlite")) as database:
        (value,) = database.execute(f"SELECT {column} FROM {table}").fetchone()
        if isinstance(value, bytes):
            value = bytes([value[0] ^ 1]) + value[1:]
        elif isinstance(value, str):
            value = chr(ord(value[0]) ^ 1) + value[1:]
        else:
            value += 1
        database.execute(f"UPDATE {table} SET {column} = ?", (value,))
        database.commit()
