"""An upload to one server, chunk by chunk; over a fast line several are under way at once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import CHUNK_BYTES, Received, SendChunk

LEAST_BYTES = 32 << 10
QUICK_SECONDS, SLOW_SECONDS = 0.5, 2.0
AHEAD = 8
"""So many chunks are under way at most: what 1 Gbit/s carries in a round trip of 50 ms."""


class ChunkSize:
    """The bytes of the next chunk, learnt from how soon the last ones were acknowledged.

    A chunk that is lost with its connection is sent again, so over a slow line chunks are short:
    32 KiB pass within a minute at 5 kbit/s. Over a fast line longer ones lose less time, since each
    waits for the reply to the one before, or is one of several of the largest size.
    """

    def __init__(self) -> None:
        self.bytes = LEAST_BYTES

    def note(self, seconds: float) -> None:
        """Take into account that a chunk of this size was acknowledged after `seconds`."""
        if seconds < QUICK_SECONDS:
            self.bytes = min(2 * self.bytes, CHUNK_BYTES)
        elif seconds > SLOW_SECONDS:
            self.bytes = max(self.bytes // 2, LEAST_BYTES)


@dataclass(frozen=True, slots=True)
class _Sent:
    """A chunk under way: the number of its request, its size, and where it ends in the upload."""

    number: bytes
    size: int
    end: int


def send_chunks(
    client: ServerClient,
    upload: bytes,
    data: memoryview,
    there: Received,
    noted: Callable[[Received], object],
    *,
    patience: float,
) -> None:
    """Send what the server has not got yet, in order; `noted` is told of each acknowledgement.

    A server takes one request at a time from a connection, and throws away one that has come before
    its reply to the last. So chunks follow each other at once only where each has the largest size:
    its listening proxy then reads no second one whole before that reply. What has been sent
    meanwhile waits in the line.
    """
    pace = ChunkSize()
    under_way: deque[_Sent] = deque()
    end = there.size
    try:
        while not there.stored and there.size < len(data):
            begun_at = time.monotonic()
            while end < len(data) and _may_follow(under_way, min(pace.bytes, len(data) - end)):
                chunk = bytes(data[end : end + pace.bytes])
                number = client.send(SendChunk(upload, end, chunk), patience=patience)
                end += len(chunk)
                under_way.append(_Sent(number, len(chunk), end))
            sent = under_way.popleft()
            there = client.answer(sent.number, Received, patience=patience)
            pace.note(time.monotonic() - begun_at)
            noted(there)
            if there.size != sent.end:
                _give_up(client, under_way)
                end = there.size
    finally:
        _give_up(client, under_way)


def _may_follow(under_way: deque[_Sent], size: int) -> bool:
    """True if a chunk of this size may be sent before those under way are acknowledged."""
    if not under_way:
        return True
    return size == under_way[-1].size == CHUNK_BYTES and len(under_way) < AHEAD


def _give_up(client: ServerClient, under_way: deque[_Sent]) -> None:
    """Leave what is under way, if anything is, with its connection."""
    if under_way:
        under_way.clear()
        client.close()
