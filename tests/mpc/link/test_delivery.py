"""The delivery and the counts of every link, whatever carries it."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.link.frame import HEADER_BYTES
from ppaurora.mpc.role import Role

from .ends import Opener, pair, words

P0, P1, HELPER = Role
SIZES = [0, 1, 3, 4, 5, 1000, 1023, 8191, 8192, 8193, 32768, 1_000_003]


class TestVectors:
    @pytest.mark.parametrize("size", SIZES)
    def test_arrive_whole(self, open_all: Opener, size: int) -> None:
        here, there = pair(open_all)
        sent = np.random.default_rng(size).integers(0, 2**64, size, np.uint64)
        here.send(Kind.OPEN, sent, 7)
        np.testing.assert_array_equal(there.receive(Kind.OPEN, size, 7), sent)

    def test_arrive_in_order_and_in_both_directions(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        for step in range(300):
            here.send(Kind.OPEN, words(step), step)
            there.send(Kind.OPEN, words(step, step), step)
        for step in range(300):
            assert there.receive(Kind.OPEN, 1, step)[0] == step
            assert here.receive(Kind.OPEN, 2, step)[1] == step

    @pytest.mark.parametrize("size", [1, 100, 100_000])
    def test_are_aligned_and_cannot_be_written_to(self, open_all: Opener, size: int) -> None:
        here, there = pair(open_all)
        here.send(Kind.OPEN, np.arange(size, dtype=np.uint64), 0)
        received = there.receive(Kind.OPEN, size, 0)
        assert received.flags.aligned
        with pytest.raises(ValueError, match="read-only"):
            received[0] = 1

    def test_outlive_the_link(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        sent = np.arange(100_000, dtype=np.uint64)
        here.send(Kind.OPEN, sent, 0)
        received = there.receive(Kind.OPEN, sent.size, 0)
        there.close()
        here.close()
        np.testing.assert_array_equal(received, np.arange(100_000))

    def test_need_not_be_contiguous_nor_flat(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        table = np.arange(12, dtype=np.uint64).reshape(3, 4)
        here.send(Kind.OPEN, table, 0)
        here.send(Kind.OPEN, table[:, ::2], 1)
        assert there.receive(Kind.OPEN, 12, 0).tolist() == list(range(12))
        assert there.receive(Kind.OPEN, 6, 1).tolist() == [0, 2, 4, 6, 8, 10]

    def test_of_other_types_are_refused_here(self, open_all: Opener) -> None:
        here, _ = pair(open_all)
        with pytest.raises(TypeError, match="int64"):
            here.send(Kind.OPEN, np.zeros(3, np.int64), 0)

    def test_beyond_the_largest_body_are_refused_here(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        with pytest.raises(LocalProtocolError, match="at most"):
            here.send(Kind.OPEN, np.zeros((64 << 17) + 1, np.uint64), 0)
        here.send(Kind.OPEN, np.zeros(64 << 17, np.uint64), 0)
        assert there.receive(Kind.OPEN, 64 << 17, 0).size == 64 << 17

    def test_messages_of_bytes_pass_too(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send_bytes(Kind.HELLO, b"good morning")
        assert there.receive_bytes(Kind.HELLO, max_bytes=12) == b"good morning"


class TestFigures:
    def test_payload_headers_and_control_are_counted_apart(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send_bytes(Kind.HELLO, b"hello")
        there.receive_bytes(Kind.HELLO, max_bytes=5)
        for step in range(3):
            here.send(Kind.OPEN, words(1, 2), step)
            there.receive(Kind.OPEN, 2, step)
        out, into = here.counters, there.counters
        assert (out.frames_sent, out.bytes_sent) == (3, 48)
        assert (into.frames_received, into.bytes_received) == (3, 48)
        assert out.header_bytes_sent == into.header_bytes_received == 3 * HEADER_BYTES
        assert out.control_bytes_sent == into.control_bytes_received == HEADER_BYTES + 5

    def test_a_simultaneous_exchange_is_one_hop(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        for link in (here, there):
            for block in range(3):
                link.send(Kind.OPEN, words(block), 0)
        for link in (here, there):
            for _ in range(3):
                link.receive(Kind.OPEN, 1, 0)
        assert here.clock.now == there.clock.now == 1

    def test_the_clock_counts_the_longest_chain_over_all_links(self, open_all: Opener) -> None:
        links = open_all()
        for step in range(5):
            links[P0][P1].send(Kind.OPEN, words(1), step)
            links[P1][P0].receive(Kind.OPEN, 1, step)
            links[P1][HELPER].send(Kind.OPEN, words(1), step)
            links[HELPER][P1].receive(Kind.OPEN, 1, step)
            links[HELPER][P0].send(Kind.OPEN, words(1), step)
            links[P0][HELPER].receive(Kind.OPEN, 1, step)
        assert links[P0][P1].clock.now == 15

    def test_what_is_dealt_ahead_costs_no_hop(self, open_all: Opener) -> None:
        links = open_all()
        for step in range(9):
            links[HELPER][P0].send(Kind.DEAL, words(1), step)
        for step in range(9):
            links[P0][HELPER].receive(Kind.DEAL, 1, step)
        assert links[P0][P1].clock.now == 1

    def test_repr_shows_no_words(self, open_all: Opener) -> None:
        here, _ = pair(open_all)
        here.send(Kind.OPEN, words(123456789), 0)
        assert "P0 to P1" in repr(here)
        assert "123456789" not in repr(here)
