"""More connections than a key, or a server, may have: told to the new one, and waited for."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.parties.errors import TooManyConnections, Unreachable
from ppaurora.parties.requests import connection, request_proxy
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.request_proxy import REQUEST_BYTES
from tests.parties.requests.test_request_proxy import ANN, BEN, SERVER, SOON, audit, serving
from tests.until import later, until

pytestmark = pytest.mark.zeromq


def test_one_connection_too_many_of_a_key_is_told_so_and_none_is_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(Caps(of_a_key=2)) as served, contextlib.ExitStack() as stack:
        first, second, third = (stack.enter_context(served.connection(ANN)) for _ in range(3))
        for asked in (first, second):
            assert asked.ask(b"abc", SOON) == b"well"
        before = served.connections
        with pytest.raises(TooManyConnections, match="as many as it takes of one"):
            third.ask(b"abc", 0.5)
        assert "has too many" in audit(caplog)
        for asked in (first, second):
            assert asked.ask(b"abc", SOON) == b"well"
        assert [one for one in served.connections if one in before] == before
        assert served.answers(BEN)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(third.ask, b"abc", SOON)
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
            second.close()
            assert waiting.result() == b"well"


def test_a_connection_that_nobody_uses_gives_way_and_its_program_opens_another_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(Caps(of_a_key=2)) as served, contextlib.ExitStack() as stack:
        first, second, third = (stack.enter_context(served.connection(ANN)) for _ in range(3))
        for asked in (first, second):
            assert asked.ask(b"abc", SOON) == b"well"
        later(monkeypatch, request_proxy.IDLE_SECONDS + 1)
        assert second.ask(b"abc", SOON) == b"well"
        assert third.ask(b"abc", SOON) == b"well"
        until(lambda: len(served.connections) == 2)
        second.close()
        # without a word of what happened meanwhile
        assert first.ask(b"abc", SOON) == b"well"


def test_a_connection_whose_question_is_not_answered_yet_does_not_give_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(Caps(of_a_key=1)) as served, served.connection(ANN) as asked:
        assert asked.ask(b"abc", SOON) == b"well"
        served.paused = True
        number = asked.send(b"a long computation", SOON)
        until(lambda: served.connections[0].allowance < REQUEST_BYTES)
        later(monkeypatch, request_proxy.IDLE_SECONDS + 1)
        with ThreadPoolExecutor(1) as pool, served.connection(ANN) as another:
            waiting = pool.submit(another.ask, b"abc", 2 * SOON)
            served.paused = False
            assert asked.answer(number, SOON) == b"well"
            asked.close()
            assert waiting.result() == b"well"


def test_a_participant_waits_for_room_at_a_server_that_is_full_and_a_server_does_not() -> None:
    with serving(Caps(in_all=1)) as served, contextlib.ExitStack() as stack:
        held = stack.enter_context(served.connection(BEN))
        assert held.ask(b"abc", SOON) == b"well"
        place = ANN, "P0", "127.0.0.1", served.port, SERVER.public
        with RequestConnection(*place) as hurried, pytest.raises(Unreachable, match="breaks off"):
            hurried.ask(b"abc", SOON)
        patient = stack.enter_context(RequestConnection(*place, crowded_seconds=SOON))
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(patient.ask, b"abc", SOON)
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
            held.close()
            assert waiting.result() == b"well"


def test_what_breaks_every_connection_off_is_not_tried_for_as_long_as_a_crowded_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "STRANGERS_SECONDS", 0.5)
    with serving(Caps(in_all=1)) as served, served.connection(BEN) as held:
        assert held.ask(b"abc", SOON) == b"well"
        place = ANN, "P0", "127.0.0.1", served.port, SERVER.public
        with (
            RequestConnection(*place, crowded_seconds=3600.0) as asked,
            pytest.raises(Unreachable, match="breaks off every connection"),
        ):
            asked.ask(b"abc", SOON)
