"""The links of three parties over real sockets, in one process."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest

from ppaurora.mpc.errors import PeerSilent
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits, Link, endpoints_of, open_links
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import PAIRS, Pair, Role
from tests.until import until

SESSION = b"session of tests"
PATIENT = Limits(deadline=5.0, connect=10.0)
Links = dict[Role, dict[Role, Link]]

_OPENED: list[Link] = []


def key_of(*ends: Role) -> bytes:
    """A stand-in for the session key of a pair."""
    return bytes([1 + sum(ends)]) * 32


def with_lanes(links: Links, *, opened_later_at: Role | None = None) -> Links:
    """The same links, each with its bulk lane open."""
    for pair in PAIRS:
        low, high = pair
        here, there = links[low][high], links[high][low]
        assert here.open_bulk(key_of(*pair), opened_later=low is opened_later_at)
        assert there.open_bulk(key_of(*pair), opened_later=high is opened_later_at)
        assert isinstance(there, ZeroMQLink)
        end = time.monotonic() + 20
        while not there.bulk:
            assert time.monotonic() < end, "no lane was opened"
            there._go_on_dialling()
        while not here.bulk:
            with suppress(PeerSilent):
                here._next(0, 0.01, 0)
    return links


def lane_links(
    limits: Limits = PATIENT, *, after: int = 0, opened_later_at: Role | None = None
) -> Links:
    """All three parties' links over loopback, with lanes for bodies from 64 bytes on.

    They are used once so many bytes were sent; one party may open what comes where it is used.
    """
    links = zeromq_links(replace(limits, bulk=64, bulk_after=after), bulk=True)
    return with_lanes(links, opened_later_at=opened_later_at)


def keeps_early(link: ZeroMQLink, frames: int) -> None:
    """The link, which awaits a large frame, comes to keep so many others for later, and no more."""

    def full_up() -> bool:
        with pytest.raises(PeerSilent):
            link._next(0, 0.1, 8000)
        return repr(link._buffer) == f"<{frames} early frames>"

    until(full_up)
    assert full_up()


def zeromq_links(
    limits: Limits = PATIENT, *, bulk: bool = False, insecure_plain: bool = False
) -> Links:
    """All three parties' links over loopback, opened by three threads as three processes would."""
    identities = {role: Identity.generate() for role in Role}
    bound: dict[Pair, Future[int]] = {pair: Future() for pair in PAIRS}

    def open_one(role: Role) -> dict[Role, Link]:
        own = [pair for pair in PAIRS if role in pair]
        endpoints = endpoints_of(
            role,
            hosts=dict.fromkeys(Role, "127.0.0.1"),
            ports={pair: 0 if pair[0] is role else bound[pair].result(5) for pair in own},
            publics={peer: identities[peer].public for peer in role.others},
        )
        return open_links(
            role,
            identities[role],
            endpoints,
            SESSION,
            limits=limits,
            on_bound=lambda peer, port: bound[role, peer].set_result(port),
            bulk=bulk,
            insecure_plain=insecure_plain,
        )

    with ThreadPoolExecutor(3) as pool:
        futures = {role: pool.submit(open_one, role) for role in Role}
    for of_one in (one.result() for one in futures.values() if one.exception() is None):
        _OPENED.extend(of_one.values())
    return {role: future.result() for role, future in futures.items()}


def close_links() -> None:
    """Close every link that was opened here and not closed yet.

    A link that nobody closes keeps the whole process from going on when its memory is reclaimed.
    """
    while _OPENED:
        _OPENED.pop().close()
