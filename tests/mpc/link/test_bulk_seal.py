"""Sealed frames of a bulk lane: opened by their receiver in their place, and by nobody else."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.bulk_seal import (
    HELLO_BYTES,
    PIECE_BYTES,
    SEALED_HEAD_BYTES,
    TAG_BYTES,
    Opener,
    Sealer,
    hello,
    pieces,
    sealed_length,
)
from ppaurora.mpc.link.frame import HEADER_BYTES

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
SESSION, OTHER_SESSION = b"session of tests", b"another session."
HEADER = b"what the link says of the frame".ljust(HEADER_BYTES)
Keys = tuple[bytes, bytes, int, int]
KEYS: Keys = (KEY, SESSION, 0, 1)


def body(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def sealed(sealer: Sealer, size: int, header: bytes = HEADER) -> bytes:
    """The whole frame as it travels."""
    return b"".join(bytes(part) for part in sealer.sealed(header, body(size)))


def opened(opener: Opener, frame: bytes) -> tuple[bytes, bytes]:
    """The header and the body of a frame."""
    view = memoryview(frame)
    header, length = opener.head(view[:SEALED_HEAD_BYTES])
    found, begin = bytearray(length), SEALED_HEAD_BYTES
    for number, start, stop in pieces(length):
        end = begin + stop - start + TAG_BYTES
        opener.piece(number, view[begin:end], memoryview(found)[start:stop])
        begin = end
    assert begin == len(frame)
    return header, bytes(found)


def room(size: int) -> memoryview:
    return memoryview(bytearray(size))


def opened_later(opener: Opener, frame: bytes) -> tuple[bytes, bytes]:
    """The same of a body that is opened once all of it is there."""
    view = memoryview(frame)
    header, length = opener.head(view[:SEALED_HEAD_BYTES])
    assert len(view) == SEALED_HEAD_BYTES + sealed_length(length)
    body = opener.body(view[SEALED_HEAD_BYTES:], length, room)
    assert len(body) == length
    return header, bytes(body.opened())


@pytest.fixture(autouse=True, params=[opened, opened_later], ids=["by pieces", "later"])
def _each_way_of_opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "opened", request.param)


@pytest.mark.parametrize("size", [1, 8, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES + 5])
def test_a_frame_is_opened_as_it_was_sealed(size: int) -> None:
    sealer, opener = Sealer(*KEYS), Opener(*KEYS)
    for header in (HEADER, bytes(HEADER_BYTES)):
        assert opened(opener, sealed(sealer, size, header)) == (header, body(size))


@pytest.mark.parametrize(
    "keys",
    [
        (OTHER_KEY, SESSION, 0, 1),
        (KEY, OTHER_SESSION, 0, 1),
        (KEY, SESSION, 1, 0),
        (KEY, SESSION, 0, 2),
    ],
)
def test_a_frame_of_another_pair_session_or_direction_is_refused(keys: Keys) -> None:
    with pytest.raises(BadFrame):
        opened(Opener(*keys), sealed(Sealer(*KEYS), 100))


def test_a_frame_with_any_bit_changed_is_refused() -> None:
    frame, rng = sealed(Sealer(*KEYS), 100), random.Random(1)
    for place in range(len(frame)):
        changed = bytearray(frame)
        changed[place] ^= 1 << rng.randrange(8)
        with pytest.raises(BadFrame):
            opened(Opener(*KEYS), bytes(changed))


def test_frames_and_pieces_out_of_their_order_are_refused() -> None:
    sealer = Sealer(*KEYS)
    size = 2 * PIECE_BYTES
    first, second = sealed(sealer, size), sealed(sealer, size)
    middle = SEALED_HEAD_BYTES + PIECE_BYTES + TAG_BYTES
    swapped = first[:SEALED_HEAD_BYTES] + first[middle:] + first[SEALED_HEAD_BYTES:middle]
    mixed = first[:middle] + second[middle:]
    for wrong in (second, swapped, mixed):
        with pytest.raises(BadFrame):
            opened(Opener(*KEYS), wrong)
    opener = Opener(*KEYS)
    opened(opener, first)
    with pytest.raises(BadFrame):
        opened(opener, first)


def test_both_ends_digest_the_same_and_another_one_for_all_other_frames() -> None:
    size = 2 * PIECE_BYTES + 7
    sealer, opener = Sealer(*KEYS), Opener(*KEYS)
    opened(opener, sealed(sealer, size))
    assert sealer.digest() == opener.digest()
    digests = {sealer.digest()}
    opened(opener, sealed(sealer, size))
    assert sealer.digest() == opener.digest()
    digests.add(sealer.digest())
    for keys, length, header in (
        (KEYS, 0, HEADER),
        (KEYS, size - 1, HEADER),
        (KEYS, size, bytes(HEADER_BYTES)),
        ((OTHER_KEY, SESSION, 0, 1), size, HEADER),
        ((KEY, SESSION, 1, 0), size, HEADER),
    ):
        other = Sealer(*keys)
        sealed(other, length, header)
        digests.add(other.digest())
    assert len(digests) == 7
    changed = bytearray(body(size))
    for place in (0, PIECE_BYTES, size - 1):
        changed[place] ^= 1
        other = Sealer(*KEYS)
        for _ in other.sealed(HEADER, bytes(changed)):
            pass
        digests.add(other.digest())
    assert len(digests) == 10


def test_a_hello_is_of_one_length_and_of_one_pair_session_and_direction() -> None:
    said = [
        hello(key, session, *ends)
        for key, session, ends in product(
            (KEY, OTHER_KEY), (SESSION, OTHER_SESSION), ((0, 1), (1, 0), (0, 2))
        )
    ]
    assert len({*said}) == len(said)
    assert {len(one) for one in said} == {HELLO_BYTES}
    assert all(one[0] != 0xFF for one in said)


def test_nobody_shows_a_key() -> None:
    for one in (Sealer(*KEYS), Opener(*KEYS)):
        assert KEY.hex() not in repr(one)


def test_bodies_are_opened_in_any_order_and_by_any_thread() -> None:
    sealer, opener, sizes = Sealer(*KEYS), Opener(*KEYS), [1, 3 * PIECE_BYTES + 5, 70, PIECE_BYTES]
    bodies = []
    for size in sizes:
        frame = memoryview(sealed(sealer, size))
        _, length = opener.head(frame[:SEALED_HEAD_BYTES])
        bodies.append(opener.body(frame[SEALED_HEAD_BYTES:], length, room))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: bytes(one.opened()), reversed(bodies * 5)))
    assert found == [body(size) for size in reversed(sizes * 5)]
    assert sealer.digest() == opener.digest()
    assert repr(bodies[2]) == "<SealedBody of 70 bytes>"
