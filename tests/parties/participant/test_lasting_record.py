"""Records of what was sent survive a crash, a removed file, and an older copy of one."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import ppaurora.parties.participant.lasting_record as module
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.kept_form import KeptForm
from ppaurora.parties.participant.lasting_record import LastingRecord, NewContent
from ppaurora.parties.private_file import write_private
from ppaurora.parties.requests.json_document import JsonDocument


@dataclass(frozen=True, slots=True)
class Names(JsonDocument):
    """Some names, each with a text."""

    names: Mapping[str, str] = field(default_factory=dict)


def record(state: Path) -> LastingRecord[Names]:
    """As a program that has just started has it."""
    return LastingRecord(state, "names", "the names", Names())


def add(state: Path, name: str) -> None:
    own = record(state)
    with own.alone():
        own.write(Names({**own.read().names, name: "x"}))


def names(state: Path) -> set[str]:
    own = record(state)
    with own.alone():
        return set(own.read().names)


def files(state: Path) -> list[Path]:
    return [state / "names.json", state / "accepted" / "names.anchor"]


def test_while_a_program_has_the_record_alone_no_other_one_gets_it(tmp_path: Path) -> None:
    """Another one would read what was spent before both, and each would spend it."""
    with record(tmp_path).alone():
        [lock] = tmp_path.glob(".*.lock")
        with lock.open("wb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with lock.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_it_is_kept_from_program_to_program(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert names(state) == set()
    for name in "abc":
        add(state, name)
    assert names(state) == set("abc")
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files(state))


@pytest.mark.parametrize("place", [0, 1])
def test_a_removed_file_is_noticed(tmp_path: Path, place: int) -> None:
    for name in "ab":
        add(tmp_path, name)
    lost = files(tmp_path)[place]
    lost.unlink()
    for attempt in (names, lambda state: add(state, "c")):
        with pytest.raises(ConfigurationError, match=f"{lost.name} is missing") as caught:
            attempt(tmp_path)
        assert "Nothing was sent. Put back the last" in caught.value.advice
    assert not lost.exists()


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("later", [2, 3, 7])
def test_an_older_copy_of_one_file_is_noticed(tmp_path: Path, place: int, later: int) -> None:
    add(tmp_path, "a")
    old = files(tmp_path)[place]
    shutil.copy(old, tmp_path / "copy")
    for number in range(later):
        add(tmp_path, f"b{number}")
    shutil.copy(tmp_path / "copy", old)
    with pytest.raises(ConfigurationError, match=f"{old.name} is an older copy"):
        names(tmp_path)


def test_the_record_before_the_last_write_is_noticed(tmp_path: Path) -> None:
    """Of the anchor alone it is what a crash leaves, and takes nothing back."""
    for place, noticed in ((0, True), (1, False)):
        state = tmp_path / str(place)
        add(state, "a")
        shutil.copy(files(state)[place], tmp_path / "copy")
        add(state, "b")
        shutil.copy(tmp_path / "copy", files(state)[place])
        if noticed:
            with pytest.raises(ConfigurationError, match="older copy"):
                names(state)
        else:
            assert names(state) == {"a", "b"}
            add(state, "c")
            assert names(state) == {"a", "b", "c"}


def test_a_record_of_another_history_is_noticed(tmp_path: Path) -> None:
    for state, name in ((tmp_path / "one", "a"), (tmp_path / "two", "b")):
        add(state, name)
        add(state, "c")
    shutil.copy(files(tmp_path / "two")[0], files(tmp_path / "one")[0])
    with pytest.raises(ConfigurationError, match="another one"):
        names(tmp_path / "one")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"writes": "2", "digest": ""}'])
def test_a_damaged_file_is_not_taken_for_an_empty_one(
    tmp_path: Path, place: int, content: bytes
) -> None:
    add(tmp_path, "a")
    files(tmp_path)[place].write_bytes(content)
    with pytest.raises(ConfigurationError, match="damaged"):
        add(tmp_path, "b")
    assert files(tmp_path)[place].read_bytes() == content


@pytest.mark.parametrize("writes", [0, 1])
def test_a_crash_after_either_file_loses_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    add(tmp_path, "a")
    done = []

    def crash(path: Path, data: bytes, *, like: Path | None = None) -> None:
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(path)
        write_private(path, data, like=like)

    monkeypatch.setattr(module, "write_private", crash)
    with pytest.raises(KeyboardInterrupt):
        add(tmp_path, "b")
    monkeypatch.undo()
    assert names(tmp_path) == ({"a", "b"} if writes else {"a"})
    add(tmp_path, "c")
    assert {"a", "c"} <= names(tmp_path)


def many(state: Path, own: int) -> None:
    for number in range(10):
        add(state, f"{own}-{number}")


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=many, args=(tmp_path, own)) for own in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    assert names(tmp_path) == {f"{own}-{number}" for own in range(4) for number in range(10)}


ADDING = """
import sys
from pathlib import Path
from tests.parties.participant.test_lasting_record import add
for number in range(10_000):
    add(Path(sys.argv[1]), f"n{number}")
    print(number, flush=True)
