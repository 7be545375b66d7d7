"""Servers that depart from a covert computation in one way, and what comes of it.

The computation is the smallest that can be spoilt: the product of two public numbers. A word that
is dealt wrong, and a changed share, both shift the result by as much as they are changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ppaurora.mpc.committed import RUNS, CommittedDealing, role_in, same_in_all
from ppaurora.mpc.committed.commitments import TOSS_BYTES, chosen
from ppaurora.mpc.committed.exchange import Commitments, Openings
from ppaurora.mpc.errors import CheatingDetected, LocalProtocolError, PeerLost
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Kind, Link
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words

FACTORS, RIGHT, SHIFT = (6, 7), [42], 1000
WRONG = [RIGHT[0] + SHIFT]
REVEAL = 2
"""The message between the proxies that shows a toss."""
UNSUITED = "another dealing was chosen than it would have liked"
Change = Callable[[bytes], bytes]


def product(party: Party) -> Shared:
    """The product of two public numbers, as shares."""
    x, y = (Shared.public(party.role, [factor]) for factor in FACTORS)
    return multiply(party, x, y)


class Altering:
    """A link that shifts the last word of every frame of one kind, or changes one message."""

    def __init__(
        self, link: Link, *, kind: Kind | None = None, at: int = -1, change: Change = bytes
    ) -> None:
        self._link = link
        self._kind = kind
        self._left = at
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def send(self, kind: Kind, words: Words, step: int) -> None:
        if kind is self._kind:
            words = words.copy()
            words[-1] += np.uint64(SHIFT)
        self._link.send(kind, words, step)

    def send_bytes(self, kind: Kind, body: bytes) -> None:
        self._link.send_bytes(kind, self._change(body) if self._left == 0 else body)
        self._left -= 1


def shifting(party: Party, kind: Kind) -> Shared:
    """The product, computed by a party that shifts what it sends of this kind."""
    for peer, link in party.links.items():
        party.links[peer] = Altering(link, kind=kind)  # type: ignore[assignment]
    return product(party)


class Server(CommittedDealing):
    """An honest server, in one of its roles."""

    def __init__(self, role: Role, dealings: int) -> None:
        super().__init__(role, product, dealings)

    def computed(self, party: Party) -> Shared:
        """Its part of the run."""
        return product(party)


class CommitsToOneWrong(Server):
    """As a helper it commits to one wrong dealing, and hopes that it will be the one used."""

    _hoped_for = False

    def _recomputed(self, session: bytes, number: int, openings: Openings) -> Commitments:
        if self._role is Role.HELPER:
            self._program = wrongly_dealt if number == 0 else product
        return super()._recomputed(session, number, openings)

    def _open(self, links: Links, openings: Sequence[Openings], used: int) -> None:
        super()._open(links, openings, used)
        self._hoped_for = used == 0

    def computed(self, party: Party) -> Shared:
        return wrongly_dealt(party) if self._hoped_for else product(party)


class CommitsToAllWrong(Server):
    """As a helper it commits to wrong dealings only, and deals one of them."""

    def _recomputed(self, session: bytes, number: int, openings: Openings) -> Commitments:
        if self._role is Role.HELPER:
            self._program = wrongly_dealt
        return super()._recomputed(session, number, openings)

    def computed(self, party: Party) -> Shared:
        return wrongly_dealt(party)


class LeavesWhenFoundOut(CommitsToAllWrong):
    """As a helper it goes away rather than to open a wrong dealing."""

    def _open(self, links: Links, openings: Sequence[Openings], used: int) -> None:
        raise PeerLost("the line broke, it says")


class DealsAnother(Server):
    """As a helper it commits to right dealings, and deals wrong words."""

    def computed(self, party: Party) -> Shared:
        return wrongly_dealt(party)


class OpensAnother(Server):
    """As a helper it opens other seeds than it committed to."""

    def _open(self, links: Links, openings: Sequence[Openings], used: int) -> None:
        following = [*openings[1:], openings[0]]
        super()._open(links, following, used)


class ShiftsItsShare(Server):
    """As a proxy it shifts its share of the result."""

    def computed(self, party: Party) -> Shared:
        return product(party) + (SHIFT if party.role is Role.P0 else 0)


class FlipsAnOpenedWord(Server):
    """As a proxy it opens another word than it should."""

    def computed(self, party: Party) -> Shared:
        return shifting(party, Kind.OPEN)


class CheatsInEveryRole(CommitsToOneWrong):
    """It shifts its share as a proxy, and as a helper deals so that the result shifts as much.

    The most that one server can do: the three results are the same, and wrong, if the dealing
    passes.
    """

    def computed(self, party: Party) -> Shared:
        if party.is_helper:
            return super().computed(party)
        found = product(party)
        return Shared.from_words(party.role, found.words + np.uint64(SHIFT))


class LeavesUnlessItIsUsed(CheatsInEveryRole):
    """It does the same, and as a helper goes away when its wrong dealing is to be opened.

    If that were taken for a broken line, and the session repeated, it would succeed in the end.
    """

    def _open(self, links: Links, openings: Sequence[Openings], used: int) -> None:
        if used:
            raise PeerLost("the line broke, it says")
        super()._open(links, openings, used)


class AltersAMessage(Server):
    """It changes one message of what precedes the run: the one of this number to this peer."""

    def __init__(self, role: Role, dealings: int, peer: Role, at: int, change: Change) -> None:
        super().__init__(role, dealings)
        self._altered = (peer, at, change)

    def keys(self, links: Links, agreed: Handshake) -> Handshake:
        peer, at, change = self._altered
        altered: Any = Altering(links[peer], at=at, change=change)
        return super().keys({**links, peer: altered}, agreed)


class OtherLink:
    """A proxy's link to the other proxy, with its own way to toss."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._sent = 0
        self._read: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def send_bytes(self, kind: Kind, body: bytes) -> None:
        self._sent += 1
        if self._sent == REVEAL:
            # the other's toss is read before the own one is shown
            self._read.append(self._link.receive_bytes(kind, max_bytes=TOSS_BYTES))
            body = self.shown(body, self._read[0])
        self._link.send_bytes(kind, body)

    def receive_bytes(self, kind: Kind, **limits: Any) -> bytes:
        return self._read.pop() if self._read else self._link.receive_bytes(kind, **limits)

    def shown(self, own: bytes, theirs: bytes) -> bytes:
        """The toss that it shows, once it knows the other one."""
        raise NotImplementedError


