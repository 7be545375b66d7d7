"""Commitments and tosses bind every field, the order of frames, and where each one ends."""

from __future__ import annotations

from collections import Counter

import pytest

from ppaurora.mpc.committed.commitments import (
    TOSS_BYTES,
    Dealt,
    SeedOpening,
    chosen,
    fresh_toss,
    toss_commitment,
)
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role

SESSION = bytes(SESSION_BYTES)
OPENING = SeedOpening(bytes(32), bytes([1]) * 32)
Frames = list[tuple[int, bytes]]


def committed(
    frames: Frames, number: int = 0, proxy: Role = Role.P1, session: bytes = SESSION
) -> bytes:
    dealt = Dealt(session, number, proxy, OPENING)
    for step, body in frames:
        dealt.add(step, body)
    return dealt.commitment()


def test_frames_that_differ_in_anything_have_different_commitments() -> None:
    of_frames: list[Frames] = [
        [],
        [(0, b"")],
        [(0, b"ab")],
        [(1, b"ab")],
        [(0, b"a"), (0, b"b")],
        [(0, b"b"), (0, b"a")],
        [(0, b"ab"), (0, b"")],
        [(0, b"ac")],
    ]
    assert len({committed(frames) for frames in of_frames}) == len(of_frames)
    assert committed([(7, b"ab")]) == committed([(7, memoryview(b"ab"))])  # type: ignore[list-item]


def test_the_number_and_the_proxy_are_committed_to() -> None:
    assert len({committed([], number, proxy) for number in (0, 1) for proxy in Role}) == 6


def test_a_commitment_of_one_session_is_none_of_another() -> None:
    """A helper that repeated one would know before the toss what it had been asked to open."""
    other = bytes([1]) * SESSION_BYTES
    assert committed([(0, b"ab")]) != committed([(0, b"ab")], session=other)


def test_no_two_openings_have_a_seed_or_a_nonce_in_common() -> None:
    """With a known nonce a commitment to few possible seeds would be opened by trying them."""
    fresh = [SeedOpening.fresh() for _ in range(20)]
    drawn = [part for one in fresh for part in (one.seed, one.nonce)]
    assert len({*drawn, bytes(32)}) == 41


@pytest.mark.parametrize("size", [0, 63, 65])
def test_an_opening_has_exactly_its_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        SeedOpening.from_bytes(bytes(size))


def test_an_opening_shows_no_seed_and_comes_back_from_its_bytes() -> None:
    opening = SeedOpening.fresh()
    assert repr(opening) == "SeedOpening()"
    assert SeedOpening.from_bytes(opening.to_bytes()) == opening
    assert opening != SeedOpening.fresh()


def test_a_toss_is_bound_to_its_proxy_the_session_and_what_was_seen() -> None:
    toss = fresh_toss()
    made = {
        toss_commitment(session, proxy, seen, toss)
        for session in (SESSION, bytes([1]) * SESSION_BYTES)
        for proxy in (Role.P0, Role.P1)
        for seen in (b"", b"commitments")
    }
    assert len(made) == 8


@pytest.mark.parametrize("dealings", [2, 3, 64])
def test_every_dealing_is_as_likely(dealings: int) -> None:
    other = bytes(TOSS_BYTES)
    found = Counter(
        chosen((other, number.to_bytes(TOSS_BYTES, "big")), dealings)
        for number in range(10 * dealings)
    )
    assert found == dict.fromkeys(range(dealings), 10)