"""


def kill_and_read(state: Path, after: int) -> None:
    """A process is killed once it has said so many times that a name is kept."""
    process = subprocess.Popen(
        [sys.executable, "-c", ADDING, str(state)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    told += process.stdout.readlines()
    process.stdout.close()
    kept = names(state)
    assert {f"n{number}" for number in range(len([line for line in told if line]))} <= kept
    add(state, "behind")


def test_a_killed_process_loses_nothing_that_it_said_was_kept(tmp_path: Path) -> None:
    for after in (1, 3):
        kill_and_read(tmp_path / str(after), after)


@pytest.mark.soak
def test_two_hundred_killed_processes_lose_nothing_that_they_said_was_kept(tmp_path: Path) -> None:
    for number in range(200):
        kill_and_read(tmp_path / str(number), 1 + number % 7)


RENEWED: KeptForm[NewContent] = KeptForm(
    1, (lambda kept: {"names": {**kept["names"], "new": "y"}},)
)
"""The forms of a later version, whose records have one name more."""


def test_an_older_form_is_read_by_the_steps_since_and_a_newer_one_refused_in_words(
    tmp_path: Path,
) -> None:
    add(tmp_path, "a")
    before = [file.read_bytes() for file in files(tmp_path)]
    later = LastingRecord(tmp_path, "names", "the names", Names(), RENEWED)
    with later.alone():
        assert later.read().names == {"a": "x", "new": "y"}
        assert [file.read_bytes() for file in files(tmp_path)] == before
        later.write(later.read())
        assert later.read().names == {"a": "x", "new": "y"}
    kept = [file.read_bytes() for file in files(tmp_path)]
    for attempt in (names, lambda state: add(state, "b")):
        with pytest.raises(ConfigurationError, match="written by a newer version") as caught:
            attempt(tmp_path)
        assert "form 2, and this one" in caught.value.what
        assert "Nothing was sent. Use that version" in caught.value.advice
    assert [file.read_bytes() for file in files(tmp_path)] == kept


def test_a_record_from_before_the_first_release_is_refused(tmp_path: Path) -> None:
    older = b'{"writes": 1, "before": "", "kept": {"names": {}}}'
    files(tmp_path)[0].write_bytes(older)
    with pytest.raises(ConfigurationError, match="before the first release") as caught:
        names(tmp_path)
    assert "let your site decide" in caught.value.advice
    assert files(tmp_path)[0].read_bytes() == older


@pytest.mark.parametrize("form", [True, "1", 1.0, None])
def test_a_form_that_is_no_whole_number_is_damage(tmp_path: Path, form: object) -> None:
    add(tmp_path, "a")
    content = json.loads(files(tmp_path)[0].read_text())
    files(tmp_path)[0].write_text(json.dumps({**content, "form": form}))
    with pytest.raises(ConfigurationError, match="damaged"):
        names(tmp_path)


@pytest.mark.parametrize("content", ["[]", "3", '"x"', "null", "true"])
def test_a_file_of_something_else_in_json_is_told_as_damaged(tmp_path: Path, content: str) -> None:
    write_private(tmp_path / "names.json", content.encode())
    with pytest.raises(ConfigurationError, match="damaged"):
        names(tmp_path)
