"""The audit log is on the disk before anything is acknowledged, and survives what a disk does."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import DiskCode
from ppaurora.parties.evidence.audit_chain import Entry, digest, entries, line
from ppaurora.parties.server.keeping.audit_log import AuditLog
from ppaurora.parties.server.keeping.database import DATABASE, Database
from tests.parties.disk_trouble import disk_fault


def written(folder: Path) -> list[Entry]:
    with (folder / "audit.jsonl").open("rb") as file:
        return list(entries(file))


RUNNING: dict[Path, Database] = {}


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    while RUNNING:
        RUNNING.popitem()[1].close()


def opened(folder: Path) -> AuditLog:
    """The log as a server opens it at its start, after the one before it has ended."""
    if folder in RUNNING:
        RUNNING[folder].close()
    RUNNING[folder] = Database(folder / DATABASE, lambda table, row: None)
    return AuditLog(folder, lambda: 1_700_000_000.0, RUNNING[folder])


def audit(folder: Path) -> int:
    """The exit code of `ppaurora audit` at this server's site."""
    text = f'key = "x.key"\nstudies = ["x.toml"]\n[server]\nstate = "{folder}"\n'
    (folder / "site.toml").write_text(text)
    with pytest.raises(SystemExit) as left:
        main(["audit", "--site", str(folder / "site.toml"), "--no-show"])
    return int(left.value.code or 0)


def test_it_goes_on_after_a_restart_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    opened(tmp_path).record("upload stored", owner="ann", samples=30)
    log = opened(tmp_path)
    log.record("computed", session="ab")
    found = written(tmp_path)
    assert [one.event for one in found] == ["log begins", "upload stored", "computed"]
    assert found[1].facts == {"owner": "ann", "samples": 30}
    assert log.head == found[-1].digest
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o777 == 0o600


def test_two_logs_of_the_same_events_have_different_digests(tmp_path: Path) -> None:
    heads = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        log = opened(tmp_path / name)
        log.record("computed")
        heads.add(log.head)
    assert len(heads) == 2


def test_half_a_line_that_a_kill_left_is_taken_off(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.record("computed")
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"number": 3, "ti')
    again = opened(tmp_path)
    assert again.head == log.head
    again.record("computed")
    assert [one.number for one in written(tmp_path)] == [1, 2, 3]


def test_half_a_first_line_that_a_kill_left_is_taken_off(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").write_bytes(b'{"number": 1, "ti')
    log = opened(tmp_path)
    assert [(one.number, one.digest) for one in written(tmp_path)] == [(1, log.head)]


def test_a_damaged_log_is_set_aside_and_the_new_one_says_so(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.record("computed")
    path = tmp_path / "audit.jsonl"
    path.write_bytes(path.read_bytes().replace(b"computed", b"commuted", 1) + b"\n")
    again = opened(tmp_path)
    [first] = written(tmp_path)
    assert again.head == first.digest
    assert len(str(first.facts["of_damaged"])) == 64
    assert len(list(tmp_path.glob("audit-damaged-*.jsonl"))) == 1


def test_what_cannot_be_recorded_is_told_and_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = opened(tmp_path)
    before = log.head

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr("ppaurora.parties.server.keeping.audit_log.sync", full)
        with disk_fault(DiskCode.FULL):
            log.record("share of the result handed out", to="ann")
    assert log.head == before
    log.record("share of the result handed out", to="ann")
    assert [one.number for one in written(tmp_path)] == [1, 2]


def three_lines(folder: Path) -> tuple[AuditLog, Path, list[bytes]]:
    log = opened(folder)
    log.record("upload stored", owner="ann")
    log.record("computed")
    path = folder / "audit.jsonl"
    return log, path, path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("left", [0, 1, 2])
def test_lines_cut_off_at_the_end_are_told_at_start_and_by_the_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], left: int
) -> None:
    log, path, lines = three_lines(tmp_path)
    assert audit(tmp_path) == 0
    path.write_bytes(b"".join(lines[:left]))
    assert audit(tmp_path) == 6
    assert "records know its line 3" in " ".join(capsys.readouterr().err.split())
    again = opened(tmp_path)
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["event"] == "audit log differs"
    [fault] = again.faults
    assert "records know its line 3" in fault
    [first] = written(tmp_path)
    assert (first.facts["known_line"], first.facts["known_head"]) == (3, log.head)
    # what was found of it is kept, and the new log is whole
    assert len(list(tmp_path.glob("audit-damaged-*.jsonl"))) == bool(left)
    assert audit(tmp_path) == 0
    assert opened(tmp_path).faults == ()


def test_a_log_that_was_removed_or_is_another_one_is_told(tmp_path: Path) -> None:
    _, path, lines = three_lines(tmp_path)
    path.unlink()
    assert audit(tmp_path) == 6
    assert "is empty or gone" in opened(tmp_path).faults[0]
    path.write_bytes(b"".join(lines))
    assert audit(tmp_path) == 6
    assert "another line 1" in opened(tmp_path).faults[0]


def test_a_kill_between_the_line_and_the_record_of_it_is_not_told_as_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, path, lines = three_lines(tmp_path)
    more = line(4, "2026-11-23T00:00:00+00:00", "computed", {}, log.head)
    path.write_bytes(b"".join([*lines, more]))
    assert audit(tmp_path) == 0
    again = opened(tmp_path)
    assert again.faults == ()
    assert again.head == digest(more)
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["level"] == "info"
    # and between two lines of one transaction that was not completed
    with suppress(KeyboardInterrupt), RUNNING[tmp_path].transaction():
        again.record("noted", text="one")
        again.record("noted", text="two")
        raise KeyboardInterrupt
    assert opened(tmp_path).faults == ()
    assert [one.number for one in written(tmp_path)] == [1, 2, 3, 4, 5, 6]


def test_lines_cut_off_while_the_server_runs_are_told_by_its_next_line(tmp_path: Path) -> None:
    log, path, lines = three_lines(tmp_path)
    path.write_bytes(b"".join(lines[:2]))
    log.record("share of the result handed out", by="ann")
    assert "ends at line 2" in log.faults[0]
    assert [one.event for one in written(tmp_path)] == [
        "log begins",
        "share of the result handed out",
    ]
    assert audit(tmp_path) == 0
    path.unlink()
    log.record("result kept by a receiver", by="ann")
    assert "is empty or gone" in log.faults[1]
    assert opened(tmp_path).faults == ()


def test_the_audit_reads_the_records_of_a_server_that_writes(tmp_path: Path) -> None:
    """Its database is locked against everybody else, and every reading fits the log."""
    log = opened(tmp_path)
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            log.record("upload stored", owner="ann")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        assert [audit(tmp_path) for _ in range(5)] == [0] * 5
    finally:
        ended.set()
        writing.join()


def test_an_audit_away_from_the_servers_records_says_what_it_cannot_see(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = three_lines(tmp_path)[2]
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "audit.jsonl").write_bytes(b"".join(lines[:2]))
    assert audit(tmp_path / "away") == 0
    assert "lines cut off at the end are not seen" in " ".join(capsys.readouterr().err.split())
