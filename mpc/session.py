"""A session of one party, from opening its links to closing them, whatever happens in between.

A session ends in one of two ways. In good order, the party says goodbye to its peers, waits for
their goodbyes, and closes. After an error (in opening the links, in the handshake, in the
computation or in the farewell) it tells its peers that it gives up, closes every link, and lets the
error through to its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ppaurora.mpc.allocator import keep_freed_memory
from ppaurora.mpc.link import Link, finish, give_up
from ppaurora.mpc.party import OnPhase, Party
from ppaurora.mpc.pool import pool_of
from ppaurora.mpc.role import Role

Links = Mapping[Role, Link]
SessionKeys = Mapping[Role, bytes]


@contextmanager
def open_session(
    role: Role,
    connect: Callable[[], Links],
    agree: Callable[[Links], SessionKeys],
    *,
    lasting_key: bytes,
    on_phase: OnPhase | None = None,
    keep_trace: bool = False,
    threads: int = 1,
) -> Iterator[Party]:
    """The party of `role`, for the time of one computation.

    `connect` returns the party's links, and `agree` the session key of each pair, which the
    handshake makes; from then on the links keep transcripts, and open their bulk lanes. Between
    servers they call `open_links` and `shake_hands`; where links or keys exist already, they only
    return them. `lasting_key` is this party's own secret, from which `Party.lasting` draws: the
    same in every session that repeats an earlier one. The blocks of a hop are worked on by so many
    `threads`.
    """
    keep_freed_memory()
    links: Links = {}
    try:
        links = connect()
        keys = agree(links)
        for peer, link in links.items():
            link.keep_transcripts(keys[peer])
            link.open_bulk(keys[peer])
        with pool_of(threads) as pool:
            yield Party(
                role,
                links,
                keys,
                lasting_key,
                on_phase=on_phase,
                keep_trace=keep_trace,
                pool=pool,
            )
        finish(links)
    except BaseException as error:
        give_up(links, error)
        raise
