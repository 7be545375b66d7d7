"""The three parties as threads of one process, over links in memory: for trying out and testing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from ctypes import CDLL
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.errors import PeerAborted, PeerLost
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Limits, Link, memory_links
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.session import Links, open_session
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import BLOCK, Words, as_signed


@contextmanager
def on_one_processor() -> Iterator[None]:
    """A context in which the calling thread, and those that it starts, stay on its processor.

    Threads that compute little and wait for each other all the time hand over Python's lock; from
    one processor to another that takes longer than what they compute. Linux alone can be told, and
    not in every container.
    """
    if sys.platform != "linux":
        yield
        return
    getcpu = getattr(CDLL(None), "sched_getcpu", None)
    allowed = os.sched_getaffinity(0)
    if getcpu is not None:
        with suppress(OSError):
            os.sched_setaffinity(0, {getcpu()})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, allowed)


def fresh_session_keys() -> dict[Role, dict[Role, bytes]]:
    """A random key for each pair, at both its roles, as a handshake would agree on it."""
    keys: dict[Role, dict[Role, bytes]] = {role: {} for role in Role}
    for role, peer in PAIRS:
        keys[role][peer] = keys[peer][role] = os.urandom(32)
    return keys


def run_local(
    program: Callable[..., Any],
    *inputs: tuple[Words, Words],
    links: Mapping[Role, Mapping[Role, Link]] | None = None,
    limits: Limits | None = None,
    session_keys: Mapping[Role, Mapping[Role, bytes]] | None = None,
    lasting_keys: Mapping[Role, bytes] | None = None,
    keep_trace: bool = False,
    threads: Mapping[Role, int] | None = None,
    committed: Mapping[Role, CommittedDealing] | None = None,
) -> list[Any]:
    """Run `program(party, *vectors)` at P0, P1 and the helper; returns what it returned there.

    Each input is given as its two shares, of which every party sees its own. If parties fail, the
    error of the first is raised, not those of the parties that noticed. Without `session_keys` they
    are drawn afresh; without `lasting_keys` no session repeats another one. Each party has as many
    `threads` as are said, or one. With `committed` the helper commits to what it deals, and the
    proxies check it.

    >>> from ppaurora.mpc.primitives import multiply
    >>> from ppaurora.mpc.shares import share
    >>> results = run_local(multiply, share([3, -4]), share([5, 6]))
    >>> results
    [<Shared of 2 at P0>, <Shared of 2 at P1>, <Shared of 2 at helper>]
    >>> open_locally(results).tolist()
    [15, -24]
    """
    links = links or memory_links(limits=limits)
    keys = session_keys or fresh_session_keys()
    lasting_keys = lasting_keys or {role: os.urandom(32) for role in Role}

    fewest = 1 if threads is None else min(threads.values())

    def agree(role: Role, links: Links) -> Handshake:
        agreed = Handshake(keys[role], fewest)
        return agreed if committed is None else committed[role].keys(links, agreed)

    def run(role: Role) -> Any:
        with open_session(
            role,
            connect=lambda: links[role],
            agree=lambda links: agree(role, links),
            lasting_key=lasting_keys[role],
            keep_trace=keep_trace,
            threads=1 if threads is None else threads[role],
        ) as party:
            result = program(party, *(held_at(role, shares) for shares in inputs))
            if committed is not None:
                committed[role].confirm()
            return result

    short = threads is None and sum(mine.size for mine, _ in inputs) < BLOCK
    with on_one_processor() if short else nullcontext(), ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(run, role) for role in Role]
    errors = [error for future in futures if (error := future.exception()) is not None]
    errors.sort(key=lambda error: isinstance(error, PeerAborted | PeerLost))
    if errors:
        raise errors[0]
    return [future.result() for future in futures]


def held_at(role: Role, shares: tuple[Words, Words]) -> Shared | WideShared:
    """The vector with these shares as `role` holds it, be they words or wide numbers."""
    mine = shares[role if role is not Role.HELPER else 0]
    kind = Shared if mine.ndim == 1 else WideShared
    length = mine.shape[-1]
    return kind.absent(length) if role is Role.HELPER else kind.from_words(role, mine)


def open_locally(results: list[Any]) -> NDArray[np.int64]:
    """The signed integers whose shares `run_local` returned at P0 and P1."""
    return as_signed(reconstruct(results[0].words, results[1].words))
