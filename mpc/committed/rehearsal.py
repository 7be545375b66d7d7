"""A dealing recomputed: the helper's program over links that lead nowhere but into a commitment.

What the helper sends is a function of its two seeds and of public sizes, where all that it is told
is that everything was found sound. So a holder of both seeds can run its program and see whether
what it committed to is what the protocol deals.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import numpy as np

from ppaurora.mpc.committed.commitments import Dealt, SeedOpening
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Kind, Limits, Link
from ppaurora.mpc.party import Party
from ppaurora.mpc.pool import pool_of
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.words import Words

HelperProgram = Callable[[Party], object]
"""The computation as the helper runs it; the same whenever it is called."""

UNUSED_KEY = bytes(32)
"""The own secret of a helper that only deals: nothing is drawn from it."""


class RehearsalLink(Link):
    """The helper's link to a proxy that is not there: it takes what is dealt, and finds all sound.

    Anything else that a program sends or awaits is refused: it could not be recomputed.
    """

    def __init__(self, proxy: Role, session: bytes, dealt: Dealt) -> None:
        super().__init__(Role.HELPER, proxy, session, limits=Limits(window=sys.maxsize))
        self._dealt = dealt

    def send(self, kind: Kind, words: Words, step: int) -> None:
        """Add what is dealt to the commitment; nothing is sent."""
        self._refuse_unless(kind, Kind.DEAL)
        self._dealt.add(step, np.ascontiguousarray(words).reshape(-1).view(np.uint8).data)

    def await_words(self, kind: Kind, length: int, step: int) -> Callable[[], Words]:
        """The words that P0 sends where everything is sound."""
        self._refuse_unless(kind, Kind.TELL)
        return lambda: np.ones(length, np.uint64)

    def _refuse_unless(self, kind: Kind, expected: Kind) -> None:
        if kind is not expected:
            raise LocalProtocolError(
                f"the helper's part cannot be recomputed: it has a frame of the kind {kind.name}",
                advice='Choose assurance = "semi-honest" for this computation.',
            )

    def transmit(self, header: bytes, body: bytes | memoryview) -> None:
        raise LocalProtocolError("a rehearsal sends words only")

    def poll(self, seconds: float) -> tuple[bytes, bytes | memoryview] | None:
        raise LocalProtocolError("a rehearsal awaits words only")

    def release(self) -> None:
        """Nothing is open."""


def rehearsed(
    program: HelperProgram,
    session: bytes,
    number: int,
    openings: Mapping[Role, SeedOpening],
    *,
    threads: int = 1,
    fewest_threads: int = 1,
) -> dict[Role, bytes]:
    """For each proxy the commitment to the dealing of this number, as the program deals it."""
    dealt = {proxy: Dealt(session, number, proxy, openings[proxy]) for proxy in PROXIES}
    links = {proxy: RehearsalLink(proxy, session, dealt[proxy]) for proxy in PROXIES}
    seeds = {proxy: openings[proxy].seed for proxy in PROXIES}
    with pool_of(threads) as pool:
        agreed = Handshake(seeds, fewest_threads)
        program(Party(Role.HELPER, links, agreed, UNUSED_KEY, pool=pool))
    return {proxy: dealt[proxy].commitment() for proxy in PROXIES}
