"""An upload to one server, chunk by chunk; over a fast line several are under way at once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.parties.participant.chunk_size import ChunkSize
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import CHUNK_BYTES, Received, SendChunk

AHEAD = 8
"""So many chunks are under way at most: what 1 Gbit/s carries in a round trip of 50 ms."""


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
    its door then reads no second one whole before that reply. What has been sent meanwhile waits
    in the line.
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
