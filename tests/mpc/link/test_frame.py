"""The header's decoder accepts what the encoder writes, byte for byte, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.frame import MAX_HEADER_BYTES, MAX_NUMBER, VERSION, Abort, Header, Kind
from ppaurora.mpc.role import Role

NUMBERS = st.integers(0, MAX_NUMBER)
HEADERS = st.builds(
    Header,
    st.binary(min_size=16, max_size=16),
    NUMBERS,
    NUMBERS,
    NUMBERS,
    st.sampled_from(Kind),
    NUMBERS,
)
GOOD = Header(bytes(16), 1, 2, 3, Kind.OPEN, 4)


def accepts_only_canonical(data: bytes) -> None:
    try:
        header = Header.decode(data)
    except BadFrame:
        return
    assert header.encode() == data


@given(HEADERS)
def test_a_header_comes_back(header: Header) -> None:
    encoded = header.encode()
    assert len(encoded) <= MAX_HEADER_BYTES
    assert Header.decode(encoded) == header


@given(st.binary(max_size=80))
def test_noise_is_refused(data: bytes) -> None:
    accepts_only_canonical(data)


@given(HEADERS, st.data())
def test_a_mutated_header_is_refused_or_another_canonical_one(
    header: Header, data: st.DataObject
) -> None:
    encoded = bytearray(header.encode())
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] = data.draw(st.integers(0, 255))
    accepts_only_canonical(bytes(encoded))


@given(HEADERS, st.integers(0, MAX_HEADER_BYTES), st.binary(min_size=1, max_size=9))
def test_neither_less_nor_more(header: Header, cut: int, more: bytes) -> None:
    encoded = header.encode()
    with pytest.raises(BadFrame):
        Header.decode(encoded[: min(cut, len(encoded) - 1)])
    with pytest.raises(BadFrame):
        Header.decode(encoded + more)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ([VERSION + 1, bytes(16), 1, 2, 3, 2, 4], f"version '{VERSION + 1}', not {VERSION}"),
        ([True, bytes(16), 1, 2, 3, 2, 4], "version"),
        ([VERSION, bytes(15), 1, 2, 3, 2, 4], "session"),
        ([VERSION, "x" * 16, 1, 2, 3, 2, 4], "session"),
        ([VERSION, bytes(16), -1, 2, 3, 2, 4], "out of range"),
        ([VERSION, bytes(16), 1, True, 3, 2, 4], "not a number"),
        ([VERSION, bytes(16), 1, 2.0, 3, 2, 4], "not a number"),
        ([VERSION, bytes(16), 1, 2, 3, 2, MAX_NUMBER + 1], "out of range"),
        ([VERSION, bytes(16), 1, 2, 3, 99, 4], "unknown kind"),
        ([VERSION, bytes(16), 1, 2, 3, 2], "seven"),
        ([VERSION, bytes(16), 1, 2, 3, 2, 4, 5], "seven"),
        ({"version": 1}, "seven"),
        (None, "seven"),
    ],
)
def test_every_wrong_field_is_named(fields: object, complaint: str) -> None:
    with pytest.raises(BadFrame, match=complaint):
        Header.decode(msgpack.packb(fields))


def test_a_longer_encoding_of_the_same_number_is_refused() -> None:
    encoded = GOOD.encode()
    assert encoded[-1] == 4
    with pytest.raises(BadFrame, match="canonical"):
        Header.decode(encoded[:-1] + b"\xcc\x04")


def test_an_overlong_header_is_refused_unread() -> None:
    with pytest.raises(BadFrame, match="at most"):
        Header.decode(b"\xdd\xff\xff\xff\xff" + bytes(MAX_HEADER_BYTES))


def test_headers_are_frozen() -> None:
    with pytest.raises(AttributeError):
        GOOD.step = 9  # type: ignore[misc]
    assert replace(GOOD, step=9).step == 9


@given(st.sampled_from(Role), st.text(max_size=300))
def test_an_abort_comes_back_printable(culprit: Role, reason: str) -> None:
    message = Abort.decode(Abort(culprit, reason).encode())
    assert message.culprit is culprit
    assert message.reason.isascii()
    assert message.reason.isprintable()
    assert Abort.decode(message.encode()) == message


@given(st.binary(max_size=220))
def test_an_abort_of_noise_is_refused(data: bytes) -> None:
    try:
        message = Abort.decode(data)
    except BadFrame:
        return
    assert message.encode() == data
