"""Messages: what is encoded decodes to the same, and nothing else decodes at all."""

from __future__ import annotations

import contextlib
import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import BadFrame
from ppaurora.parties.requests.messages import (
    AskStatus,
    BeginUpload,
    Done,
    KnownVerdict,
    ProposeSession,
    Received,
    Refused,
    Reply,
    Request,
    ResultPart,
    SendChunk,
    StoredUploads,
)
from ppaurora.parties.requests.wire import (
    MAX_MESSAGE_BYTES,
    VERSION,
    Envelope,
    decode_reply,
    encode_reply,
    open_envelope,
)
from ppaurora.parties.study.rule import StoredUpload

natural = st.integers(0, 2**64 - 1)
holding = st.builds(StoredUpload, st.text(max_size=9), st.binary(max_size=16), natural)
stored_uploads = st.lists(holding, max_size=4).map(tuple)
requests = st.one_of(
    st.just(AskStatus()),
    st.builds(BeginUpload, st.binary(max_size=16), natural, natural, st.binary(max_size=32)),
    st.builds(SendChunk, st.binary(max_size=16), natural, st.binary(max_size=99)),
    st.builds(ProposeSession, st.binary(max_size=16), stored_uploads),
)
replies = st.one_of(
    st.just(Done()),
    st.builds(Refused, st.text(max_size=9), st.text(max_size=9), st.text(max_size=9)),
    st.builds(Received, natural, st.booleans()),
    st.builds(
        StoredUploads, stored_uploads, st.lists(st.text(max_size=9), max_size=3).map(tuple), natural
    ),
    st.builds(
        ResultPart, st.binary(max_size=16), st.lists(natural, max_size=3).map(tuple), st.text()
    ),
)


def opened_whole(data: bytes) -> Request:
    return open_envelope(data).request()


def read_whole(data: bytes) -> Envelope:
    opened = open_envelope(data)
    return Envelope(opened.study_id, opened.study_hash, opened.request())


def in_an_envelope(head: object, request: object) -> bytes:
    packed = msgpack.packb(head)
    return bytes([len(packed)]) + packed + msgpack.packb(request)


@given(requests)
def test_a_request_survives_the_journey(request: Request) -> None:
    envelope = Envelope("trial", b"h" * 32, request)
    opened = open_envelope(envelope.encode())
    assert (opened.study_id, opened.study_hash) == ("trial", b"h" * 32)
    assert opened.kind is type(request)
    assert opened.request() == request


@given(replies)
def test_a_reply_survives_the_journey(reply: Reply) -> None:
    assert decode_reply(encode_reply(reply)) == reply


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    for decode in (opened_whole, decode_reply):
        with pytest.raises(BadFrame):
            decode(noise)


@given(requests, st.data())
def test_a_damaged_request_is_refused_or_another_request(
    request: Request, data: st.DataObject
) -> None:
    sent = Envelope("trial", b"h" * 32, request)
    encoded = bytearray(sent.encode())
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(BadFrame):
        read = read_whole(bytes(encoded))
        assert read != sent
        assert read_whole(read.encode()) == read


HEAD = [VERSION, "trial", b"h"]


@pytest.mark.parametrize(
    "content",
    [
        in_an_envelope(HEAD, ["AskStatus"]) + b"\x05",
        in_an_envelope([1, "trial", b"h"], ["AskStatus"]),
        in_an_envelope([4, "trial", "h"], ["AskStatus"]),
        in_an_envelope([*HEAD, 5], ["AskStatus"]),
        in_an_envelope(HEAD, ["AskStatus", 1]),
        in_an_envelope(HEAD, ["Done"]),
        in_an_envelope(HEAD, ["StoredUpload", "a", b"", 1]),
        in_an_envelope(HEAD, []),
        in_an_envelope(HEAD, [7]),
        in_an_envelope(HEAD, 7),
        in_an_envelope(HEAD, ["SendChunk", b"", -1, b""]),
        in_an_envelope(HEAD, ["SendChunk", b"", True, b""]),
        in_an_envelope(HEAD, ["SendChunk", b"", 0, {}]),
        in_an_envelope(HEAD, ["ProposeSession", b"", [["Done"]]]),
        in_an_envelope(HEAD, ["BeginUpload", b"", 2, 1, b"", [1, -1]]),
        in_an_envelope(HEAD, ["BeginUpload", b"", 2, 1, b"", [[1]]]),
        in_an_envelope(HEAD, ["BeginUpload", b"", 2, 1, b"", 2]),
        in_an_envelope(HEAD, ["ProposeSession", b"", 4]),
        in_an_envelope({"version": 2}, ["AskStatus"]),
        b"",
    ],
)
def test_almost_right_is_wrong(content: bytes) -> None:
    with pytest.raises(BadFrame):
        opened_whole(content)


def test_an_endless_message_is_refused() -> None:
    with pytest.raises(BadFrame, match="at most"):
        decode_reply(bytes(MAX_MESSAGE_BYTES + 1))


def test_an_endless_request_is_refused_before_its_study_is_looked_up() -> None:
    """A proposal may be longest; one that is longer is not even opened."""
    longest = Envelope("s", bytes(32), ProposeSession(bytes(16), ())).encode()
    padded = longest.ljust(MAX_MESSAGE_BYTES, b"\xc0")
    assert open_envelope(padded).study_id == "s"
    with pytest.raises(BadFrame, match="at most"):
        open_envelope(padded + b"\xc0")


LISTS: list[object] = [[]] * 1_000_000


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (["SendChunk", b"", 0, LISTS], "a list where none may be"),
        (["SendChunk", *LISTS], "with 1000000 fields"),
        ([LISTS], "of an unknown kind|not msgpack"),
        (["AskStatus", LISTS], "AskStatus message of 1000016 bytes, at most 4096"),
        (["BeginUpload", b"u" * 5000, 1, 1, b""], "at most 4096"),
    ],
)
def test_of_a_megabyte_of_lists_hardly_anything_is_decoded(request_: object, why: str) -> None:
    data = in_an_envelope(HEAD, request_)
    tracemalloc.start()
    try:
        with pytest.raises(BadFrame, match=why):
            opened_whole(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6_000_000  # a million lists take more than 60


def test_verdicts_that_are_known_cross_the_wire_both_ways() -> None:
    known = (KnownVerdict(b"u" * 16, 0, True), KnownVerdict(b"v" * 16, 2, False))
    told = StoredUploads((), (), 1, b"", known)
    assert decode_reply(encode_reply(told)) == told
    asked = ProposeSession(b"s" * 16, (), verdicts=known)
    envelope = Envelope("trial", bytes(32), asked).encode()
    assert open_envelope(envelope).request() == asked
