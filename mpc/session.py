"""A session of one party, from opening its links to closing them, whatever happens in between.

A session ends in one of two ways. In good order, the party says goodbye to its peers, waits for
their goodbyes, and closes. After an error (in opening the links, in the handshake, in the
computation or at the end) it tells its peers that it gives up, closes every link, and lets the
error through to its caller.

Advice to the C library's allocator: keep the memory that the process frees, and reuse it.

In every hop vectors of megabytes are allocated and freed. glibc gives such large blocks back to the
system, which zeroes each new one page by page; that costs more than the arithmetic on them. A heap
of its own for each thread would keep the memory that only another thread asks for. With another C
library than glibc nothing happens.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from ppaurora.mpc.errors import (
    AuroraError,
    LocalProtocolError,
    PeerAborted,
    PeerError,
    RemoteProtocolError,
)
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Kind, Link
from ppaurora.mpc.party import OnPhase, Party
from ppaurora.mpc.pool import pool_of
from ppaurora.mpc.role import Role

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGEST_MMAP_THRESHOLD = 32 << 20
_KEEP = (1 << 31) - 1
FEW_THREADS = 8
"""Threads of which the one that reads a frame opens it, while it is in the processor's cache. More
would wait for that: with them whoever uses a frame opens it."""


@cache
def keep_freed_memory() -> bool:
    """Have the C library keep freed memory, and one heap for all threads; True if it will.

    A thread that has a heap of its own by then keeps it, and may leave it to later ones: call this
    before the first thread. Repeated calls change nothing.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all(
        [
            mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD),
            mallopt(_TRIM_THRESHOLD, _KEEP),
            mallopt(_ARENA_MAX, 1),
        ]
    )


MAX_STATEMENT_BYTES = 256 << 10
MAX_CLOSING_BYTES = 64

Transcripts = Mapping[Role, tuple[str, str]]
"""For each peer the digests of what was sent to it and of what was received from it."""
Heard = Mapping[Role, bytes]
"""The words of each peer when it had nothing left to send."""


def exchange_statements(
    links: Mapping[Role, Link],
    statement: Callable[[Transcripts, Heard], bytes],
    closing: bytes = b"",
) -> dict[Role, bytes]:
    """Exchange statements about the session, after all have sent what they had to send.

    Each party says when it has sent its last word, and waits until both others have. With that it
    says `closing`, up to 64 bytes, the same to both or not: parties that state what they received
    let them compare. `statement` makes this party's own from its transcripts, which are whole by
    then, and from what the others have said. The helper, who may have dealt everything long before
    the proxies are done, waits until `limits.goodbye`.
    """
    for link in links.values():
        link.label = "statements"
        link.send_bytes(Kind.CLOSING, closing)
    heard = {}
    for peer, link in links.items():
        patience = link.limits.goodbye if link.role is Role.HELPER else None
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
    goodbye is due at once, and not only when a party that finished early has waited for the others.
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
    """The reason for the peers: the words of the runtime's own errors, of others only their name.

    The words of an error about an owner's data may hold a row number, which the peers must not see.
    """
    if isinstance(error, LocalProtocolError | RemoteProtocolError | PeerError):
        return error.what
    if isinstance(error, AuroraError):
        return type(error).__name__
    return f"an unexpected {type(error).__name__}"


Links = Mapping[Role, Link]


@contextmanager
def open_session(
    role: Role,
    connect: Callable[[], Links],
    agree: Callable[[Links], Handshake],
    *,
    lasting_key: bytes,
    on_phase: OnPhase | None = None,
    keep_trace: bool = False,
    threads: int = 1,
) -> Iterator[Party]:
    """The party of `role`, for the time of one computation.

    `connect` returns the party's links, and `agree` what the handshake agrees on, with the session
    key of each pair; from then on the links keep transcripts, and open their bulk lanes. Between
    servers they call `open_links` and `shake_hands`; where links or keys exist already, they only
    return them. `lasting_key` is this party's own secret, from which `Party.lasting` draws: the
    same in every session that repeats an earlier one. The blocks of a hop are worked on by so many
    `threads`.
    """
    keep_freed_memory()
    links: Links = {}
    try:
        links = connect()
        agreed = agree(links)
        for peer, link in links.items():
            link.keep_transcripts(agreed.keys[peer])
            link.open_bulk(agreed.keys[peer], opened_later=threads > FEW_THREADS)
        with pool_of(threads) as pool:
            yield Party(
                role,
                links,
                agreed,
                lasting_key,
                on_phase=on_phase,
                keep_trace=keep_trace,
                pool=pool,
            )
        finish(links)
    except BaseException as error:
        give_up(links, error)
        raise
