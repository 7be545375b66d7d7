"""Messages: what is encoded decodes to the same, and nothing else decodes at all."""

from __future__ import annotations

import contextlib

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import BadFrame
from ppaurora.parties.requests.messages import (
    MAX_MESSAGE_BYTES,
    AskStatus,
    BeginUpload,
    Done,
    Envelope,
    Holding,
    Holdings,
    ProposeSession,
    Received,
    Refused,
    Reply,
    Request,
    ResultPart,
    SendChunk,
    decode_reply,
    encode_reply,
)

natural = st.integers(0, 2**64 - 1)
holding = st.builds(Holding, st.text(max_size=9), st.binary(max_size=16), natural)
holdings = st.lists(holding, max_size=4).map(tuple)
requests = st.one_of(
    st.just(AskStatus()),
    st.builds(BeginUpload, st.binary(max_size=16), natural, natural, st.binary(max_size=32)),
    st.builds(SendChunk, st.binary(max_size=16), natural, st.binary(max_size=99)),
    st.builds(ProposeSession, st.binary(max_size=16), holdings),
)
replies = st.one_of(
    st.just(Done()),
    st.builds(Refused, st.text(max_size=9), st.text(max_size=9), st.text(max_size=9)),
    st.builds(Received, natural, st.booleans()),
    st.builds(Holdings, holdings, st.lists(st.text(max_size=9), max_size=3).map(tuple), natural),
    st.builds(
        ResultPart, st.binary(max_size=16), st.lists(natural, max_size=3).map(tuple), st.text()
    ),
)


@given(requests)
def test_a_request_survives_the_journey(request: Request) -> None:
    envelope = Envelope("trial", b"h" * 32, request)
    assert Envelope.decode(envelope.encode()) == envelope


@given(replies)
def test_a_reply_survives_the_journey(reply: Reply) -> None:
    assert decode_reply(encode_reply(reply)) == reply


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    for decode in (Envelope.decode, decode_reply):
        with pytest.raises(BadFrame):
            decode(noise)


@given(requests, st.data())
def test_a_damaged_request_is_refused_or_another_request(
    request: Request, data: st.DataObject
) -> None:
    encoded = bytearray(Envelope("trial", b"h" * 32, request).encode())
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(BadFrame):
        Envelope.decode(bytes(encoded))


@pytest.mark.parametrize(
    "content",
    [
        [1, "trial", b"h", ["AskStatus"], 5],
        [2, "trial", b"h", ["AskStatus"]],
        [1, "trial", "h", ["AskStatus"]],
        [1, "trial", b"h", ["AskStatus", 1]],
        [1, "trial", b"h", ["Done"]],
        [1, "trial", b"h", ["Holding", "a", b"", 1]],
        [1, "trial", b"h", []],
        [1, "trial", b"h", [7]],
        [1, "trial", b"h", ["SendChunk", b"", -1, b""]],
        [1, "trial", b"h", ["SendChunk", b"", True, b""]],
        [1, "trial", b"h", ["ProposeSession", b"", [["Done"]]]],
        [1, "trial", b"h", ["ProposeSession", b"", 4]],
        {"version": 1},
    ],
)
def test_almost_right_is_wrong(content: object) -> None:
    with pytest.raises(BadFrame):
        Envelope.decode(msgpack.packb(content))


def test_an_endless_message_is_refused() -> None:
    with pytest.raises(BadFrame, match="at most"):
        decode_reply(bytes(MAX_MESSAGE_BYTES + 1))
