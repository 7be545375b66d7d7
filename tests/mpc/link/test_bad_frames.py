"""Ten thousand bad frames against a listening party: no crash, none accepted, memory stable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import zmq

from ppaurora.mpc.errors import BadFrame, PeerLost
from ppaurora.mpc.link import MAX_BODY_BYTES, Kind
from ppaurora.mpc.link.frame import Header
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role

from .loopback import SESSION, close_links, zeromq_links

pytestmark = pytest.mark.zeromq

SESSIONS = 20
BAD_PER_SESSION = 500
GOOD_FRAMES = 3
WORDS = 8
BODY = bytes(range(8 * WORDS))
NEXT = Header(SESSION, GOOD_FRAMES, GOOD_FRAMES, GOOD_FRAMES, Kind.OPEN, len(BODY))
"""The one header (but for its clock, which decides nothing) that the party awaits."""


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def bad_messages(rng: random.Random) -> Iterator[list[bytes]]:
    """Mutated, truncated, replayed, reordered, over-long and otherwise wrong messages."""
    good = NEXT.encode()
    while True:
        mutated = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            mutated[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
        yield from (
            [bytes(mutated), BODY],
            [good[: rng.randrange(len(good))], BODY],
            [good + rng.randbytes(rng.randint(1, 300)), BODY],
            [rng.randbytes(rng.randint(0, 80)), BODY],
            [replace(NEXT, sequence=rng.randrange(GOOD_FRAMES)).encode(), BODY],
            [replace(NEXT, sequence=GOOD_FRAMES + rng.randint(1, 9)).encode(), BODY],
            [replace(NEXT, session=rng.randbytes(16)).encode(), BODY],
            [replace(NEXT, step=GOOD_FRAMES + rng.choice((-1, 1, 7))).encode(), BODY],
            [replace(NEXT, kind=rng.choice((Kind.DEAL, Kind.HELLO, Kind.CREDIT))).encode(), BODY],
            [replace(NEXT, length=rng.randrange(1 << 40)).encode(), BODY],
            [good, BODY[: rng.randrange(len(BODY))]],
            [good, BODY * rng.randint(2, 2000)],
            [good],
            [b"", b""],
            [good, BODY, BODY],
            [good, BODY] * rng.randint(2, 50),
        )


def may_be_accepted(message: list[bytes]) -> bool:
    """True if a mutation happens to be a header that only tells another time."""
    if len(message) != 2 or message[1] != BODY:
        return False
    try:
        return replace(Header.decode(message[0]), clock=0) == replace(NEXT, clock=0)
    except BadFrame:
        return False


def refuse_many(seed: int, count: int) -> None:
    """One session: some good frames, then so many bad ones, each refused, and one good one.

    A link refuses everything after its first bad frame; here it is made to forget, so that each
    frame is judged for itself.
    """
    links = zeromq_links()
    sender, link = links[Role.P0][Role.P1], links[Role.P1][Role.P0]
    assert isinstance(sender, ZeroMQLink)
    for step in range(GOOD_FRAMES):
        sender.transmit(replace(NEXT, sequence=step, clock=step, step=step).encode(), BODY)
        link.receive(Kind.OPEN, WORDS, step)
    messages = (m for m in bad_messages(random.Random(seed)) if not may_be_accepted(m))
    for message in islice(messages, count):
        sender._connection.socket.send_multipart(message)
        with pytest.raises(BadFrame):
            link.receive(Kind.OPEN, WORDS, GOOD_FRAMES)
        link._failure, link._sequence_in, link._peer_clock = None, GOOD_FRAMES, 0
        link._inbox.clear()
    sender._connection.socket.send_multipart([NEXT.encode(), BODY])
    assert link.receive(Kind.OPEN, WORDS, GOOD_FRAMES).tobytes() == BODY
    close_links()


@pytest.mark.slow
def test_ten_thousand_bad_frames_are_refused_and_leave_no_memory_behind() -> None:
    refuse_many(seed=0, count=BAD_PER_SESSION)
    before = resident_bytes()
    for seed in range(1, SESSIONS + 1):
        refuse_many(seed, BAD_PER_SESSION)
    assert resident_bytes() - before < 16 << 20


def test_each_sort_of_bad_frame_is_refused_and_a_good_one_taken_afterwards() -> None:
    refuse_many(seed=99, count=160)


def test_a_frame_over_the_limit_ends_the_session() -> None:
    """ZeroMQ drops the frame and the connection; what follows it is not read."""
    links = zeromq_links(insecure_plain=True)
    sender, link = links[Role.P0][Role.P1], links[Role.P1][Role.P0]
    assert isinstance(sender, ZeroMQLink)
    before = resident_bytes()
    sender._connection.socket.send_multipart([NEXT.encode(), bytes(MAX_BODY_BYTES + 4096)])
    with suppress(zmq.Again):  # the connection may be gone already
        sender._connection.socket.send_multipart([replace(NEXT, sequence=0).encode(), BODY])
    with pytest.raises(PeerLost):
        link.receive(Kind.OPEN, WORDS, GOOD_FRAMES)
    assert resident_bytes() - before < 2 * MAX_BODY_BYTES
