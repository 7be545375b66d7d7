"""Pages for programs of the same machine: what is answered, and that nobody holds them up."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.requests import local_pages
from ppaurora.parties.requests.local_pages import MOST_HEAD_BYTES, LocalPage, LocalPages, asked

Place = tuple[str, int]
HERE = "/here"
LARGE = "x" * 900_000


@pytest.fixture(params=["127.0.0.1", "::1"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """The port at which two pages are served, and one that fails."""
    address = (request.param, *free_ports(1))
    pages = LocalPages(*address)
    pages.start(
        {
            HERE: lambda: LocalPage(200, "well\n"),
            "/large": lambda: LocalPage(200, LARGE),
            "/": _fail,
        }
    )
    try:
        yield address
    finally:
        pages.close()


def _fail() -> LocalPage:
    raise RuntimeError("nobody is told this")


def said(place: Place, *pieces: bytes, seconds: float = 10.0) -> bytes:
    """The bytes that come back until the connection is closed."""
    told = b""
    with (
        contextlib.suppress(ConnectionResetError, BrokenPipeError),
        socket.create_connection(place, seconds) as line,
    ):
        for piece in pieces:
            line.sendall(piece)
        while piece := line.recv(1 << 16):
            told += piece
    return told


def test_an_ordinary_client_gets_the_page_and_one_answer_a_connection(place: Place) -> None:
    client = HTTPConnection(*place, timeout=10)
    client.request("GET", f"{HERE}?of=what")
    answer = client.getresponse()
    assert (answer.status, answer.read()) == (200, b"well\n")
    assert answer.will_close
    client.close()
    twice = f"GET {HERE} HTTP/1.1\r\n\r\n".encode() * 2
    assert said(place, twice).count(b"HTTP/1.1 ") == 1


def test_a_large_page_arrives_whole_over_a_connection_that_takes_it_in_pieces(place: Place) -> None:
    page = asked(place, "/large", 10.0)
    assert page is not None
    assert page.text == LARGE


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"GET /elsewhere HTTP/1.1\r\n\r\n", 404),
        (b"GET /here/../here HTTP/1.1\r\n\r\n", 404),
        (b"GET /\xff\x00 HTTP/1.0\r\n\r\n", 404),
        (b"POST /here HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 405),
        (b"HEAD /here HTTP/1.1\r\n\r\n", 405),
        (b"GET /here HTTP/2.0\r\n\r\n", 400),
        (b"GET  /here HTTP/1.1\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 500),
    ],
)
def test_what_is_no_page_has_an_error_of_its_own(
    place: Place, request_text: bytes, status: int
) -> None:
    told = said(place, request_text)
    assert told.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"nobody is told this" not in told


def test_a_request_without_an_end_is_refused_at_its_largest_size(place: Place) -> None:
    head = b"GET /here HTTP/1.1\r\nX: "
    told = said(place, head + b"x" * (MOST_HEAD_BYTES + 1 - len(head)))
    assert told.startswith(b"HTTP/1.1 431 ")
    said(place, b"GET /" + b"x" * (8 << 20))  # cut off, or refused
    assert asked(place, HERE, 10.0) == LocalPage(200, "well\n")


def test_who_sends_its_request_byte_by_byte_is_ended_when_its_time_is_over(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_pages, "SECONDS", 0.3)
    with socket.create_connection(place, 10.0) as line, contextlib.suppress(OSError):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            line.sendall(b"x")
            time.sleep(0.05)
    assert time.monotonic() < until


def test_silent_connections_keep_nobody_out_and_few_are_kept(place: Place) -> None:
    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(place, 10.0)) for _ in range(1000)]
        assert asked(place, HERE, 10.0) == LocalPage(200, "well\n")
        assert sum(map(is_open, silent)) < local_pages.MOST_CONNECTIONS


def is_open(line: socket.socket) -> bool:
    """Return whether the other end has not closed it yet."""
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True


def test_answers_come_while_others_connect_and_leave_without_end(place: Place) -> None:
    over = threading.Event()

    def crowd() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError), socket.create_connection(place, 10.0) as line:
                line.sendall(b"GET /he")

    threads = [threading.Thread(target=crowd) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        until, answers = time.monotonic() + 30, 0
        while answers < 20:
            assert time.monotonic() < until
            page = asked(place, HERE, 10.0)  # none if this machine kept us from asking at once
            answers += page == LocalPage(200, "well\n")
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_taken_port_is_told_with_what_to_do() -> None:
    [port] = free_ports(1)
    first = LocalPages("127.0.0.1", port)
    with pytest.raises(ConfigurationError, match="cannot tell how it is at") as caught:
        LocalPages("127.0.0.1", port)
    first.close()
    assert "[server] health" in caught.value.advice


def test_nobody_there_is_no_page() -> None:
    [port] = free_ports(1)
    assert asked(("127.0.0.1", port), HERE, 1.0) is None


def test_what_is_no_http_is_no_page() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def babble() -> None:
            line, _ = listening.accept()
            with line:
                line.sendall(b"HTTP/1.1 2000 OK\r\n\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        assert asked(listening.getsockname(), HERE, 10.0) is None
        thread.join()
