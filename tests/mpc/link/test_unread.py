"""A party that dials its peer: what the peer can make it hold, and that nothing of it is lost."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from ppaurora.mpc.errors import BadFrame, PeerLost
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import MAX_BODY_BYTES, Endpoint, Kind, Limits, Link, open_links, zeromq
from ppaurora.mpc.link.unread import BETWEEN_SECONDS, HIGH_WATER, UnreadOnSocket
from ppaurora.mpc.link.zeromq import PeerConnection, ZeroMQLink
from ppaurora.mpc.role import Role
from tests.mpc.processes import ROOT
from tests.until import until

from .flooding_process import WORDS
from .loopback import SESSION
from .test_bad_frames import resident_bytes
from .test_listening_proxy import descriptors

pytestmark = pytest.mark.zeromq
FRAME_BYTES = 8 * WORDS
MOST = 32 << 20
MORE_BYTES = 24 << 20
"""The memory of a link beside unread bytes."""
SOON = 20.0
QUIET_SECONDS = 0.3


@contextlib.contextmanager
def dialled_by(
    role: Role, frames: int, *, words: int = WORDS, whole: bool = True, kill: bool = False
) -> Iterator[Link]:
    """The link of a party that has dialled a P0 which floods it with so many frames, or parts.

    With `kill` that P0 is killed when libzmq takes no more of them.
    """
    own, theirs = Identity.generate(), Identity.generate()
    plan = {
        "peer": role,
        "private": theirs.private_bytes().hex(),
        "public": own.public.to_bytes().hex(),
        "frames": frames,
        "words": words,
        "whole": whole,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.mpc.link.flooding_process"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps(plan), file=process.stdin, flush=True)
        endpoint = Endpoint("127.0.0.1", int(process.stdout.readline()), theirs.public, False)
        limits = Limits(deadline=SOON)
        link = open_links(role, own, {Role.P0: endpoint}, SESSION, limits=limits)[Role.P0]
        if kill:
            assert isinstance(link, ZeroMQLink)
            until(lambda: link._unread.bytes > HIGH_WATER * FRAME_BYTES)
            process.kill()
            process.wait(SOON)
        try:
            yield link
        finally:
            link.close()
            process.stdin.close()


def most_held() -> int:
    """The most bytes that this process has until it has had no more for a while."""
    most, end, quiet_at = resident_bytes(), time.monotonic() + SOON, time.monotonic()
    while time.monotonic() < min(end, quiet_at + QUIET_SECONDS):
        time.sleep(0.01)
        if (now := resident_bytes()) > most + (1 << 20):
            most, quiet_at = now, time.monotonic()
    return most


def read_all(link: Link) -> int:
    """The number of frames read, and answered, before their sender was found to be lost."""
    read = 0
    with contextlib.suppress(PeerLost):
        for read in range(1 << 20):
            link.send(Kind.OPEN, np.zeros(1, np.uint64), read)
            link.receive(Kind.OPEN, WORDS, read)
    return read


@pytest.mark.parametrize("role", [Role.P1, Role.HELPER])
def test_frames_that_nobody_reads_yet_wait_with_the_sender_and_all_arrive(role: Role) -> None:
    before = resident_bytes()
    with dialled_by(role, 200) as link:
        assert most_held() - before < HIGH_WATER * FRAME_BYTES + MORE_BYTES
        for step in range(200):
            assert link.receive(Kind.OPEN, WORDS, step)[-1] == WORDS - 1
        link.send(Kind.OPEN, np.zeros(1, np.uint64), 0)


def test_frames_of_the_largest_size_may_wait_for_long() -> None:
    with dialled_by(Role.P1, HIGH_WATER + 2, words=MAX_BODY_BYTES // 8) as link:
        most_held()
        for step in range(HIGH_WATER + 2):
            assert link.receive(Kind.OPEN, MAX_BODY_BYTES // 8, step).size == MAX_BODY_BYTES // 8


def test_a_message_of_parts_without_end_is_ended_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its sender is named, whether the receiver was waiting or busy with something else."""
    monkeypatch.setattr(zeromq, "MOST_FROM_SOCKET", MOST)
    before = resident_bytes()
    with dialled_by(Role.P1, 1000, whole=False) as link:
        held = most_held()
        with pytest.raises(BadFrame, match="P0 sent a message without an end"):
            link.receive(Kind.OPEN, 1, 0)
        assert max(held, resident_bytes()) - before < 500 * FRAME_BYTES


def test_frames_of_a_peer_that_is_killed_while_they_wait_are_read_before_the_loss_is_told() -> None:
    with dialled_by(Role.P1, 50, kill=True) as link:
        assert HIGH_WATER <= read_all(link) < 50


def test_what_was_read_is_counted_exactly_enough_and_nothing_is_left_behind() -> None:
    opened = descriptors()
    with dialled_by(Role.P1, 50) as link:
        assert isinstance(link, ZeroMQLink)
        unread = link._unread
        assert isinstance(unread, UnreadOnSocket)
        for step in range(50):
            link.receive(Kind.OPEN, WORDS, step)
        until(lambda: unread.bytes > -(1 << 16))
        time.sleep(4 * BETWEEN_SECONDS)
        assert unread.bytes <= 0
    assert descriptors() == opened
    assert not unread._thread.is_alive()


def test_a_connection_that_could_not_be_counted_at_first_is_never_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody would say what is read of it: an honest peer would be taken for a flood."""
    monkeypatch.setattr(zeromq, "MOST_FROM_SOCKET", MOST)
    dup = os.dup

    def none_left(descriptor: int) -> int:
        monkeypatch.setattr(os, "dup", dup)
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(os, "dup", none_left)
    with dialled_by(Role.P1, 50) as link:
        assert os.dup is dup
        assert isinstance(link, ZeroMQLink)
        assert link._connection.connected
        for step in range(50):
            link.receive(Kind.OPEN, WORDS, step)
        time.sleep(4 * BETWEEN_SECONDS)
        assert link._connection.connected


def test_of_a_connection_that_is_none_any_more_no_descriptor_is_left() -> None:
    connection = PeerConnection(Limits())
    with open(os.devnull) as somebody_elses:
        connection._connections.add(somebody_elses.fileno())
        opened = descriptors()
        assert connection.dial(b"", b"") is None
        assert descriptors() == opened
    connection.close()
