"""The transcripts of links with a bulk lane: the lane's own seals stand for what it carried."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from functools import partial

import pytest

from ppaurora.mpc.errors import PeerSilent
from ppaurora.mpc.link import Kind, Limits, Link
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Transcripts, exchange_statements

from .loopback import close_links, key_of, lane_links
from .test_bulk_lane import BULK, ends, full, hold, lane_of
from .test_conformance import at_once

pytestmark = pytest.mark.zeromq
P0, P1, HELPER = Role
Said = tuple[tuple[int, int], ...]
SAID: Said = ((BULK, 1), (1, 2), (1000, 3), (50_000, 4))
"""Lengths and values of vectors: all but the second go over the lane."""


def digests_after(said: Said) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both ends' transcripts after P0 has sent P1 these vectors."""
    with ends() as (here, there):
        for link in (here, there):
            link.keep_transcripts(key_of(P0, P1))
        for step, (length, value) in enumerate(said):
            here.send(Kind.OPEN, full(length, value), step)
            assert there.receive(Kind.OPEN, length, step)[-1] == value
        return here.transcripts(), there.transcripts()


def test_both_ends_have_the_same_and_another_one_for_all_else_that_was_said() -> None:
    here, there = digests_after(SAID)
    assert here == there[::-1]
    others: list[Said] = [
        (*SAID[:3], (50_000, 5)),
        (SAID[0], (1, 9), *SAID[2:]),
        (SAID[1], SAID[0], *SAID[2:]),
    ]
    sent = {digests_after(other)[0][0] for other in others}
    assert len({here[0], *sent}) == 1 + len(others)


def test_a_party_waits_with_its_digest_until_what_it_sent_is_sealed() -> None:
    with ends(Limits(deadline=20.0)) as (here, there):
        for link in (here, there):
            link.keep_transcripts(key_of(P0, P1))
            lane_of(link)._connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        for step in range(60):
            here.send(Kind.OPEN, full(40_000, step), step)
        assert lane_of(here).unsent
        told: list[tuple[str, str]] = []

        def hears_all() -> None:
            for step in range(60):
                there.receive(Kind.OPEN, 40_000, step)

        at_once(lambda: told.append(here.transcripts()), hears_all)
        assert told == [there.transcripts()[::-1]]


def test_a_peer_that_takes_nothing_is_named_by_the_deadline() -> None:
    with ends(Limits(deadline=0.3)) as (here, _):
        here.keep_transcripts(key_of(P0, P1))
        for step in range(60):
            here.send(Kind.OPEN, full(40_000, step), step)
        with pytest.raises(PeerSilent, match="P1"):
            here.transcripts()


def test_frames_of_the_farewell_do_not_go_over_the_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    with ends() as (here, there):
        held = hold(here, monkeypatch)
        statement = b"a statement that is long enough to be bulk, but for what it is".ljust(900)
        here.send_bytes(Kind.STATEMENT, statement)
        assert there.receive_bytes(Kind.STATEMENT, max_bytes=1000) == statement
        assert held == []


def deals(links: Mapping[Role, Link]) -> None:
    for step in range(20):
        for length in (1, 5000):
            for link in links.values():
                link.send(Kind.DEAL, full(length, step), step)


def computes(links: Mapping[Role, Link]) -> None:
    other = next(link for peer, link in links.items() if peer is not HELPER)
    for step in range(20):
        for length in (1, 5000):
            other.send(Kind.OPEN, full(length, step), step)
            links[HELPER].receive(Kind.DEAL, length, step)
            other.receive(Kind.OPEN, length, step)


def test_three_parties_with_lanes_part_with_the_same_digests() -> None:
    links = lane_links(Limits(deadline=20.0))
    own: dict[Role, Transcripts] = {}

    def part(role: Role) -> None:
        def statement(transcripts: Transcripts, _: object) -> bytes:
            own[role] = transcripts
            return b"a statement"

        for peer, link in links[role].items():
            link.keep_transcripts(key_of(role, peer))
        (deals if role is HELPER else computes)(links[role])
        exchange_statements(links[role], statement)

    at_once(*(partial(part, role) for role in Role))
    for role in Role:
        for peer in role.others:
            assert own[role][peer] == own[peer][role][::-1]
    # what both proxies send the helper is nothing at all
    assert len({digest for told in own.values() for pair in told.values() for digest in pair}) == 5
    close_links()
