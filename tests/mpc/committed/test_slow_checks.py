"""Checks of dealings and handshakes that take long: honest servers have equal transcripts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.handshake import Handshake, Terms, shake_hands
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.link.frame import SESSION_BYTES
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links, Transcripts, exchange_statements, open_session
from tests.mpc.committed.cheats import RIGHT, Server
from tests.until import later

P0, P1, HELPER = Role
DEADLINE = 20.0
SESSION = bytes(SESSION_BYTES)
TERMS = Terms(bytes(32), SESSION)
IDENTITIES = {role: Identity.generate() for role in Role}
PUBLICS = {role: identity.public for role, identity in IDENTITIES.items()}


def run(servers: dict[Role, Server], agree: Any = shake_hands) -> None:
    """A whole session of these servers; both ends of every link must have seen the same."""
    links = memory_links(SESSION, Limits(deadline=DEADLINE))
    own: dict[Role, Transcripts] = {}

    def of_one(role: Role) -> list[int]:
        def keys(links: Links) -> Handshake:
            return servers[role].keys(links, agree(role, IDENTITIES[role], links, PUBLICS, TERMS))

        def statement(transcripts: Transcripts, heard: object) -> bytes:
            own[role] = transcripts
            return b"stated"

        with open_session(role, lambda: links[role], keys, lasting_key=bytes(32)) as party:
            result = servers[role].computed(party)
            servers[role].confirm()
            exchange_statements(party.links, statement)
            return [] if party.is_helper else [int(word) for word in result.words]

    with ThreadPoolExecutor(3) as pool:
        shares = dict(zip(Role, pool.map(of_one, Role), strict=True))
    assert [(a + b) % 2**64 for a, b in zip(shares[P0], shares[P1], strict=True)] == RIGHT
    for role in Role:
        for peer in role.others:
            assert own[role][peer] == own[peer][role][::-1]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9, 1.5, 3.0])
@pytest.mark.parametrize("slow", [(P0,), (P1,), (HELPER,), (P0, P1), tuple(Role)])
def test_a_check_that_takes_as_long_as_this_share_of_the_deadline_accuses_nobody(
    monkeypatch: pytest.MonkeyPatch, slow: tuple[Role, ...], share: float
) -> None:
    class Slow(Server):
        def _recomputed(self, *about: Any) -> Any:
            if self._role in slow:
                later(monkeypatch, share * DEADLINE)
            return super()._recomputed(*about)

    run({role: Slow(role, 2) for role in Role})


@pytest.mark.parametrize("late", Role)
def test_a_proof_of_a_key_that_is_late_by_a_third_of_the_deadline_accuses_nobody(
    monkeypatch: pytest.MonkeyPatch, late: Role
) -> None:
    sends = Link.send_bytes
    hellos = 0

    def slowly(link: Link, kind: Kind, body: bytes) -> None:
        nonlocal hellos
        if kind is Kind.HELLO and link.role is late:
            hellos += 1
            if hellos == 3:  # its first proof
                later(monkeypatch, DEADLINE / 3)
        sends(link, kind, body)

    monkeypatch.setattr(Link, "send_bytes", slowly)
    run({role: Server(role, 2) for role in Role})
    assert hellos == 4


def test_a_peer_with_another_key_is_still_found_out() -> None:
    others = {**IDENTITIES, P1: Identity.generate()}

    def agree(role: Role, identity: Identity, links: Links, publics: Any, terms: Terms) -> Any:
        return shake_hands(role, others[role], links, publics, terms)

    with pytest.raises(IdentityRefused, match="does not hold the key"):
        run({role: Server(role, 2) for role in Role}, agree)
