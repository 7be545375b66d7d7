"""The audit log is on the disk before anything is acknowledged, and survives what a disk does."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ppaurora.parties.errors import DiskFull
from ppaurora.parties.evidence.audit_chain import Entry, entries
from ppaurora.parties.server.audit_log import AuditLog


def written(folder: Path) -> list[Entry]:
    with (folder / "audit.jsonl").open("rb") as file:
        return list(entries(file))


def opened(folder: Path) -> AuditLog:
    return AuditLog(folder, lambda: 1_700_000_000.0)


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
        patch.setattr("ppaurora.parties.server.audit_log.sync", full)
        with pytest.raises(DiskFull):
            log.record("share of the result handed out", to="ann")
    assert log.head == before
    log.record("share of the result handed out", to="ann")
    assert [one.number for one in written(tmp_path)] == [1, 2]
