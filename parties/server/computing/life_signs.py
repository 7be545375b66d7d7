"""Signs of life between the three servers while they compute, so that a stopped one is noticed.

A killed server's connections break at once. One that hangs, or whose machine is gone, keeps them:
without signs of life the others would wait for it until the deadline. So each server asks the
request ports of the other two, on connections and threads of their own, whether they are there. The
listener answers by itself, while that server computes and while it serves somebody else; a long
frame on the link is not in the way either.

One thread asks and another one counts the silence, so that a question which hangs (a connection
that is accepted by a stopped server's system, a name that does not resolve) delays no verdict. A
stopped peer is given up after `SILENT_SECONDS` (in a covert study after the patience of this
server, see `silence_limit`), a tick of that count, and the glance of the link that waits.

A peer that has never answered in this session (a firewall may keep its request port closed to other
servers than P0) is not watched: then only the deadline and broken connections tell.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ppaurora.mpc.errors import PeerError
from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Link
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.listener import LIFE_SIGN
from ppaurora.parties.study.runs import StudyRun

FIRST_SECONDS = 0.5
"""A session that is over by then needs no signs of life."""
PAUSE_SECONDS = 0.5
RETRY_SECONDS = 0.3
SILENT_SECONDS = 3.0
ANSWER_SECONDS = SILENT_SECONDS
"""An answer that is late counts as long as the silence may last."""
TICK_SECONDS = 0.1
LONGEST_TICK_SECONDS = 0.5


class Silence:
    """For how long a peer has given no sign of life, while this server was there to hear one.

    It is too long from `limit` seconds on. The time between two looks is counted up to
    `LONGEST_TICK_SECONDS` only: if this server itself stood still, a sign may have come that it has
    not read yet.
    """

    def __init__(self, limit: float = SILENT_SECONDS) -> None:
        self.limit = limit
        self.seconds = 0.0
        self._heard_at: float | None = None
        self._looked_at = 0.0

    def look(self, now: float, heard_at: float | None) -> bool:
        """True if the silence is too long at `now`; `heard_at` is None before the first answer."""
        if heard_at is None or heard_at != self._heard_at:
            self.seconds = 0.0
        else:
            self.seconds += min(now - self._looked_at, LONGEST_TICK_SECONDS)
        self._heard_at, self._looked_at = heard_at, now
        return self.seconds >= self.limit


@contextmanager
def watched(
    identity: Identity,
    run: StudyRun,
    publics: Mapping[Role, PublicKey],
    links: Mapping[Role, Link],
    silent: float = SILENT_SECONDS,
) -> Iterator[None]:
    """Watch the peers of these links, with these keys, for as long as the block lasts.

    Each may give no sign of life for `silent` seconds.
    """
    over = threading.Event()
    for peer, link in links.items():
        entry = run.server(peer)
        connection = RequestConnection(identity, str(peer), entry.host, entry.port, publics[peer])
        threading.Thread(target=watch, args=(connection, link, over, silent), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def watch(
    connection: RequestConnection,
    link: Link,
    over: threading.Event,
    silent: float = SILENT_SECONDS,
) -> None:
    """Declare the peer lost if it is silent for so many seconds before the session is over.

    Whatever arrives over the link is a sign of life, too.
    """
    answers: list[float] = []
    threading.Thread(target=ask, args=(connection, answers, over), daemon=True).start()
    silence = Silence(silent)
    while not over.wait(TICK_SECONDS):
        heard_at = max(*answers, link.heard_at) if answers else None
        if silence.look(time.monotonic(), heard_at):
            link.declare_lost(f"has given no sign of life for {silence.seconds:.0f} s")
            return


def ask(connection: RequestConnection, answers: list[float], over: threading.Event) -> None:
    """Ask again and again until the session is over; `answers` holds when the last answer came."""
    pause = FIRST_SECONDS
    with connection:
        while not over.wait(pause):
            try:
                connection.ask(LIFE_SIGN, ANSWER_SECONDS)
            except PeerError:  # the next question opens a new connection
                pause = RETRY_SECONDS
            else:
                answers[:] = [time.monotonic()]
                pause = PAUSE_SECONDS
