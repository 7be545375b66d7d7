"""The messages before the run, at all three roles, and the comparison after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from ppaurora.mpc.committed.commitments import (
    HASH_BYTES,
    TOSS_BYTES,
    Dealt,
    SeedOpening,
    chosen,
    fresh_toss,
    toss_commitment,
)
from ppaurora.mpc.committed.rehearsal import HelperProgram, rehearsed
from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import (
    BadFrame,
    CheatingDetected,
    LocalProtocolError,
    PeerError,
    RemoteProtocolError,
)
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Kind, Link
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.session import Links

FEWEST_DEALINGS, MOST_DEALINGS = 2, 64


Openings = Mapping[Role, SeedOpening]
Commitments = dict[Role, bytes]
ADVICE = "Do not repeat the session: first find out which server is at fault."


@dataclass(frozen=True, slots=True)
class WatchedDealing:
    """The deals of the helper to this proxy in the run, beside the commitment to them."""

    link: Link
    dealt: Dealt
    commitment: bytes


class CommittedDealing:
    """One run of a computation whose helper commits to its dealings; for one session only."""

    def __init__(
        self,
        role: Role,
        program: HelperProgram,
        dealings: int,
        *,
        threads: int = 1,
        checking: Callable[[bool], None] = lambda under_way: None,
    ) -> None:
        """`program` is the computation as the helper runs it, `dealings` the K of the study.

        `checking` is told at a proxy that the toss and the check begin, and that all was found
        right. A process that ends in between has seen what may be cheating.
        """
        if not FEWEST_DEALINGS <= dealings <= MOST_DEALINGS:
            raise ValueError(f"{dealings} dealings, not from {FEWEST_DEALINGS} to {MOST_DEALINGS}")
        self._role = role
        self._program = program
        self._dealings = dealings
        self._threads = threads
        self._fewest_threads = 1
        self._checking = checking
        self._watched: WatchedDealing | None = None

    def __repr__(self) -> str:
        return f"<CommittedDealing of {self._dealings} at {self._role}>"

    def keys(self, links: Links, agreed: Handshake) -> Handshake:
        """The session keys for the run: those with the helper are the seeds of the chosen dealing.

        Raises `CheatingDetected` where somebody does not keep to the protocol. Every wait
        lasts until `Limits.goodbye`, since the others compute for as long as the run itself.
        """
        self._fewest_threads = agreed.threads
        for link in links.values():
            link.label = "commitments"
        if self._role is Role.HELPER:
            seeds = self._commit(links)
        else:
            seeds = {Role.HELPER: self._check(links, links[Role.HELPER], links[self._other])}
        _wait_for_all(links)
        return replace(agreed, keys={**agreed.keys, **seeds})

    def confirm(self) -> None:
        """After the run: what was dealt to this proxy is what the helper had committed to."""
        if self._role is Role.HELPER:
            return
        if self._watched is None:
            raise LocalProtocolError("a dealing is confirmed that nobody committed to")
        if self._watched.dealt.commitment() != self._watched.commitment:
            raise _caught(self._watched.link, "the helper dealt other words than it committed to")

    # -- the helper ----------------------------------------------------------------------------

    def _commit(self, links: Links) -> dict[Role, bytes]:
        """The seeds of the run, by proxy."""
        session = links[Role.P0].session
        openings: list[Openings] = [
            {proxy: SeedOpening.fresh() for proxy in PROXIES} for _ in range(self._dealings)
        ]
        committed = [self._recomputed(session, k, both) for k, both in enumerate(openings)]
        for link in links.values():
            link.send_bytes(
                Kind.ASSURE, b"".join(dealing[to] for dealing in committed for to in PROXIES)
            )
        named = [_receive(links[proxy], 1)[0] for proxy in PROXIES]
        if named[0] != named[1] or named[0] >= self._dealings:
            raise _caught(links[Role.P0], "the proxies do not name the same dealing")
        self._open(links, openings, named[0])
        return {proxy: openings[named[0]][proxy].seed for proxy in PROXIES}

    def _open(self, links: Links, openings: Sequence[Openings], used: int) -> None:
        for proxy, link in links.items():
            link.send_bytes(Kind.ASSURE, opened(openings, used, proxy))

    # -- a proxy -------------------------------------------------------------------------------

    @property
    def _other(self) -> Role:
        return Role.P1 if self._role is Role.P0 else Role.P0

    def _check(self, links: Links, helper: Link, other: Link) -> bytes:
        """This proxy's seed of the run, when all other dealings were found right."""
        seen = _receive(helper, self._dealings * len(PROXIES) * HASH_BYTES)
        committed = commitments_in(seen)
        self._checking(True)
        used = self._toss(helper.session, other, seen)
        own = self._checked(helper, committed, used)
        self._checking(False)
        dealt = Dealt(helper.session, used, self._role, own)
        helper.on_dealt = dealt.add
        self._watched = WatchedDealing(helper, dealt, committed[used][self._role])
        return own.seed

    def _checked(self, helper: Link, committed: Sequence[Commitments], used: int) -> SeedOpening:
        """The own opening of the dealing used, once all others were found right.

        Whatever keeps this proxy from finding that out, the helper may have brought about: it knows
        by then whether its wrong dealing is the one that is used.
        """
        try:
            helper.send_bytes(Kind.ASSURE, bytes([used]))
            openings, own = openings_in(self._opened_by(helper), used)
            for number, both in openings.items():
                if self._recomputed(helper.session, number, both) != committed[number]:
                    raise _caught(
                        helper, f"dealing {number} of the helper is not the one that its seeds give"
                    )
        except CheatingDetected:
            raise
        except Exception as error:
            what = f"the dealings of the helper could not be checked: {type(error).__name__}"
            raise _caught(helper, what) from error
        return own

    def _opened_by(self, helper: Link) -> bytes:
        """The helper's openings, once it knows which dealing is used.

        One that leaves instead may have been afraid of it. If that were taken for any broken line,
        a wrong dealing could be tried again and again, until it is the one that is used.
        """
        try:
            return _receive(helper, opened_size(self._dealings))
        except (PeerError, RemoteProtocolError) as error:
            what = "the helper did not open its dealings after the toss"
            raise _caught(helper, f"{what}: {error.what}") from error

    def _toss(self, session: bytes, other: Link, seen: bytes) -> int:
        """The number of the dealing that is used, chosen by both proxies."""
        own = fresh_toss()
        other.send_bytes(
            Kind.ASSURE, sha256(seen).digest() + toss_commitment(session, self._role, seen, own)
        )
        told = _receive(other, 2 * HASH_BYTES)
        if told[:HASH_BYTES] != sha256(seen).digest():
            raise _caught(other, "the helper gave the proxies different commitments")
        other.send_bytes(Kind.ASSURE, own)
        theirs = _receive(other, TOSS_BYTES)
        if told[HASH_BYTES:] != toss_commitment(session, other.peer, seen, theirs):
            raise _caught(other, f"{other.peer} shows another toss than it had chosen")
        return chosen((own, theirs), self._dealings)

    # -- both ----------------------------------------------------------------------------------

    def _recomputed(self, session: bytes, number: int, openings: Openings) -> Commitments:
        return rehearsed(
            self._program,
            session,
            number,
            openings,
            threads=self._threads,
            fewest_threads=self._fewest_threads,
        )


