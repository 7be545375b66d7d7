"""Shares that are stored encrypted: the same promises, and noise to whoever has no keys."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError, DiskCode, UploadDamaged
from ppaurora.parties.server.keeping.piece_cipher import MORE_BYTES, PIECE_BYTES
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.uploads import Upload
from tests.parties.disk_trouble import disk_fault
from tests.parties.server.stored import (
    LATER,
    SESSION,
    STUDY,
    files,
    opened,
    put,
    reopened,
    upload,
)

WRITTEN = PIECE_BYTES + MORE_BYTES
DATA = hashlib.shake_256(b"words").digest(3 * PIECE_BYTES + 800)
SEED = hashlib.shake_256(b"seed").digest(32)
ANN = upload(data=DATA)
P0S_ANN = Upload("ann", b"\1" * 16, 100, 32, hashlib.sha256(SEED).digest(), False, 0.0)


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Store:
    return opened(tmp_path, encrypt=True)


def share_file(tmp_path: Path, ending: str = ".encrypted") -> Path:
    (path,) = (tmp_path / "state" / "shares").rglob(f"*{ending}")
    return path


def key_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "secrets").glob("*.key"))


def state_bytes(tmp_path: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*.*"))


@pytest.mark.parametrize(("one", "data"), [(ANN, DATA), (P0S_ANN, SEED)])
def test_what_is_stored_reads_back_and_shows_nothing_of_itself(
    store: Store, tmp_path: Path, one: Upload, data: bytes
) -> None:
    put(store, one, data)
    assert files(tmp_path) == [".encrypted"]
    assert len(key_files(tmp_path)) == 1
    store = reopened(store, tmp_path, encrypt=True)
    assert store.read_share(STUDY, one.upload) == data
    state = state_bytes(tmp_path)
    assert not any(data[at : at + 16] in state for at in range(0, len(data), 2000))


def test_bytes_of_an_upload_that_is_not_whole_are_encrypted_too(
    store: Store, tmp_path: Path
) -> None:
    found = store.begin(STUDY, ANN)
    there = 0
    for length in (100, PIECE_BYTES, 1, 50_000, 7):
        there = store.append(STUDY, found, there, DATA[there : there + length])
        assert store.received(STUDY, found) == there
    state = state_bytes(tmp_path)
    assert not any(DATA[at : at + 16] in state for at in range(0, there, 2000))
    assert share_file(tmp_path, ".encrypting").stat().st_size == WRITTEN
    # after a crash it goes on at the last whole piece, even if a torn one lies behind it
    with share_file(tmp_path, ".encrypting").open("ab") as file:
        file.write(b"torn" * 99)
    store = reopened(store, tmp_path, encrypt=True)
    found = store.begin(STUDY, ANN)
    there = store.received(STUDY, found)
    assert there == PIECE_BYTES
    assert store.append(STUDY, found, there, DATA[there:]) == len(DATA)
    store.commit(STUDY, found)
    assert store.read_share(STUDY, ANN.upload) == DATA


def test_every_upload_has_a_key_of_its_own(store: Store, tmp_path: Path) -> None:
    put(store, ANN, DATA)
    put(store, upload("ben", 2, DATA), DATA)
    keys = {path.read_bytes() for path in key_files(tmp_path)}
    assert len(keys) == 2
    store.withdraw(STUDY, "ann")
    (left,) = key_files(tmp_path)
    put(store, ANN, DATA)
    assert len(keys | {path.read_bytes() for path in key_files(tmp_path)}) == 3
    assert left in key_files(tmp_path)


def swap(data: bytes) -> bytes:
    return data[WRITTEN : 2 * WRITTEN] + data[:WRITTEN] + data[2 * WRITTEN :]


@pytest.mark.parametrize(
    "damage",
    [
        swap,
        lambda data: data[: 3 * WRITTEN],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data + data[:WRITTEN],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: b"",
    ],
    ids=["two pieces swapped", "the last piece gone", "cut", "longer", "a piece more", "bit", "no"],
)
def test_a_damaged_file_is_asked_for_again(
    store: Store, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    put(store, ANN, DATA)
    path = share_file(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    asked_again_and_healed(store, tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"short", bytes(32), bytes(33)])
def test_a_key_that_is_lost_or_damaged_is_damage_of_its_upload(
    store: Store, tmp_path: Path, content: bytes | None
) -> None:
    put(store, ANN, DATA)
    (key,) = key_files(tmp_path)
    key.unlink() if content is None else key.write_bytes(content)
    asked_again_and_healed(reopened(store, tmp_path, encrypt=True), tmp_path)


def asked_again_and_healed(store: Store, tmp_path: Path) -> None:
    """Ann is named; the same upload again is stored, and nothing of the old one is left behind."""
    with disk_fault(DiskCode.SHARE_DAMAGED, match="the list of ann was damaged"):
        store.read_share(STUDY, ANN.upload)
    assert store.damaged(STUDY) == ("ann",)
    put(store, ANN, DATA)
    assert store.damaged(STUDY) == ()
    assert store.read_share(STUDY, ANN.upload) == DATA
    store.end(STUDY, "over")
    assert key_files(tmp_path) == []
    assert files(tmp_path) == []


def test_another_uploads_pieces_are_damage_even_with_its_key(store: Store, tmp_path: Path) -> None:
    put(store, ANN, DATA)
    put(store, upload("ben", 2, DATA), DATA)
    shares = sorted((tmp_path / "state" / "shares").rglob("*.encrypted"))
    shares[0].write_bytes(shares[1].read_bytes())
    first, second = key_files(tmp_path)
    first.write_bytes(second.read_bytes())
    store.check_shares(STUDY)
    assert store.damaged(STUDY) == ("ann",)


def test_the_key_is_deleted_before_the_share(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, ANN, DATA)
    unlink, gone = Path.unlink, []

    def recorded(path: Path, missing_ok: bool = False) -> None:
        if path.exists():
            gone.append(path.suffix)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", recorded)
    store.withdraw(STUDY, "ann")
    assert gone == [".key", ".encrypted"]


def test_key_and_share_are_on_the_disk_before_the_upload_counts_as_stored(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, synced = os.fsync, set()

    def recorded(handle: int) -> None:
        fsync(handle)
        synced.add(os.fstat(handle).st_ino)

    monkeypatch.setattr(os, "fsync", recorded)
    put(store, ANN, DATA)
    (key,), share = key_files(tmp_path), share_file(tmp_path)
    for path in (key, key.parent, share, share.parent):
        assert path.stat().st_ino in synced, path


def test_a_full_disk_keeps_what_was_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = store.begin(STUDY, ANN)
    store.append(STUDY, found, 0, DATA[: PIECE_BYTES + 10])
    monkeypatch.setattr("ppaurora.parties.server.keeping.share_forms.open", full, raising=False)
    with disk_fault(DiskCode.FULL):
        store.append(STUDY, found, PIECE_BYTES + 10, DATA[PIECE_BYTES + 10 :])
    monkeypatch.undo()
    assert store.received(STUDY, found) == PIECE_BYTES + 10
    store.append(STUDY, found, PIECE_BYTES + 10, DATA[PIECE_BYTES + 10 :])
    store.commit(STUDY, found)
    assert store.read_share(STUDY, ANN.upload) == DATA


def full(handle: int, mode: str) -> io.BufferedWriter:
    """A file on a disk that takes 1,000 bytes more."""

    class Full(io.FileIO):
        def write(self, data: object) -> int:
            super().write(bytes(data)[:1000])  # type: ignore[call-overload]
            raise OSError(errno.ENOSPC, "No space left on device")

    return io.BufferedWriter(Full(handle, mode))


def test_damaged_bytes_are_thrown_away_with_their_key(store: Store, tmp_path: Path) -> None:
    found = store.begin(STUDY, ANN)
    store.append(STUDY, found, 0, DATA[::-1])
    with pytest.raises(UploadDamaged):
        store.commit(STUDY, found)
    assert (files(tmp_path), key_files(tmp_path)) == ([], [])


def test_both_forms_are_read_whichever_is_written(tmp_path: Path) -> None:
    ben = upload("ben", 2, DATA)
    store = opened(tmp_path)
    put(store, ANN, DATA)
    store = reopened(store, tmp_path, encrypt=True)
    put(store, ben, DATA)
    assert files(tmp_path) == [".encrypted", ".share"]
    store = reopened(store, tmp_path, secrets="secrets")
    put(store, upload("reader", 3, DATA), DATA)
    assert files(tmp_path) == [".encrypted", ".share", ".share"]
    for one in store.stored_uploads(STUDY):
        assert store.read_share(STUDY, one.upload) == DATA
    store.close()
    with pytest.raises(ConfigurationError, match="secrets is missing"):
        opened(tmp_path)


def test_uploads_that_are_begun_and_withdrawn_leave_nothing_in_memory(
    store: Store, tmp_path: Path
) -> None:
    tracemalloc.start()
    try:
        for number in range(40):
            one = upload("ann", number, DATA)
            store.append(STUDY, store.begin(STUDY, one), 0, DATA[: PIECE_BYTES - 1])
            store.withdraw(STUDY, "ann")
        assert tracemalloc.get_traced_memory()[0] < 10 * PIECE_BYTES
    finally:
        tracemalloc.stop()
    assert (files(tmp_path), key_files(tmp_path)) == ([], [])


@pytest.mark.parametrize("encrypt", [False, True])
def test_an_upload_that_began_in_the_other_form_begins_anew(tmp_path: Path, encrypt: bool) -> None:
    store = opened(tmp_path, encrypt=encrypt, secrets="secrets")
    store.append(STUDY, store.begin(STUDY, ANN), 0, DATA[:100_000])
    store = reopened(store, tmp_path, encrypt=not encrypt, secrets="secrets")
    found = store.begin(STUDY, ANN)
    assert store.received(STUDY, found) == 0
    assert (files(tmp_path), key_files(tmp_path)) == ([], [])
    put(store, ANN, DATA)
    assert store.read_share(STUDY, ANN.upload) == DATA


def test_reading_and_checking_a_long_share_takes_little_more_memory_than_the_share(
    store: Store,
) -> None:
    data = bytes(16 << 20)
    found = store.begin(STUDY, upload(data=data))
    for place in range(0, len(data), 1 << 20):
        store.append(STUDY, found, place, data[place : place + (1 << 20)])
    tracemalloc.start()
    try:
        store.commit(STUDY, found)
        store.check_shares(STUDY)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        assert len(store.read_share(STUDY, found.upload)) == len(data)
        assert tracemalloc.get_traced_memory()[1] < 1.25 * len(data)
    finally:
        tracemalloc.stop()


# -- results ---------------------------------------------------------------------------------------

WORDS = (0x1122334455667788, 2**64 - 1)


def stored_words(tmp_path: Path) -> bytes:
    with closing(
        sqlite3.connect(f"file:{tmp_path}/state/server.sqlite?immutable=1", uri=True)
    ) as file:
        ((words,),) = file.execute("SELECT words FROM results").fetchall()
    return bytes(words)


def test_a_results_words_are_encrypted_and_sealed_with_the_same_key(
    store: Store, tmp_path: Path
) -> None:
    store.put_result(STUDY, SESSION, WORDS, "about")
    (first,) = key_files(tmp_path)
    store.put_result(STUDY, LATER, WORDS, "about")
    (second,) = key_files(tmp_path)
    assert first != second
    store.seal(STUDY, LATER)
    assert len(stored_words(tmp_path)) == 16 + MORE_BYTES
    assert WORDS[0].to_bytes(8, "little") not in state_bytes(tmp_path)
    store = reopened(store, tmp_path, encrypt=True)
    found = store.results.find(STUDY.hash)
    assert found is not None
    assert (found.sealed, found.words) == (True, WORDS)
    store.result_saved(STUDY, "ann")
    store.result_saved(STUDY, "reader")
    assert key_files(tmp_path) == []


def test_results_of_both_forms_are_read(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.put_result(STUDY, SESSION, WORDS, "about")
    for encrypt, session in ((True, LATER), (False, SESSION)):
        store = reopened(store, tmp_path, encrypt=encrypt, secrets="secrets")
        found = store.results.find(STUDY.hash)
        assert found is not None
        assert found.words == WORDS
        store.put_result(STUDY, session, WORDS, "about")
        assert len(stored_words(tmp_path)) == (16 + MORE_BYTES if encrypt else 16)


@pytest.mark.parametrize("uploads_are_there", [True, False])
@pytest.mark.parametrize("content", [None, bytes(32)])
def test_a_result_whose_key_is_lost_is_computed_again_or_over(
    store: Store, tmp_path: Path, content: bytes | None, uploads_are_there: bool
) -> None:
    put(store, ANN, DATA)
    (of_share,) = key_files(tmp_path)
    store.put_result(STUDY, SESSION, WORDS, "about", store.stored_uploads(STUDY))
    (key,) = set(key_files(tmp_path)) - {of_share}
    if not uploads_are_there:
        store.seal(STUDY, SESSION)
    key.unlink() if content is None else key.write_bytes(content)
    store = reopened(store, tmp_path, encrypt=True)
    assert store.results.find(STUDY.hash) is None
    assert ("damaged or lost" in store.ended(STUDY)) is not uploads_are_there
    assert key not in key_files(tmp_path)
    if uploads_are_there:
        store.put_result(STUDY, LATER, WORDS, "about", store.stored_uploads(STUDY))
        found = store.results.find(STUDY.hash)
        assert found is not None
        assert found.words == WORDS


def test_a_result_dropped_for_the_other_proxys_sake_loses_its_key(
    store: Store, tmp_path: Path
) -> None:
    store.put_result(STUDY, SESSION, WORDS, "about")
    store.drop_unsealed(STUDY)
    assert key_files(tmp_path) == []
