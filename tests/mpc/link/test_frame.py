"""The header's decoder accepts what the encoder writes, byte for byte, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.frame import (
    HEADER_BYTES,
    LAYOUT,
    MAX_NUMBER,
    MOST_TIME,
    VERSION,
    Abort,
    Header,
    Kind,
)
from ppaurora.mpc.role import Role

NUMBERS = st.integers(0, MAX_NUMBER)
HEADERS = st.builds(
    Header,
    st.binary(min_size=16, max_size=16),
    NUMBERS,
    st.integers(0, MOST_TIME),
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
    assert len(encoded) == HEADER_BYTES
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


@given(HEADERS, st.integers(0, HEADER_BYTES - 1), st.binary(min_size=1, max_size=9))
def test_neither_less_nor_more(header: Header, cut: int, more: bytes) -> None:
    encoded = header.encode()
    with pytest.raises(BadFrame):
        Header.decode(encoded[:cut])
    with pytest.raises(BadFrame):
        Header.decode(encoded + more)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ((VERSION + 1, bytes(16), 1, 2, 3, 2, 4), f"version {VERSION + 1}, not {VERSION}"),
        ((VERSION, bytes(16), MAX_NUMBER + 1, 2, 3, 2, 4), "out of range"),
        ((VERSION, bytes(16), 1, MOST_TIME + 1, 3, 2, 4), "out of range"),
        ((VERSION, bytes(16), 1, 2, MAX_NUMBER + 1, 2, 4), "out of range"),
        ((VERSION, bytes(16), 1, 2, 3, 2, MAX_NUMBER + 1), "out of range"),
        ((VERSION, bytes(16), 1, 2, 3, 0, 4), "unknown kind"),
        ((VERSION, bytes(16), 1, 2, 3, 99, 4), "unknown kind"),
    ],
)
def test_every_wrong_field_is_named(fields: tuple[object, ...], complaint: str) -> None:
    with pytest.raises(BadFrame, match=complaint):
        Header.decode(LAYOUT.pack(*fields))


@pytest.mark.parametrize("length", [1, HEADER_BYTES - 1, HEADER_BYTES + 1])
def test_a_header_of_another_version_is_told_by_its_first_byte(length: int) -> None:
    with pytest.raises(BadFrame, match=f"version 151, not {VERSION}") as caught:
        Header.decode(b"\x97" * length)
    assert caught.value.field == "version"


@pytest.mark.parametrize("length", [0, 1, HEADER_BYTES - 1, HEADER_BYTES + 1])
def test_a_header_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(BadFrame, match=f"of {length} bytes, not {HEADER_BYTES}"):
        Header.decode(bytes([VERSION]) * length)


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
