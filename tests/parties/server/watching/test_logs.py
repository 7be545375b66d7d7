"""A log that cannot be written ends nothing, and strangers cannot fill it."""

from __future__ import annotations

import errno
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from ppaurora.mpc.link.listening_proxy import rejected
from ppaurora.mpc.role import Role
from ppaurora.parties.server.watching import logs
from ppaurora.parties.server.watching.logs import (
    MOST_OF_AN_EVENT,
    MOST_OF_ONE,
    MOST_TOLD_APART,
    log,
    log_often,
    log_unexpected,
)
from ppaurora.parties.server.watching.runtime_lines import JsonHandler
from ppaurora.parties.simulation.processes import command, environment
from tests.parties.world import World


class FullDisk:
    """A stderr on a disk that is full, or whose reader has gone."""

    def __init__(self, number: int) -> None:
        self.number = number

    def write(self, _: str) -> None:
        raise OSError(self.number, "no")

    def flush(self) -> None:
        raise OSError(self.number, "no")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_windows", {})
    monkeypatch.setattr(logs, "_lost", 0)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EPIPE, errno.EIO])
def test_a_log_that_cannot_be_written_raises_nothing_and_counts_the_lost_lines(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PPAURORA_DEBUG", "1")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", FullDisk(number))
        log("server starts")
        log_unexpected("request failed", KeyError("x"))
    log("server stops")
    log("again")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("lines_lost") for line in lines] == [2, None]


def test_lines_that_strangers_cause_are_limited_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(MOST_OF_ONE + 500):
        JsonHandler().emit(
            logging.LogRecord("ppaurora.audit", logging.WARNING, "", 0, "refused", (), None)
        )
    assert len(capsys.readouterr().err.splitlines()) == MOST_OF_ONE
    log_often("upload withdrawn")
    assert len(capsys.readouterr().err.splitlines()) == 1
    logs._windows["", "connection refused"].begun -= 61
    log_often("connection refused")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["suppressed"] == 500


def refused(address: str, why: str = "a connection from %s") -> None:
    """One line of the audit log about a stranger of this address."""
    record = logging.LogRecord("ppaurora.audit", logging.WARNING, "", 0, why, (address,), None)
    vars(record).update(rejected(address))
    JsonHandler().emit(record)


def details(captured: pytest.CaptureFixture[str]) -> list[str]:
    return [json.loads(line)["detail"] for line in captured.readouterr().err.splitlines()]


def test_one_loud_stranger_hides_no_line_about_another_or_of_another_kind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(MOST_OF_ONE + 500):
        refused("10.0.0.1")
    assert len(details(capsys)) == MOST_OF_ONE
    refused("10.0.0.2")
    refused("10.0.0.1", "an unknown key from %s")
    assert details(capsys) == ["a connection from 10.0.0.2", "an unknown key from 10.0.0.1"]


def test_many_loud_strangers_fill_no_log_and_hide_no_first_line_of_one_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(MOST_OF_ONE + 10):
        for number in range(20):
            refused(f"10.0.0.{number}")
    assert len(details(capsys)) == MOST_OF_AN_EVENT
    refused("10.0.1.1")
    refused("10.0.1.1")
    assert details(capsys) == ["a connection from 10.0.1.1"]


def test_strangers_without_end_are_told_apart_up_to_a_number_and_remembered_no_further(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(5000):
        refused(f"10.1.{number // 250}.{number % 250}")
    assert len(details(capsys)) <= MOST_TOLD_APART + MOST_OF_ONE
    assert len(logs._windows["", "connection refused"].about) <= MOST_TOLD_APART + 1


@pytest.mark.zeromq
def test_a_server_whose_log_has_no_reader_any_more_goes_on(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start(Role.P1, Role.HELPER)
        world.processes[Role.P0] = process = subprocess.Popen(
            command("server", str(world.site(Role.P0))),
            stderr=subprocess.PIPE,
            env=environment(),
        )
        assert process.stderr is not None
        assert b"server starts" in process.stderr.readline()
        process.stderr.close()
        world.upload()
        assert world.result("ann") == world.pooled()
        assert process.poll() is None
