"""Chunks arrive once and in order, several at a time only where the server throws none away."""

from __future__ import annotations

import random
from collections import deque
from typing import cast

import pytest

from ppaurora.parties.errors import Unreachable
from ppaurora.parties.participant.chunks import AHEAD, LEAST_BYTES, ChunkSize, send_chunks
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import CHUNK_BYTES, Received, SendChunk

UPLOAD = b"upload"
DATA = random.Random(1).randbytes(14 * CHUNK_BYTES + 12_345)


class Server:
    """Takes requests as a server does: one of a connection at a time, in order.

    After `lost` bytes it forgets half of them, once, as after a restart; after `full` bytes its
    line breaks.
    """

    def __init__(
        self, there: bytes = b"", lost: int = len(DATA) + 1, full: int = len(DATA) + 1
    ) -> None:
        self.stored = bytearray(there)
        self.most_under_way = self.closed = 0
        self._lost, self._full = lost, full
        self._under_way: deque[tuple[bytes, SendChunk]] = deque()
        self._number = 0

    def send(self, request: SendChunk, *, patience: float) -> bytes:
        if self._under_way:
            sizes = {len(request.data), *(len(one.data) for _, one in self._under_way)}
            assert sizes == {CHUNK_BYTES}, "this would be thrown away"
        self._number += 1
        number = bytes([self._number])
        self._under_way.append((number, request))
        self.most_under_way = max(self.most_under_way, len(self._under_way))
        return number

    def answer(self, number: bytes, answer: type[Received], *, patience: float) -> Received:
        first, request = self._under_way.popleft()
        assert first == number
        assert request.upload == UPLOAD
        if len(self.stored) > self._full:
            raise Unreachable("P1 closed the connection", advice="Try again.")
        if len(self.stored) > self._lost:
            self._lost = len(DATA) + 1
            del self.stored[len(self.stored) // 2 :]
        elif request.offset == len(self.stored):
            self.stored += request.data
        return Received(len(self.stored), stored=False)

    def close(self) -> None:
        self._under_way.clear()
        self.closed += 1


def sent_to(server: Server, data: bytes = DATA) -> list[int]:
    """The sizes that the server told of, one after the other."""
    told: list[int] = []
    send_chunks(
        cast(ServerClient, server),
        UPLOAD,
        memoryview(data),
        Received(len(server.stored), stored=False),
        lambda there: told.append(there.size),
        patience=1.0,
    )
    return told


@pytest.mark.parametrize("size", [1, 40_000, CHUNK_BYTES, 2 * CHUNK_BYTES, len(DATA)])
@pytest.mark.parametrize("there", [0, 1, 33_000])
def test_all_of_an_upload_arrives_once_and_in_order(size: int, there: int) -> None:
    data = DATA[:size]
    server = Server(data[:there])
    told = sent_to(server, data)
    assert bytes(server.stored) == data
    assert told == sorted(set(told))
    assert server.closed == 0


def test_over_a_fast_line_several_of_the_largest_are_under_way() -> None:
    server = Server()
    sent_to(server)
    assert server.most_under_way == AHEAD


def test_what_is_stored_already_is_not_sent() -> None:
    server = Server()
    received = Received(5, stored=True)
    send_chunks(cast(ServerClient, server), UPLOAD, memoryview(DATA), received, print, patience=1.0)
    assert not server.stored


def test_a_server_that_has_lost_some_gets_that_again_on_a_new_connection() -> None:
    server = Server(lost=6 * CHUNK_BYTES)
    told = sent_to(server)
    assert bytes(server.stored) == DATA
    assert told != sorted(told)
    assert server.closed == 1


def test_a_failure_leaves_no_request_under_way() -> None:
    server = Server(full=7 * CHUNK_BYTES)
    with pytest.raises(Unreachable):
        sent_to(server)
    assert server.most_under_way > 2
    assert not server._under_way
    assert server.closed == 1


def test_the_first_chunk_is_short() -> None:
    assert ChunkSize().bytes == LEAST_BYTES == 32 << 10


def test_chunks_grow_over_a_fast_line_up_to_the_longest() -> None:
    size = ChunkSize()
    for _ in range(20):
        size.note(0.01)
    assert size.bytes == CHUNK_BYTES


def test_chunks_shrink_over_a_slow_line_down_to_the_shortest() -> None:
    size = ChunkSize()
    size.bytes = CHUNK_BYTES
    for _ in range(20):
        size.note(5.0)
    assert size.bytes == LEAST_BYTES


def test_chunks_stay_as_they_are_in_between() -> None:
    size = ChunkSize()
    size.note(1.0)
    assert size.bytes == LEAST_BYTES
