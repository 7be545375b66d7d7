"""Links whose large bodies have a lane of their own: order, bounds, breaks, and what is refused."""

from __future__ import annotations

import gc
import random
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from ppaurora.mpc.errors import BadFrame, PeerAborted, PeerLost, PeerSilent
from ppaurora.mpc.link import MAX_BODY_BYTES, Kind, Limits
from ppaurora.mpc.link.bulk_lane import BulkLane
from ppaurora.mpc.link.bulk_seal import (
    HEAD,
    NONCE,
    SEALED_HEAD_BYTES,
    Body,
    Opener,
    SealedBody,
    Sealer,
)
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role

from .ends import words
from .loopback import PATIENT, SESSION, keeps_early, key_of, lane_links, zeromq_links
from .test_bad_frames import resident_bytes
from .test_conformance import SOON, at_once, deal

pytestmark = pytest.mark.zeromq
P0, P1, HELPER = Role
BULK = 8
"""So many words are bulk in these tests."""


@contextmanager
def ends(limits: Limits = PATIENT, *, after: int = 0) -> Iterator[tuple[ZeroMQLink, ZeroMQLink]]:
    """P0's and P1's end of a link with a lane, which is used once so many bytes were sent."""
    links = lane_links(limits, after=after)
    here, there = links[P0][P1], links[P1][P0]
    assert isinstance(here, ZeroMQLink)
    assert isinstance(there, ZeroMQLink)
    yield here, there
    for of_one in links.values():
        for link in of_one.values():
            link.close()


@pytest.fixture(params=[False, True], ids=["by pieces", "later"])
def each_way_of_opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """True if bodies are opened where they are used, as a party with several threads has it."""
    begun = ZeroMQLink.open_bulk

    def open_bulk(link: ZeroMQLink, session_key: bytes, **_: bool) -> bool:
        return begun(link, session_key, opened_later=request.param)

    monkeypatch.setattr(ZeroMQLink, "open_bulk", open_bulk)
    return bool(request.param)


def full(size: int, value: int) -> np.ndarray:
    return np.full(size, value, np.uint64)


def lane_of(link: ZeroMQLink) -> BulkLane:
    assert link._lane is not None
    return link._lane


def hold(link: ZeroMQLink, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, Body]]:
    """Keep what the link hands to its lane instead of having it written."""
    held: list[tuple[bytes, Body]] = []
    monkeypatch.setattr(lane_of(link), "send", lambda *frame: held.append(frame))
    return held


