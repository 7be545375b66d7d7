"""Bytes that no party sends: noise, other protocols, and handshakes that go wrong anywhere."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Iterator
from itertools import islice

GREETING = (b"\xff" + bytes(8) + b"\x7f\x03\x01CURVE").ljust(64, b"\0")
HELLO = b"\x04\xc8\x05HELLO"


def garbage(rng: random.Random) -> Iterator[bytes]:
    """One thing after the other that somebody could send to an open port."""
    while True:
        noise = rng.randbytes(rng.randint(1, 3000))
        yield from (
            noise,
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + noise,
            b"\x16\x03\x01" + noise,
            GREETING[: rng.randrange(len(GREETING))],
            GREETING + noise,
            GREETING + HELLO + bytes(194) + noise,
            GREETING + HELLO + rng.randbytes(194) + b"\x04\xff\x08INITIATE" + noise,
            GREETING + b"\x06" + rng.randbytes(8) + noise,
        )


def throw(place: tuple[str, int], seed: int, pieces: int) -> None:
    """Connect so many times, say one piece of garbage, and hang up."""
    for said in islice(garbage(random.Random(seed)), pieces):
        with (
            contextlib.suppress(ConnectionError),
            socket.create_connection(place, timeout=10) as stranger,
        ):
            stranger.sendall(said)
