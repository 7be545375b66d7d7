"""The conformance of every link, whatever carries it: refusals, waits, and ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.errors import BadFrame, LocalProtocolError, PeerAborted, PeerLost, PeerSilent
from ppaurora.mpc.link import Kind, Limits, Link
from ppaurora.mpc.link.frame import MOST_TIME, Header
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import finish, give_up

from .ends import Opener, has_arrived, pair, words

P0, P1, HELPER = Role
LONG = Limits(deadline=30.0)
"""So patient that what comes within `SOON` did not come because patience ended."""
SOON = 10.0


def at_once(*tasks: Callable[[], object]) -> None:
    """Run the tasks as threads; the first error is raised."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result(20)


def deal(link: Link, frames: int, words: int = 100) -> None:
    """Send so many frames of so many words."""
    for step in range(frames):
        link.send(Kind.DEAL, np.zeros(words, np.uint64), step)


class TestRefusals:
    """Headers that are not what the receiver awaits, in any field."""

    def test_of_a_time_that_no_session_comes_to_which_nobody_says_after_another(
        self, open_all: Opener
    ) -> None:
        """The latest time itself is passed on as it is, so that no honest party is refused."""
        links = open_all()
        links[P0][P1].clock.now = MOST_TIME
        links[P0][P1].send(Kind.OPEN, words(7), 1)
        assert links[P1][P0].receive(Kind.OPEN, 1, 1).tolist() == [7]
        links[P1][HELPER].send(Kind.TELL, words(8), 1)
        assert links[HELPER][P1].receive(Kind.TELL, 1, 1).tolist() == [8]
        assert links[HELPER][P1].clock.now == MOST_TIME
        links[P0][P1].clock.now = MOST_TIME + 1
        links[P0][P1].send(Kind.OPEN, words(7), 2)
        with pytest.raises(BadFrame, match="P0 sent a header with a number that is out of range"):
            links[P1][P0].receive(Kind.OPEN, 1, 2)

    @pytest.mark.parametrize(
        ("kind", "length", "step", "field"),
        [
            (Kind.DEAL, 2, 5, "kind"),
            (Kind.OPEN, 3, 5, "length"),
            (Kind.OPEN, 1, 5, "length"),
            (Kind.OPEN, 2, 6, "step"),
            (Kind.OPEN, 2, 4, "step"),
        ],
    )
    def test_of_what_was_not_awaited(
        self, open_all: Opener, kind: Kind, length: int, step: int, field: str
    ) -> None:
        here, there = pair(open_all)
        there.label = "sort"
        here.send(kind, np.zeros(length, np.uint64), step)
        with pytest.raises(BadFrame, match=f"P0 sent a frame whose {field}") as caught:
            there.receive(Kind.OPEN, 2, 5)
        error = caught.value
        assert error.field == field
        assert (error.peer, error.step, error.session) == (
            "P0",
            "5 of sort",
            there.session.hex()[:8],
        )
        assert error.advice

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"session": b"another  session"}, "session"),
            ({"sequence": 0}, "sequence number"),
            ({"sequence": 2}, "sequence number"),
            ({"length": 8}, "length of the body"),
            ({"length": 24}, "length of the body"),
            ({"length": 1 << 40}, "length of the body"),
        ],
    )
    def test_of_a_frame_that_does_not_fit(
        self, open_all: Opener, change: dict[str, Any], field: str
    ) -> None:
        here, there = pair(open_all)
        here.send(Kind.OPEN, words(1), 0)
        there.receive(Kind.OPEN, 1, 0)
        header = Header(here.session, 1, 0, 1, Kind.OPEN, 16)
        here.transmit(replace(header, **change).encode(), bytes(16))
        with pytest.raises(BadFrame) as caught:
            there.receive(Kind.OPEN, 2, 1)
        assert caught.value.field == field

    def test_of_time_running_backwards(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.transmit(Header(here.session, 0, 9, 0, Kind.OPEN, 0).encode(), b"")
        here.transmit(Header(here.session, 1, 8, 1, Kind.OPEN, 0).encode(), b"")
        there.receive(Kind.OPEN, 0, 0)
        with pytest.raises(BadFrame, match="backwards"):
            there.receive(Kind.OPEN, 0, 1)

    def test_of_a_message_over_its_cap(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send_bytes(Kind.HELLO, bytes(101))
        with pytest.raises(BadFrame, match="at most 100"):
            there.receive_bytes(Kind.HELLO, max_bytes=100)

    def test_are_final(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send(Kind.DEAL, words(1), 0)
        here.send(Kind.OPEN, words(1), 0)
        for _ in range(2):
            with pytest.raises(BadFrame, match="kind"):
                there.receive(Kind.OPEN, 1, 0)
        with pytest.raises(BadFrame):
            there.send(Kind.OPEN, words(1), 0)

    def test_of_credit_for_what_was_not_sent(self, open_all: Opener) -> None:
        links = open_all(Limits(deadline=5, window=0))
        proxy, helper = links[P0][HELPER], links[HELPER][P0]
        proxy._post(Kind.CREDIT, (1 << 40).to_bytes(8, "little"), 0)
        helper.send(Kind.DEAL, words(1), 0)
        with pytest.raises(BadFrame, match="acknowledged"):
            helper.send(Kind.DEAL, words(1), 0)

    @pytest.mark.parametrize("body", [b"", b"\x03?", b"\0\xff", b"\0" + bytes(300)])
    def test_of_an_abort_that_cannot_be_read(self, open_all: Opener, body: bytes) -> None:
        here, there = pair(open_all)
        here._post(Kind.ABORT, body, 0)
        with pytest.raises(BadFrame, match="abort"):
            there.receive(Kind.OPEN, 1, 0)


class TestSilence:
    def test_ends_at_the_deadline_and_is_named(self, open_all: Opener) -> None:
        here, _ = pair(open_all, Limits(deadline=0.3))
        here.label = "scan"
        started = time.monotonic()
        with pytest.raises(PeerSilent, match="P1 said nothing") as caught:
            here.receive(Kind.OPEN, 1, 12)
        assert 0.25 < time.monotonic() - started < SOON
        assert (caught.value.peer, caught.value.step) == ("P1", "12 of scan")

    def test_ends_when_another_thread_declares_the_peer_lost(self, open_all: Opener) -> None:
        here, _ = pair(open_all, Limits(deadline=60.0))
        threading.Timer(0.3, here.declare_lost, ["gave no sign of life"]).start()
        begun = time.monotonic()
        with pytest.raises(PeerLost, match="P1 gave no sign of life"):
            here.receive(Kind.OPEN, 1, 0)
        assert time.monotonic() - begun < 30
        with pytest.raises(PeerLost, match="P1 gave no sign of life"):
            here.receive(Kind.OPEN, 1, 0)

    def test_first_reads_what_came_before_the_peer_was_declared_lost(
        self, open_all: Opener
    ) -> None:
        here, there = pair(open_all)
        there.send(Kind.OPEN, words(7), 0)
        assert has_arrived(here)
        here.declare_lost("gave no sign of life")
        assert here.receive(Kind.OPEN, 1, 0)[0] == 7
        with pytest.raises(PeerLost):
            here.receive(Kind.OPEN, 1, 0)

    def test_of_a_closed_link_is_loss(self, open_all: Opener) -> None:
        here, there = pair(open_all, LONG)
        there.close()
        started = time.monotonic()
        with pytest.raises(PeerLost, match="P1"):
            here.receive(Kind.OPEN, 1, 0)
        assert time.monotonic() - started < SOON

    def test_what_came_before_the_loss_is_still_read(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        for step in range(20):
            there.send(Kind.OPEN, np.full(5000, step, np.uint64), step)
        there.close()
        time.sleep(0.2)
        for step in range(20):
            assert here.receive(Kind.OPEN, 5000, step)[-1] == step
        with pytest.raises(PeerLost):
            here.receive(Kind.OPEN, 1, 20)


class TestWindow:
    """The helper deals ahead, but never more than a window and a frame."""

    limits = Limits(deadline=5.0, window=8000)

    def test_stops_a_helper_far_ahead(self, open_all: Opener) -> None:
        links = open_all(replace(self.limits, deadline=0.3))
        with pytest.raises(PeerSilent, match="P0"):
            deal(links[HELPER][P0], frames=100)
        assert links[HELPER][P0].counters.bytes_sent == 8800

    def test_stops_a_helper_whose_proxy_says_much_and_reads_nothing(
        self, open_all: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        links = open_all(replace(self.limits, deadline=0.3))
        helper, proxy = links[HELPER][P0], links[P0][HELPER]
        transport = helper.poll

        def talks(seconds: float) -> tuple[bytes, bytes | memoryview] | None:
            if proxy.counters.frames_sent < 200:
                proxy.send(Kind.TELL, words(1), 50)
            time.sleep(0.02)
            return transport(seconds)

        monkeypatch.setattr(helper, "poll", talks)
        with pytest.raises(PeerSilent, match="P0"):
            deal(helper, frames=100)
        assert proxy.counters.frames_sent < 200

    @pytest.mark.parametrize("size", [1, 100, 249, 251, 1001, 5000])
    def test_opens_as_the_proxy_reads(self, open_all: Opener, size: int) -> None:
        links = open_all(self.limits)
        count = max(200, 5000 // size)

        def write() -> None:
            for step in range(count):
                links[HELPER][P0].send(Kind.DEAL, np.full(size, step, np.uint64), step)

        def read() -> None:
            for step in range(count):
                assert links[P0][HELPER].receive(Kind.DEAL, size, step)[-1] == step

        at_once(write, read)
        assert links[P0][HELPER].counters.frames_sent == 0

    def test_keeps_what_arrives_meanwhile(self, open_all: Opener) -> None:
        links = open_all(self.limits)
        proxy, helper = links[P0][HELPER], links[HELPER][P0]
        proxy.send(Kind.TELL, words(4, 2), 50)
        at_once(
            lambda: deal(helper, frames=50),
            lambda: [proxy.receive(Kind.DEAL, 100, step) for step in range(50)],
        )
        assert helper.receive(Kind.TELL, 2, 50).tolist() == [4, 2]

    def test_a_slow_proxy_is_no_silent_one(self, open_all: Opener) -> None:
        links = open_all(Limits(deadline=1.0, window=80_000))

        def read_slowly() -> None:
            for step in range(130):
                links[P0][HELPER].receive(Kind.DEAL, 100, step)
                time.sleep(0.06 if step < 24 else 0)

        at_once(lambda: deal(links[HELPER][P0], frames=130), read_slowly)

    def test_does_not_bind_the_proxies(self, open_all: Opener) -> None:
        here, there = pair(open_all, self.limits)
        for step in range(100):
            here.send(Kind.OPEN, np.zeros(1000, np.uint64), step)
        for step in range(100):
            there.receive(Kind.OPEN, 1000, step)


class TestParting:
    def test_in_good_order_loses_nothing(self, open_all: Opener) -> None:
        links = open_all()

        def helper() -> None:
            for step in range(50):
                links[HELPER][P0].send(Kind.DEAL, np.full(9000, step, np.uint64), step)
            finish(links[HELPER])

        def slow_proxy() -> None:
            time.sleep(0.3)
            for step in range(50):
                assert links[P0][HELPER].receive(Kind.DEAL, 9000, step)[0] == step
            finish(links[P0])

        at_once(helper, slow_proxy, lambda: finish(links[P1]))

    def test_refuses_a_frame_that_nobody_awaited(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send(Kind.OPEN, words(1), 3)
        with pytest.raises(BadFrame, match="kind is OPEN, not GOODBYE"):
            there.finish()

    def test_too_early_is_refused_by_who_still_reads(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.say_goodbye()
        with pytest.raises(BadFrame, match="GOODBYE, not OPEN"):
            there.receive(Kind.OPEN, 1, 0)

    def test_is_followed_by_no_frame(self, open_all: Opener) -> None:
        here, _ = pair(open_all)
        here.say_goodbye()
        with pytest.raises(LocalProtocolError, match="goodbye"):
            here.send(Kind.OPEN, words(1), 0)

    def test_waits_no_longer_than_the_farewell(self, open_all: Opener) -> None:
        here, _ = pair(open_all, Limits(goodbye=0.2))
        with pytest.raises(PeerSilent):
            here.finish()

    def test_close_can_be_repeated_and_waits_for_nobody(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.send(Kind.OPEN, np.zeros(1 << 20, np.uint64), 0)
        started = time.monotonic()
        for link in (here, there, here):
            link.close()
        assert time.monotonic() - started < SOON
        with pytest.raises(LocalProtocolError, match="closed"):
            here.send(Kind.OPEN, words(1), 0)
        with pytest.raises(LocalProtocolError, match="closed"):
            here.receive(Kind.OPEN, 1, 0)


class TestAbort:
    def test_is_heard_at_once_with_its_reason(self, open_all: Opener) -> None:
        here, there = pair(open_all, LONG)
        timer = threading.Timer(0.2, here.abort, ["the disk is full"])
        timer.start()
        started = time.monotonic()
        with pytest.raises(PeerAborted, match="P0 gave up: the disk is full") as caught:
            there.receive(Kind.OPEN, 1, 0)
        timer.join()
        assert time.monotonic() - started < SOON
        assert (caught.value.culprit, caught.value.reason) == (P0, "the disk is full")

    def test_survives_that_the_party_closes_its_links(self, open_all: Opener) -> None:
        links = open_all()
        give_up(links[P0], LocalProtocolError("no more room"))
        for peer in (P1, HELPER):
            with pytest.raises(PeerAborted, match="no more room"):
                links[peer][P0].receive(Kind.OPEN, 1, 0)

    def test_is_relayed_with_the_name_of_who_began(self, open_all: Opener) -> None:
        links = open_all()
        links[HELPER][P1].abort("cannot deal")
        with pytest.raises(PeerAborted) as caught:
            links[P1][HELPER].receive(Kind.DEAL, 1, 0)
        give_up(links[P1], caught.value)
        with pytest.raises(PeerAborted, match="helper gave up, says P1: cannot deal"):
            links[P0][P1].receive(Kind.OPEN, 1, 0)

    def test_tells_nothing_of_an_error_that_is_not_the_runtimes(self, open_all: Opener) -> None:
        links = open_all()
        give_up(links[P0], ValueError("row 17 holds 0.25"))
        with pytest.raises(PeerAborted, match="an unexpected ValueError") as caught:
            links[P1][P0].receive(Kind.OPEN, 1, 0)
        assert "17" not in caught.value.reason

    def test_reasons_are_short_and_printable(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        here.abort("\x1b[31m é " + "x" * 1000)
        with pytest.raises(PeerAborted) as caught:
            there.receive(Kind.OPEN, 1, 0)
        assert len(caught.value.reason) == 200
        assert caught.value.reason.isascii()
        assert caught.value.reason.isprintable()

    def test_never_raises(self, open_all: Opener) -> None:
        here, there = pair(open_all)
        there.close()
        time.sleep(0.2)
        here.abort("once")
        here.abort("twice")
        here.close()
        here.abort("closed")

    def test_stops_a_helper_that_waits_for_credit(self, open_all: Opener) -> None:
        links = open_all(Limits(deadline=5, window=100))
        links[P0][HELPER].abort("enough")
        with pytest.raises(PeerAborted, match="P0 gave up: enough"):
            deal(links[HELPER][P0], frames=100)


def test_what_is_dealt_and_nothing_else_is_shown_to_who_watches(open_all: Opener) -> None:
    links = open_all()
    helper, proxy = links[HELPER][P1], links[P1][HELPER]
    seen: list[tuple[int, bytes]] = []
    proxy.on_dealt = lambda step, body: seen.append((step, bytes(body)))
    helper.send_bytes(Kind.ASSURE, b"before")
    helper.send(Kind.DEAL, words(1, 2), 5)
    helper.send(Kind.DEAL, words(3), 9)
    proxy.receive_bytes(Kind.ASSURE, max_bytes=6)
    proxy.receive(Kind.DEAL, 2, 5)
    proxy.receive(Kind.DEAL, 1, 9)
    assert seen == [(5, words(1, 2).tobytes()), (9, words(3).tobytes())]