class ShowsWhatSuits(OtherLink):
    """It shows the toss that chooses dealing 0."""

    def shown(self, own: bytes, theirs: bytes) -> bytes:
        return theirs


class StopsUnlessItSuits(OtherLink):
    """It ends the session unless dealing 0 is chosen."""

    def shown(self, own: bytes, theirs: bytes) -> bytes:
        if chosen((own, theirs), 4):
            raise LocalProtocolError(UNSUITED)
        return own


class TossesIn(Server):
    """As a proxy it waits for the other's toss before it shows its own."""

    link: type[OtherLink]

    def keys(self, links: Links, agreed: Handshake) -> Handshake:
        if self._role is Role.HELPER:
            return super().keys(links, agreed)
        waiting: Any = self.link(links[self._other])
        return super().keys({**links, self._other: waiting}, agreed)


class BiasesTheToss(TossesIn):
    """It shows another toss than it had chosen."""

    link = ShowsWhatSuits


class StopsAfterTheToss(TossesIn):
    """It ends the session where the toss does not suit it."""

    link = StopsUnlessItSuits


class GivesDifferentCommitments(Server):
    """As a helper it commits to other dealings before P1 than before P0."""

    def keys(self, links: Links, agreed: Handshake) -> Handshake:
        if self._role is not Role.HELPER:
            return super().keys(links, agreed)
        altered: Any = Altering(links[Role.P1], at=0, change=lambda body: os.urandom(len(body)))
        return super().keys({**links, Role.P1: altered}, agreed)


def wrongly_dealt(party: Party) -> Shared:
    """The helper's part of the product, dealt so that it comes out wrong."""
    return shifting(party, Kind.DEAL)


def one_run(servers: Mapping[Role, Server]) -> list[int]:
    """The words that the two proxies' shares open to."""
    results = run_local(lambda party: servers[party.role].computed(party), committed=servers)
    return open_locally(results).tolist()


def run_of(cheater: Role, cheat: Callable[[Role, int], Server], dealings: int) -> list[int]:
    """One run with one server that is not honest."""
    return one_run({role: (cheat if role is cheater else Server)(role, dealings) for role in Role})


def study_of(cheater: int, cheat: Callable[[Role, int], Server], dealings: int) -> str:
    """A receiver's result after three runs in which the server of this number cheats."""
    try:
        found = same_in_all([run_of(role_in(cheater, run), cheat, dealings) for run in range(RUNS)])
    except (CheatingDetected, LocalProtocolError) as error:
        return error.what.partition(":")[0]
    return {tuple(RIGHT): "the right result", tuple(WRONG): "a wrong result"}[tuple(found)]
