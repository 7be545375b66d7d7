"""A server that lives is waited for, however slow; one that has ended is told with its words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError, LocalServerFailed
from ppaurora.parties.simulation.processes import START_SECONDS, await_start
from tests.until import later

BEGINS = "import sys, time\n"
SERVES = """sys.stderr.write('{"event": "server starts"}\\n')\n"""


@contextmanager
def started(log: Path, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes to the log."""
    with log.open("ab") as file:
        process = subprocess.Popen([sys.executable, "-c", BEGINS + program], stderr=file)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_slow_server_is_waited_for_and_who_waits_is_told_for_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, go, lines = tmp_path / "P1.log", tmp_path / "go", list[str]()

    def told(line: str) -> None:
        lines.append(line)
        if len(lines) <= 4:
            later(monkeypatch, 100.0)
        else:
            go.touch()

    waits = f"import pathlib\nwhile not pathlib.Path({str(go)!r}).exists(): time.sleep(.01)\n"
    with started(log, waits + SERVES + "time.sleep(600)") as process:
        monkeypatch.setattr("ppaurora.parties.simulation.processes.TELL_SECONDS", 0.01)
        await_start(process, log, on_message=told)
    assert len(lines) >= 5
    assert lines[0].startswith("waiting for P1 to start: it lives, ")


def test_a_server_that_ended_is_told_with_its_code_and_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "P0.log"
    log.write_text("of another day\n")
    words = "sys.stderr.write('first\\nppaurora: The port 7100 is taken.\\n'); sys.exit(2)"
    with started(log, words) as process, pytest.raises(LocalServerFailed) as raised:
        await_start(process, log, start=log.stat().st_size)
    text = str(raised.value)
    assert "P0 ended with exit code 2" in text
    assert "first\nppaurora: The port 7100 is taken." in text
    assert "another day" not in text


def test_a_server_that_was_killed_without_a_word_is_told_so(tmp_path: Path) -> None:
    log = tmp_path / "helper.log"
    words = r"helper ended by signal 9\. It wrote nothing"
    with (
        started(log, "import os; os.kill(os.getpid(), 9)") as process,
        pytest.raises(LocalServerFailed, match=words),
    ):
        await_start(process, log)


def test_the_wait_for_a_server_that_hangs_has_an_end_which_blames_no_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "P0.log"
    monkeypatch.setenv(START_SECONDS, "0.2")
    with started(log, "time.sleep(600)") as process, pytest.raises(LocalServerFailed) as raised:
        await_start(process, log)
    assert process.poll() is None or process.returncode == -9
    text = str(raised.value)
    assert f"P0 was still starting after 0.2 s, as process {process.pid}; see {log}" in text
    assert "Correct" not in text


@pytest.mark.parametrize("text", ["soon", "0", "-1", "inf", "nan"])
def test_a_wait_that_is_no_number_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(START_SECONDS, text)
    with (
        started(tmp_path / "P0.log", "") as process,
        pytest.raises(ConfigurationError, match="not a number of seconds"),
    ):
        await_start(process, tmp_path / "P0.log")
