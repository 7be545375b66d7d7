"""Chunks grow where they are acknowledged quickly, and shrink where they are not."""

from __future__ import annotations

from ppaurora.parties.participant.chunk_size import LEAST_BYTES, ChunkSize
from ppaurora.parties.requests.messages import CHUNK_BYTES


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
