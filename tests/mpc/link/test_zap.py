"""ZAP requests: the key is read from a whole CURVE request and from nothing else."""

from __future__ import annotations

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.link.zap import ADDRESS, DOMAIN, Request, ask_before_accepting, request_socket

KEY = bytes(range(32))
GOOD = [b"1.0", b"7", DOMAIN, b"192.0.2.1", b"", b"CURVE", KEY]


def test_a_whole_request_tells_address_mechanism_and_key() -> None:
    assert Request.decode(GOOD) == Request(b"7", "192.0.2.1", b"CURVE", KEY)


def test_a_plain_request_has_no_key() -> None:
    assert Request.decode([*GOOD[:5], b"NULL"]) == Request(b"7", "192.0.2.1", b"NULL")


@pytest.mark.parametrize(
    "frames",
    [
        [b"2.0", *GOOD[1:]],
        [*GOOD[:2], b"another", *GOOD[3:]],
        GOOD[:5],
        [b"1.0", b"7"],
    ],
)
def test_a_request_that_is_malformed_or_about_another_domain_tells_its_number_only(
    frames: list[bytes],
) -> None:
    assert Request.decode(frames) == Request(b"7")


@pytest.mark.parametrize(
    "frames",
    [
        [*GOOD[:5], b"PLAIN", KEY],
        [*GOOD[:6], KEY[:31]],
        [*GOOD[:6], KEY + b"!"],
        [*GOOD, b"more"],
        GOOD[:6],
    ],
)
def test_what_is_not_one_whole_curve_key_is_none(frames: list[bytes]) -> None:
    assert Request.decode(frames).key == b""


@given(st.lists(st.binary(max_size=40), max_size=9))
def test_noise_holds_no_key(frames: list[bytes]) -> None:
    assert Request.decode(frames).key == b""


def test_replies_name_the_request_and_the_user() -> None:
    request = Request.decode(GOOD)
    assert request.accepted("P1") == [b"1.0", b"7", b"200", b"OK", b"P1", b""]
    assert request.refused() == [b"1.0", b"7", b"400", b"refused", b"", b""]


@pytest.mark.zeromq
@pytest.mark.parametrize("accepts", [True, False])
def test_zeromq_asks_about_a_plain_client_and_does_as_it_is_told(accepts: bool) -> None:
    with (
        zmq.Context() as context,
        zmq.Context() as theirs,
        request_socket(context) as requests,
        context.socket(zmq.PULL) as server,
        theirs.socket(zmq.PUSH) as client,
    ):
        ask_before_accepting(server)
        server.linger = client.linger = 0
        port = server.bind_to_random_port("tcp://127.0.0.1")
        client.connect(f"tcp://127.0.0.1:{port}")
        client.send(b"let me in")
        assert requests.poll(5000)
        request = Request.decode(requests.recv_multipart())
        assert (request.address, request.mechanism) == ("127.0.0.1", b"NULL")
        requests.send_multipart(request.accepted("guest") if accepts else request.refused())
        assert bool(server.poll(5000 if accepts else 300)) is accepts


def test_the_address_is_the_one_that_zeromq_prescribes() -> None:
    assert ADDRESS == "inproc://zeromq.zap.01"