class TestOrder:
    def test_what_is_sent_first_goes_over_zeromq_and_what_follows_over_the_lane(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ends(after=2 * 8 * BULK) as (here, there):
            for value in (1, 2):
                here.send(Kind.OPEN, full(BULK, value), value)
            held = hold(here, monkeypatch)
            assert [int(there.receive(Kind.OPEN, BULK, value)[0]) for value in (1, 2)] == [1, 2]
            here.send(Kind.OPEN, full(BULK, 3), 3)
            assert len(held) == 1

    def test_large_bodies_go_over_the_lane_and_small_ones_do_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ends() as (here, there):
            held = hold(here, monkeypatch)
            here.send(Kind.OPEN, full(BULK - 1, 1), 0)
            here.send(Kind.OPEN, full(BULK, 2), 1)
            assert [len(body) for _, body in held] == [8 * BULK]
            assert there.receive(Kind.OPEN, BULK - 1, 0)[0] == 1

    @pytest.mark.usefixtures("each_way_of_opening")
    def test_is_that_of_sending_for_all_sizes_and_both_directions(self) -> None:
        rng = random.Random(5)
        sizes = [rng.choice((1, BULK - 1, BULK, 1000, 50_000, 90_000)) for _ in range(60)]
        with ends(Limits(deadline=20.0)) as (here, there):
            for link in (here, there):
                link.keep_transcripts(key_of(P0, P1))
            for step, size in enumerate(sizes):
                here.send(Kind.OPEN, full(size, step), step)
                there.send(Kind.OPEN, full(size, step), step)
            for link in (here, there):
                for step, size in enumerate(sizes):
                    assert link.receive(Kind.OPEN, size, step)[-1] == step
            assert here.transcripts() == there.transcripts()[::-1]

    def test_small_frames_that_overtake_a_large_one_wait_for_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ends() as (here, there):
            write, held = lane_of(here).send, hold(here, monkeypatch)
            here.send(Kind.OPEN, full(1000, 7), 0)
            for step in range(1, 20):
                here.send(Kind.OPEN, words(step), step)
            with pytest.raises(PeerSilent):
                there._next(0, 0.3, 8000)
            write(*held.pop())
            assert there.receive(Kind.OPEN, 1000, 0)[0] == 7
            assert [there.receive(Kind.OPEN, 1, step)[0] for step in range(1, 20)] == [
                *range(1, 20)
            ]

    def test_a_large_frame_that_overtakes_the_small_one_that_is_awaited_waits_for_it(self) -> None:
        with ends() as (here, there):
            here._sequence_out = 1
            here.send(Kind.OPEN, full(1000, 7), 1)
            with pytest.raises(PeerSilent):
                there._next(0, 0.5, 8)
            here._sequence_out = 0
            here.send(Kind.OPEN, words(1), 0)
            assert there.receive(Kind.OPEN, 1, 0)[0] == 1
            assert there.receive(Kind.OPEN, 1000, 1)[0] == 7

    def test_no_more_small_frames_are_kept_for_a_large_one_than_a_few_megabytes(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ppaurora.mpc.link.link.EARLY_BYTES", 100)
        with ends() as (here, there):
            write, held = lane_of(here).send, hold(here, monkeypatch)
            here.send(Kind.OPEN, full(1000, 7), 0)
            for step in range(1, 100):
                here.send(Kind.OPEN, words(step), step)
            keeps_early(there, 13)
            assert there.counters.frames_received == 0
            write(*held.pop())
            assert there.receive(Kind.OPEN, 1000, 0)[0] == 7
            assert [there.receive(Kind.OPEN, 1, s)[0] for s in range(1, 100)] == [*range(1, 100)]

    def test_no_more_than_so_many_empty_frames_are_kept_for_a_large_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ppaurora.mpc.link.link.MOST_EARLY", 50)
        with ends() as (here, there):
            write, held = lane_of(here).send, hold(here, monkeypatch)
            here.send(Kind.OPEN, full(1000, 7), 0)
            for step in range(1, 100):
                here.send(Kind.OPEN, full(0, 0), step)
            keeps_early(there, 50)
            write(*held.pop())
            assert there.receive(Kind.OPEN, 1000, 0)[0] == 7
            assert [there.receive(Kind.OPEN, 0, s).size for s in range(1, 100)] == [0] * 99

    def test_a_small_frame_that_skips_a_number_is_refused_where_a_small_one_is_awaited(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ends() as (here, there):
            hold(here, monkeypatch)
            here.send(Kind.OPEN, full(BULK, 1), 0)
            here.send(Kind.OPEN, words(1), 1)
            with pytest.raises(BadFrame, match="sequence number is 1, not 0"):
                there.receive(Kind.OPEN, 1, 1)

    def test_a_lane_frame_that_repeats_a_number_is_refused(self) -> None:
        with ends() as (here, there):
            here.send(Kind.OPEN, full(BULK, 1), 0)
            there.receive(Kind.OPEN, BULK, 0)
            here._sequence_out = 0
            here.send(Kind.OPEN, full(BULK, 1), 1)
            with pytest.raises(BadFrame, match="sequence number is 0, not 1"):
                there.receive(Kind.OPEN, BULK, 1)

    @pytest.mark.usefixtures("each_way_of_opening")
    def test_an_abort_is_read_before_the_large_frames_that_were_sent_first(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ends(Limits(deadline=30.0)) as (here, there):
            hold(here, monkeypatch)
            here.send(Kind.OPEN, full(1000, 1), 0)
            here.send(Kind.OPEN, words(1), 1)
            here.abort("the disk is full")
            began = time.monotonic()
            with pytest.raises(PeerAborted, match="the disk is full"):
                there.receive(Kind.OPEN, 1000, 0)
            assert time.monotonic() - began < SOON


class TestBounds:
    limits = Limits(deadline=10.0, unsent=1 << 20)

    def test_two_parties_that_both_send_far_more_than_is_held_wait_for_nobody(self) -> None:
        with ends(self.limits) as (here, there):
            for link in (here, there):
                lane_of(link)._connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)

            def both_ways(link: ZeroMQLink) -> None:
                for step in range(60):
                    link.send(Kind.OPEN, full(40_000, step), step)
                for step in range(60):
                    assert link.receive(Kind.OPEN, 40_000, step)[-1] == step

            at_once(lambda: both_ways(here), lambda: both_ways(there))

    def test_a_peer_that_takes_nothing_makes_a_party_hold_no_more_and_is_named(self) -> None:
        with ends(Limits(deadline=0.3, unsent=1 << 20)) as (here, _):
            lane = lane_of(here)
            with pytest.raises(PeerSilent, match="P1"):
                deal(here, frames=100, words=40_000)
            assert lane.unsent <= (1 << 20) + 320_000

    @pytest.mark.usefixtures("each_way_of_opening")
    def test_what_was_received_is_not_written_over_by_what_comes_later(self) -> None:
        with ends() as (here, there):
            received = []
            for step in range(40):
                here.send(Kind.OPEN, full(1000, step), step)
                received.append(there.receive(Kind.OPEN, 1000, step)[500:])
            del received[::2]
            for step in range(40, 80):
                here.send(Kind.OPEN, full(1000, step), step)
                there.receive(Kind.OPEN, 1000, step)
            assert [one[0] for one in received] == [*range(1, 40, 2)]
            assert {int(one.min()) for one in received} == {*range(1, 40, 2)}


class TestWaking:
    """Linux wakes who waits for a lane once a whole piece is there; the end wakes at once."""

    def test_is_for_a_whole_piece_or_for_the_end(self) -> None:
        keys = key_of(P0, P1), SESSION
        listener = socket.create_server(("127.0.0.1", 0))
        with socket.create_connection(listener.getsockname()) as out, listener:
            into, _ = listener.accept()
            lane = BulkLane(into, Sealer(*keys, P1, P0), Opener(*keys, P0, P1), least=64, most=5000)
            sealer = Sealer(*keys, P0, P1)
            first, second = (
                b"".join(map(bytes, sealer.sealed(b"header", bytes(3000)))) for _ in range(2)
            )

            def wakes(seconds: float = SOON) -> bool:
                return bool(select.select([lane], [], [], seconds)[0])

            out.sendall(first[:2000])
            assert wakes()
            assert lane.take() is None
            out.sendall(first[2000:-1])
            assert wakes(0.2) is (sys.platform != "linux")
            out.sendall(first[-1:])
            assert wakes()
            frame = lane.take()
            assert frame is not None
            assert frame.body == bytes(3000)
            out.sendall(second[:2000])
            assert wakes()
            assert lane.take() is None
            assert not wakes(0.2)
            out.shutdown(socket.SHUT_WR)
            assert wakes()
            lane.close(0)

    def test_is_for_anything_where_the_system_refuses_to_wait_for_more(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(socket, "SO_RCVLOWAT", 9999)
        with ends() as (here, there):
            assert lane_of(there).take() is None
            here.send(Kind.OPEN, full(1000, 7), 0)
            assert there.receive(Kind.OPEN, 1000, 0)[-1] == 7


class TestBreak:
    """A lane that breaks is not replaced: the session is over, at both ends."""

    @pytest.mark.parametrize("size", [1, 1000])
    def test_ends_the_session_at_both_ends_whatever_they_wait_for(self, size: int) -> None:
        with ends(Limits(deadline=60.0)) as (here, there):
            lane_of(here)._connection.shutdown(socket.SHUT_RDWR)
            began = time.monotonic()
            for link in (here, there):
                with pytest.raises(PeerLost, match=r"the bulk connection to P[01] broke"):
                    link.receive(Kind.OPEN, size, 0)
            assert time.monotonic() - began < 2 * SOON

    def test_ends_the_session_though_early_frames_keep_coming(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("ppaurora.mpc.link.link.EARLY_BYTES", 100)
        with ends(Limits(deadline=60.0)) as (here, there):
            hold(here, monkeypatch)
            here.send(Kind.OPEN, full(1000, 7), 0)
            for step in range(1, 200):
                here.send(Kind.OPEN, words(step), step)
            lane_of(here)._connection.shutdown(socket.SHUT_WR)
            with pytest.raises(PeerLost, match="the bulk connection to P0 broke"):
                there.receive(Kind.OPEN, 1000, 0)
            assert repr(there._buffer) == "<13 early frames>"

    @pytest.mark.usefixtures("each_way_of_opening")
    def test_within_a_frame_ends_the_session(self) -> None:
        with ends(Limits(deadline=60.0)) as (here, there):
            lane_of(here)._connection.send(bytes(SEALED_HEAD_BYTES - 1))
            lane_of(here)._connection.shutdown(socket.SHUT_WR)
            with pytest.raises(PeerLost, match="the bulk connection"):
                there.receive(Kind.OPEN, 1000, 0)

    def test_is_not_told_before_the_frames_that_came_and_the_reason_of_the_peer(self) -> None:
        with ends(Limits(deadline=60.0)) as (here, there):
            here.send(Kind.OPEN, full(1000, 3), 0)
            time.sleep(0.1)
            lane_of(here)._connection.shutdown(socket.SHUT_RDWR)
            assert there.receive(Kind.OPEN, 1000, 0)[0] == 3
            here.abort("no more room")
            with pytest.raises(PeerAborted, match="no more room"):
                there.receive(Kind.OPEN, 1000, 1)

    def test_of_the_link_itself_ends_the_session_though_the_lane_stands(self) -> None:
        with ends(Limits(deadline=60.0)) as (here, there):
            here._connection.close()
            with pytest.raises(PeerLost, match="the connection to P0 broke"):
                there.receive(Kind.OPEN, 1000, 0)
            here._closed = True
            lane_of(here).close(0)


class TestRefusals:
    @pytest.mark.parametrize("length", [0, 8 * BULK - 1, MAX_BODY_BYTES + 1, (1 << 32) - 1])
    def test_of_a_length_that_is_not_bulk_take_no_memory(self, length: int) -> None:
        with ends() as (here, there):
            before = resident_bytes()
            head = HEAD.pack(length, b"abc")
            sealed = lane_of(here)._sealer._aes.encrypt(NONCE.pack(0, 0), head, None)
            lane_of(here)._connection.sendall(sealed)
            with pytest.raises(BadFrame, match=f"a bulk frame of {length} bytes"):
                there.receive(Kind.OPEN, 1000, 0)
            assert resident_bytes() - before < 8 << 20

    @pytest.mark.usefixtures("each_way_of_opening")
    def test_of_what_this_session_has_not_sealed(self) -> None:
        with ends() as (here, there):
            lane_of(here)._connection.sendall(bytes(1000))
            for _ in range(2):
                with pytest.raises(BadFrame, match="P0 sent a bulk frame that this session's key"):
                    there.receive(Kind.OPEN, 1000, 0)

    def test_of_a_lane_that_was_not_offered(self) -> None:
        links = zeromq_links()
        here, there = links[P0][P1], links[P1][P0]
        there._post(Kind.BULK, b"", 0)
        with pytest.raises(BadFrame, match="P1 opened a bulk lane that is none"):
            here.receive(Kind.OPEN, 1, 0)

    @pytest.mark.parametrize("seed", range(3))
    def test_of_hundreds_of_damaged_streams(self, seed: int, each_way_of_opening: bool) -> None:
        """Each is damaged somewhere: it gives the frames before that place, and nothing else."""
        rng = random.Random(seed)
        keys = key_of(P0, P1), SESSION
        bodies = [rng.randbytes(rng.choice((64, 500, 3000))) for _ in range(4)]
        before = resident_bytes()
        for _ in range(60):
            sealer = Sealer(*keys, P0, P1)
            frames = [b"".join(map(bytes, sealer.sealed(b"header", body))) for body in bodies]
            stream = damaged(rng, b"".join(frames), [len(frame) for frame in frames])
            out, into = socket.socketpair()
            ways = Sealer(*keys, P1, P0), Opener(*keys, P0, P1)
            lane = BulkLane(into, *ways, least=64, most=5000, opened_later=each_way_of_opening)
            out.sendall(stream)
            out.close()
            taken = []
            try:
                while not lane.broken:
                    frame = lane.take()
                    if frame is not None:
                        body = frame.body
                        taken.append(bytes(body.opened() if isinstance(body, SealedBody) else body))
            except BadFrame:
                pass
            assert taken == bodies[: len(taken)]
            assert len(taken) < len(bodies)
            lane.close(0)
        gc.collect()  # a lane and its reader know each other
        assert resident_bytes() - before < 16 << 20


def damaged(rng: random.Random, stream: bytes, lengths: list[int]) -> bytes:
    """The stream with one thing wrong in it."""
    place = rng.randrange(len(stream))
    first = lengths[0]
    return rng.choice(
        (
            stream[:place] + bytes([stream[place] ^ 1 << rng.randrange(8)]) + stream[place + 1 :],
            stream[:place],
            stream[:place] + rng.randbytes(rng.randint(1, 2000)) + stream[place:-1],
            stream[first:],
            stream[:first] + stream,
            stream[:place] + stream[place + 1 :],
        )
    )
