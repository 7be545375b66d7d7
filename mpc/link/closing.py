"""The two ways in which a party leaves its links: in good order, or giving up and saying why.

In good order it may first exchange statements about the session with its peers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ppaurora.mpc.errors import (
    AuroraError,
    LocalProtocolError,
    PeerAborted,
    PeerError,
    RemoteProtocolError,
)
from ppaurora.mpc.link.frame import Kind
from ppaurora.mpc.link.link import Link
from ppaurora.mpc.role import Role

MAX_STATEMENT_BYTES = 256 << 10
MAX_CLOSING_BYTES = 64

Transcripts = Mapping[Role, tuple[str, str]]
"""For each peer the digests of what was sent to it and of what was received from it."""
Heard = Mapping[Role, bytes]
"""What each peer said when it had sent its last word."""


def exchange_statements(
    links: Mapping[Role, Link],
    statement: Callable[[Transcripts, Heard], bytes],
    closing: bytes = b"",
) -> dict[Role, bytes]:
    """What each peer states about the session, after all have sent what they had to send.

    Each party says when it has sent its last word, and waits until both others have. With that it
    says `closing`, up to 64 bytes, to both alike or not: whoever states what it heard lets them
    compare. `statement` makes this party's own from its transcripts, which are whole by then, and
    from what the others have said. The helper, who may have dealt everything long before the
    proxies are done, waits as for a farewell.
    """
    for link in links.values():
        link.label = "statements"
        link.send_bytes(Kind.CLOSING, closing)
    heard = {}
    for peer, link in links.items():
        patience = link.limits.farewell if link.role is Role.HELPER else None
        heard[peer] = link.receive_bytes(
            Kind.CLOSING, max_bytes=MAX_CLOSING_BYTES, seconds=patience
        )
    own = statement({peer: link.transcripts() for peer, link in links.items()}, heard)
    for link in links.values():
        link.send_bytes(Kind.STATEMENT, own)
        link.say_goodbye()
    return {
        peer: link.receive_bytes(Kind.STATEMENT, max_bytes=MAX_STATEMENT_BYTES)
        for peer, link in links.items()
    }


def finish(links: Mapping[Role, Link]) -> None:
    """Part from all peers in good order: say every goodbye before waiting for any, then close.

    If each waited for one peer first, three parties could wait for each other in a circle. Peers
    that exchanged statements have nothing left to compute, and said goodbye with them: then every
    goodbye is due at once, and not only after the farewell of a party that was early.
    """
    stated = {peer for peer, link in links.items() if link.said_goodbye}
    for link in links.values():
        link.say_goodbye()
    for peer, link in links.items():
        link.finish(link.limits.deadline if peer in stated else None)


def give_up(links: Mapping[Role, Link], error: BaseException) -> None:
    """Tell every peer that this party gives up, why, and who gave up first; close; never raises."""
    for link in links.values():
        if isinstance(error, PeerAborted) and error.culprit is not None:
            link.abort(error.reason, error.culprit)
        else:
            link.abort(_reason(error))
    for link in links.values():
        link.close()


def _reason(error: BaseException) -> str:
    """What the peers are told: the words of the runtime's own errors, of others only their name.

    The words of an error about an owner's data may hold a row number, which the peers must not see.
    """
    if isinstance(error, LocalProtocolError | RemoteProtocolError | PeerError):
        return error.what
    if isinstance(error, AuroraError):
        return type(error).__name__
    return f"an unexpected {type(error).__name__}"