def commitments_in(message: bytes) -> list[Commitments]:
    """The helper's commitments, dealing by dealing."""
    hashes = [message[at : at + HASH_BYTES] for at in range(0, len(message), HASH_BYTES)]
    return [
        dict(zip(PROXIES, hashes[at : at + len(PROXIES)], strict=True))
        for at in range(0, len(hashes), len(PROXIES))
    ]


def opened(openings: Sequence[Openings], used: int, proxy: Role) -> bytes:
    """The openings for this proxy: its own part of the dealing used, all of the others."""
    others = [both[to] for k, both in enumerate(openings) if k != used for to in PROXIES]
    return b"".join(opening.to_bytes() for opening in (openings[used][proxy], *others))


def opened_size(dealings: int) -> int:
    """The number of bytes of `opened`."""
    return SeedOpening.SIZE * (1 + len(PROXIES) * (dealings - 1))


def openings_in(message: bytes, used: int) -> tuple[dict[int, Openings], SeedOpening]:
    """The openings of the dealings that are not used, by number, and the own one of that used."""
    own, *rest = (
        SeedOpening.from_bytes(message[at : at + SeedOpening.SIZE])
        for at in range(0, len(message), SeedOpening.SIZE)
    )
    pairs = [
        dict(zip(PROXIES, rest[at : at + len(PROXIES)], strict=True))
        for at in range(0, len(rest), len(PROXIES))
    ]
    numbers = (number for number in range(len(pairs) + 1) if number != used)
    return dict(zip(numbers, pairs, strict=True)), own


def commitment_cost(dealings: int) -> Cost:
    """Hops and payload bytes of all that precedes the run.

    >>> commitment_cost(4)
    Cost(hops=6, payload=1602)
    """
    committed = 2 * dealings * len(PROXIES) * HASH_BYTES
    tossed = 2 * (2 * HASH_BYTES + TOSS_BYTES + 1)
    return Cost(6, committed + tossed + 2 * opened_size(dealings))


def _wait_for_all(links: Links) -> None:
    """Wait until all three have come here: who computes for longer is not taken for lost."""
    for link in links.values():
        link.send_bytes(Kind.ASSURE, b"")
    for link in links.values():
        _receive(link, 0)


def _caught(link: Link, what: str) -> CheatingDetected:
    return CheatingDetected(
        what,
        advice=ADVICE,
        session=link.session.hex()[:8],
        step=link.label,
        peer=str(link.peer),
    )


def _receive(link: Link, size: int) -> bytes:
    """The peer's next message, of exactly this size."""
    body = link.receive_bytes(Kind.ASSURE, max_bytes=size, seconds=link.limits.goodbye)
    if len(body) != size:
        raise BadFrame(
            f"{link.peer} sent {len(body)} bytes where {size} belong",
            advice="All three servers must run the same version.",
            session=link.session.hex()[:8],
            step=link.label,
            peer=str(link.peer),
        )
    return body
