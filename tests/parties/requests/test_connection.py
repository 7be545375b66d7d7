"""Connection and listener over real sockets: who is let in, and how each failure is told."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import zmq

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.keys import Identity, PublicKey, fingerprint
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.parties.errors import ConfigurationError, Unreachable
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.listener import LIFE_SIGN, Incoming, RequestListener
from ppaurora.parties.requests.messages import CHUNK_BYTES
from ppaurora.parties.requests.sockets import curve_socket
from tests.parties.slow_line import Line, relay
from tests.until import until

pytestmark = pytest.mark.zeromq
SERVER, ANN, EVE = (Identity.generate() for _ in range(3))
SOON = 20.0


@pytest.fixture
def port() -> int:
    return free_ports(1)[0]


@contextlib.contextmanager
def echoing(port: int, *, silent: bool = False) -> Iterator[list[Incoming]]:
    """A server that lets ann in and sends back what it receives, unless it is silent."""
    seen: list[Incoming] = []
    stopping = threading.Event()
    listener = RequestListener(SERVER, "127.0.0.1", port, lambda key: key == ANN.public.exchange)

    def serve() -> None:
        while not stopping.is_set():
            incoming = listener.receive(0.02)
            if incoming is not None:
                seen.append(incoming)
                if not silent:
                    listener.reply(incoming, incoming.payload[::-1])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield seen
    finally:
        stopping.set()
        thread.join()
        listener.close()


def connection(identity: Identity, port: int, key: PublicKey = SERVER.public) -> RequestConnection:
    return RequestConnection(identity, "P0", "127.0.0.1", port, key)


def test_a_reply_belongs_to_its_question_and_the_asker_is_its_key(port: int) -> None:
    with echoing(port) as seen, connection(ANN, port) as asked:
        assert [asked.ask(text, SOON) for text in (b"xyz", b"", b"de")] == [b"zyx", b"", b"ed"]
    assert {one.public for one in seen} == {ANN.public.exchange}
    assert "xyz" not in repr(seen)  # no letters of an address in memory


def test_a_key_that_is_not_admitted_is_told_so(port: int) -> None:
    refusal = pytest.raises(IdentityRefused, match="does not know your key")
    with echoing(port) as seen, connection(EVE, port) as asked, refusal:
        asked.ask(b"abc", SOON)
    assert seen == []


def test_a_server_with_another_key_is_not_spoken_to(port: int) -> None:
    refusal = pytest.raises(IdentityRefused, match="is not P0 with the key")
    with echoing(port) as seen, connection(ANN, port, EVE.public) as asked, refusal:
        asked.ask(b"abc", SOON)
    assert seen == []


def test_a_server_that_may_have_several_keys_is_known_by_the_one_it_proves(port: int) -> None:
    publics = (Identity.generate().public, EVE.public, SERVER.public)
    with echoing(port), RequestConnection(ANN, "P0", "127.0.0.1", port, *publics) as asked:
        assert asked.server_key(SOON) == SERVER.public
        assert asked.ask(b"abc", SOON) == b"cba"
    refusal = pytest.raises(IdentityRefused, match=" or ".join(map(fingerprint, publics[:2])))
    asked = RequestConnection(ANN, "P0", "127.0.0.1", port, *publics[:2])
    with echoing(port), asked, refusal:
        asked.ask(b"abc", SOON)


@pytest.mark.parametrize("after", [0, 20])
def test_a_line_that_breaks_is_not_taken_for_another_key(port: int, after: int) -> None:
    place = ("127.0.0.1", port)
    with (
        echoing(port),
        relay(place, Line(breaks_after=after)) as cut,
        connection(ANN, cut[1]) as asked,
        pytest.raises(Unreachable, match="breaks off every connection"),
    ):
        asked.ask(b"abc", SOON)


def test_a_server_that_once_proved_its_key_is_not_taken_for_another(port: int) -> None:
    with connection(ANN, port) as asked:
        with echoing(port):
            assert asked.ask(b"abc", SOON) == b"cba"
        with pytest.raises(Unreachable):
            asked.ask(b"abc", 0.3)
        asked._publics = (EVE.public,)  # from now on, every handshake fails
        with echoing(port), pytest.raises(Unreachable, match="breaks off every connection"):
            asked.ask(b"abc", SOON)


def test_another_program_at_the_address_is_told(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as other:
        threading.Thread(target=lambda: other.accept()[0].sendall(b"HTTP/1.1 400 ")).start()
        refusal = pytest.raises(IdentityRefused, match="is not P0 with the key")
        with connection(ANN, port) as asked, refusal:
            asked.ask(b"abc", SOON)


def test_silence_ends_with_the_patience(port: int) -> None:
    with echoing(port, silent=True), connection(ANN, port) as asked:
        assert asked.server_key(SOON)
        begun = time.monotonic()
        with pytest.raises(Unreachable, match=r"gave no answer within 0\.3 s"):
            asked.ask(b"abc", 0.3)
        assert time.monotonic() - begun < 10


def test_a_sign_of_life_comes_though_other_requests_wait(port: int) -> None:
    with echoing(port, silent=True) as seen, connection(ANN, port) as waiting:
        waiting.send(b"abc", SOON)
        until(lambda: seen)
        with connection(ANN, port) as asked:
            assert [asked.ask(LIFE_SIGN, SOON) for _ in range(3)] == [LIFE_SIGN] * 3
    assert [one.payload for one in seen] == [b"abc"]


def test_one_request_at_a_time_is_taken_from_a_connection(port: int) -> None:
    with echoing(port, silent=True) as seen, connection(ANN, port) as asked:
        for number in range(3):
            question = asked.send(b"abc", SOON)
            until(lambda number=number: len(seen) > number)  # type: ignore[misc]
            with pytest.raises(Unreachable):
                asked.answer(question, 0.1)
        asked._open(SOON)
        for number in range(100):
            asked._dealer.send_multipart([number.to_bytes(8, "big"), b"many"])
        until(lambda: len(seen) > 3)
        time.sleep(0.5)  # in which more would be taken
    assert [one.payload for one in seen] == [b"abc"] * 3 + [b"many"]


def test_of_the_largest_requests_several_may_be_under_way(port: int) -> None:
    """None is whole at the server before the reply to the last, even where replies are kept."""
    asked_for = [bytes([number]) * CHUNK_BYTES for number in range(20)]
    with echoing(port), connection(ANN, port) as asked:
        numbers = [asked.send(payload, 20) for payload in asked_for[:8]]
        for place, payload in enumerate(asked_for):
            assert asked.answer(numbers[place], 20) == payload
            numbers += [asked.send(later, 20) for later in asked_for[place + 8 :][:1]]


def test_nobody_listening_is_told(port: int) -> None:
    with connection(ANN, port) as asked, pytest.raises(Unreachable, match="is not running"):
        asked.ask(b"abc", SOON)


def test_a_place_can_be_listened_on_once(port: int) -> None:
    with echoing(port), pytest.raises(ConfigurationError, match="cannot listen on"):
        RequestListener(SERVER, "127.0.0.1", port, lambda _: True)


def test_a_greeting_that_comes_byte_by_byte_has_no_longer_than_one_that_comes_at_once() -> None:
    said = bytearray()
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            client, _ = listening.accept()
            with client, contextlib.suppress(OSError):
                for byte in b"\xff" + bytes(63):
                    client.sendall(bytes([byte]))
                    said.append(byte)
                    if over.wait(0.05):
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        with connection(ANN, listening.getsockname()[1]) as asked:
            with pytest.raises(Unreachable, match="does not answer"):
                asked.ask(b"abc", 0.4)
            over.set()
    thread.join()
    assert 0 < len(said) < 64


def test_a_client_takes_few_answers_that_it_did_not_ask_for() -> None:
    """The rest waits with the server: it fills no memory of an owner, or of another server."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    server = curve_socket(context, zmq.ROUTER, SERVER)
    server.curve_server = True
    for option, value in ((zmq.SNDHWM, 1), (zmq.ROUTER_MANDATORY, 1), (zmq.SNDTIMEO, 300)):
        server.setsockopt(option, value)
    port = server.bind_to_random_port("tcp://127.0.0.1")
    taken = 0
    with connection(ANN, port) as asked:
        number = asked.send(b"abc", SOON)
        route, asked_number, _ = server.recv_multipart()
        with contextlib.suppress(zmq.Again):
            while taken < 200:
                server.send_multipart([route, b"unasked", bytes(CHUNK_BYTES)])
                taken += 1
        assert taken < 100
        server.setsockopt(zmq.SNDTIMEO, 5000)
        threading.Thread(
            target=server.send_multipart, args=([route, asked_number, b"cba"],)
        ).start()
        assert asked.answer(number, SOON) == b"cba"
    server.close(0)
    context.term()
