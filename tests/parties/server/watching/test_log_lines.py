"""Every line that servers log keeps the published schema, and says whose it is."""

from __future__ import annotations

import ast
import json
import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ppaurora import Server, Site
from ppaurora.mpc.link.listening_proxy import AUDIT, rejected
from ppaurora.mpc.role import Role
from ppaurora.parties.server.watching import logs
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.server.watching.counts import REFUSED, Counts
from ppaurora.parties.server.watching.logs import (
    MOST_OF_ONE,
    LogLevel,
    lines_about,
    lines_of,
    log,
    log_often,
)
from ppaurora.parties.server.watching.runtime_lines import log_everything_as_json, refusals_counted
from tests.parties.server.watching.test_health import knock_without_a_key
from tests.parties.world import World
from tests.until import until

PARTIES = Path(__file__).resolve().parents[4] / "parties"
LOG_LINE = PARTIES / "server" / "watching" / "log_line.schema.json"
SCHEMA = json.loads(LOG_LINE.read_text(encoding="utf-8"))
LOGGING = {"log", "log_often", "log_unexpected"}


@pytest.fixture(autouse=True)
def as_in_a_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A context in which the runtime's lines come into the same log."""
    monkeypatch.setattr(logs, "_windows", {})
    logger = logging.getLogger("ppaurora")
    before = logger.handlers, logger.propagate, logger.level
    log_everything_as_json()
    yield
    logger.handlers, logger.propagate = before[:2]
    logger.setLevel(before[2])


def lines(captured: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The lines logged since the last call; every line keeps the schema."""
    told = [json.loads(line) for line in captured.readouterr().err.splitlines()]
    for line in told:
        Draft202012Validator(SCHEMA).validate(line)
    return told


@pytest.mark.zeromq
def test_the_lines_of_three_servers_in_one_process_keep_the_schema_and_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with World(tmp_path) as world:
        with ExitStack() as stack:
            servers = {
                role: stack.enter_context(Server(Site.load(world.site(role))).running())
                for role in Role
            }
            knock_without_a_key(servers[Role.P1])
            world.upload()
            assert world.result("ann") == world.pooled()
            told: list[dict[str, Any]] = []

            def ended() -> list[dict[str, Any]]:
                told.extend(lines(capsys))
                return [line for line in told if line["event"] == "session ends"]

            until(lambda: len(ended()) == len(Role))
        told += lines(capsys)
        by_server = {
            role: [line for line in told if line["server"] == server.name]
            for role, server in servers.items()
        }
        assert sum(map(len, by_server.values())) == len(told)
        for role, own in by_server.items():
            events = [line["event"] for line in own]
            assert (events[0], events[-1]) == ("server starts", "server stops")
            assert {line["role"] for line in own if "role" in line} == {str(role)}
            assert {"session starts", "session ends"} <= set(events)
        strangers = [line for line in told if line["event"] == "connection refused"]
        assert {(line["server"], line["level"], line["peer"]) for line in strangers} == {
            (servers[Role.P1].name, "warning", "127.0.0.1")
        }
        uploads = [line for line in told if line["event"] == "upload stored"]
        assert [line["peer"] for line in uploads] == ["127.0.0.1"] * 6
        assert not [line for line in told if line["event"].startswith("session") and "peer" in line]


@pytest.mark.zeromq
def test_a_line_about_another_server_has_its_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[dict[str, Any]] = []
    passed = [0.0]
    clock = Clock(steady=lambda: time.monotonic() + passed[0])

    def named() -> list[dict[str, Any]]:
        told.extend(lines(capsys))
        return [line for line in told if line["event"] == "clocks not compared"]

    with World(tmp_path) as world:
        server = Server(Site.load(world.site(Role.P0)), clock, exchange_seconds=0.1)
        with server.running():
            until(lambda: clock._silent)
            assert not named()
            passed[0] = 700.0
            until(named)
        [line] = named()
        assert line["peer"] == f"127.0.0.1:{world.study.server(Role.P1).port}"


def test_every_event_of_the_code_is_in_the_schema_and_the_other_way_round() -> None:
    events = {
        part.value
        for path in PARTIES.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in LOGGING
        for part in _outcomes(call.args[0])
        if isinstance(part, ast.Constant)
    }
    assert events == set(SCHEMA["properties"]["event"]["enum"])


def _outcomes(event: ast.expr) -> list[ast.expr]:
    """The values that an argument may have: both ends of a condition, or itself."""
    return [event.body, event.orelse] if isinstance(event, ast.IfExp) else [event]


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "fatal"},
        {"event": "something else"},
        {"time": "yesterday"},
        {"server": "P0"},
        {"score": 0.5},
        {"session": "whole"},
    ],
)
def test_the_schema_refuses_what_is_no_line(
    wrong: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    log("server starts")
    [line] = lines(capsys)
    assert not Draft202012Validator(SCHEMA).is_valid({**line, **wrong})


def test_a_line_has_its_level_its_server_and_the_peer_of_the_request(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with lines_of("AAAA-AAAA-AAAA-AAAA-AAAA"), lines_about("10.0.0.1"):
        log("upload stored")
        log("connection refused", level=LogLevel.WARNING, peer="10.0.0.2")
    log("server stops")
    told = [(line["server"][:4], line["level"], line.get("peer")) for line in lines(capsys)]
    assert told == [
        ("AAAA", "info", "10.0.0.1"),
        ("AAAA", "warning", "10.0.0.2"),
        ("", "info", None),
    ]


def test_a_loud_server_hides_no_line_of_another_one_in_the_same_process(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for server in ("AAAA-AAAA-AAAA-AAAA-AAAA", "BBBB-BBBB-BBBB-BBBB-BBBB"):
        with lines_of(server):
            for _ in range(MOST_OF_ONE + 5):
                log_often("disk fault")
        assert len(lines(capsys)) == MOST_OF_ONE


@pytest.mark.parametrize(
    ("number", "level"),
    [(logging.INFO, "info"), (logging.WARNING, "warning"), (logging.CRITICAL, "error")],
)
def test_what_the_runtime_logs_keeps_its_level(
    number: int, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("ppaurora.trial").log(number, "told")
    [line] = lines(capsys)
    assert (line["event"], line["level"], line["detail"]) == ("runtime", level, "told")


def test_a_server_counts_its_own_strangers_even_if_their_lines_are_not_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = Counts()
    with refusals_counted("AAAA-AAAA-AAAA-AAAA-AAAA", counts):
        with lines_of("AAAA-AAAA-AAAA-AAAA-AAAA"):
            for _ in range(MOST_OF_ONE + 5):
                AUDIT.warning("refused one from %s", "10.0.0.1", extra=rejected("10.0.0.1"))
            AUDIT.warning("cannot accept connections now")
        with lines_of("BBBB-BBBB-BBBB-BBBB-BBBB"):
            AUDIT.warning("refused one from %s", "10.0.0.1", extra=rejected("10.0.0.1"))
    AUDIT.warning("refused one from %s", "10.0.0.1", extra=rejected("10.0.0.1"))
    assert counts.so_far(REFUSED) == {"": MOST_OF_ONE + 5}
    assert len(lines(capsys)) < MOST_OF_ONE + 5
