"""Signs of life between the three servers while they compute, so that a stopped one is noticed.

A killed server's connections break at once. One that hangs, or whose machine is gone, keeps them:
without signs of life the others would wait for it until the deadline. So each server asks the
request ports of the other two, on connections and threads of their own, whether they are there. The
listener answers by itself, while that server computes and while it serves somebody else; a long
frame on the link is not in the way either.

A peer that has never answered in this session (a firewall may keep its request port closed to other
servers than P0) is not watched: then only the deadline and broken connections tell.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ppaurora.mpc.errors import PeerError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Link
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.listener import LIFE_SIGN
from ppaurora.parties.study.study import Study

__all__ = ["watched"]

FIRST_SECONDS = 0.5
"""A session that is over by then needs no signs of life."""
PAUSE_SECONDS = 1.0
RETRY_SECONDS = 0.3
ANSWER_SECONDS = 2.0
SILENT_SECONDS = 3.0


@contextmanager
def watched(identity: Identity, study: Study, links: Mapping[Role, Link]) -> Iterator[None]:
    """Watch the peers of these links for as long as the block lasts."""
    over = threading.Event()
    for peer, link in links.items():
        entry = study.server(peer)
        connection = RequestConnection(identity, str(peer), entry.host, entry.port, entry.public)
        threading.Thread(target=watch, args=(connection, link, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def watch(connection: RequestConnection, link: Link, over: threading.Event) -> None:
    """Ask again and again, until the session is over or the peer has been silent for too long.

    Whatever arrives over the link is a sign of life, too.
    """
    answered: float | None = None
    pause = FIRST_SECONDS
    with connection:
        while not over.wait(pause):
            silent = 0.0 if answered is None else time.monotonic() - max(answered, link.heard_at)
            if silent >= SILENT_SECONDS:
                link.declare_lost(f"has given no sign of life for {silent:.0f} s")
                return
            try:
                connection.ask(LIFE_SIGN, ANSWER_SECONDS)
            except PeerError:  # the next question opens a new connection
                pause = RETRY_SECONDS
            else:
                answered, pause = time.monotonic(), PAUSE_SECONDS
