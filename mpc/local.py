"""The three parties as threads of one process, over links in memory: for tests and notebooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppaurora.mpc.errors import PeerAborted, PeerLost
from ppaurora.mpc.link import Limits, Link, memory_links
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.wide_sharing import held_at
from ppaurora.mpc.words import Words, to_words

SessionKeys = dict[Role, dict[Role, bytes]]


def share(values: ArrayLike) -> tuple[Words, Words]:
    """Two additive shares of integers."""
    words = to_words(values).reshape(-1)
    mask = Stream(os.urandom(16)).words(words.size)
    return mask, words - mask


def reconstruct(first: Words, second: Words) -> Words:
    """The words that two shares make."""
    total: Words = first + second
    return total


def shared_at(role: Role, values: ArrayLike | tuple[Words, Words]) -> Shared:
    """What `role` holds of the two shares."""
    shares = values if isinstance(values, tuple) else share(values)
    if role is Role.HELPER:
        return Shared.absent(shares[0].size)
    return Shared.from_words(role, shares[role])


def fresh_session_keys() -> SessionKeys:
    """Random keys for the three pairs, as a handshake would agree on them."""
    keys: SessionKeys = {role: {} for role in Role}
    for role in Role:
        for peer in role.others:
            if peer > role:
                keys[role][peer] = keys[peer][role] = os.urandom(32)
    return keys


def run_local(
    program: Callable[..., Any],
    *inputs: tuple[Words, Words],
    links: Mapping[Role, Mapping[Role, Link]] | None = None,
    limits: Limits | None = None,
    keep_trace: bool = False,
) -> list[Any]:
    """`program(party, *shared)` at all three roles, each input given as its two shares.

    Returns what P0, P1 and the helper returned. The first party that failed is the one whose
    error is raised, not those that noticed.
    """
    links = links or memory_links(limits=limits)
    keys = fresh_session_keys()

    def run(role: Role) -> Any:
        party = Party(role, links[role], keys[role], keep_trace=keep_trace)
        try:
            result = program(party, *(held_at(role, shares) for shares in inputs))
            party.finish()
        except BaseException as error:
            party.give_up(error)
            raise
        return result

    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(run, role) for role in Role]
    errors = [error for future in futures if (error := future.exception()) is not None]
    errors.sort(key=lambda error: isinstance(error, PeerAborted | PeerLost))
    if errors:
        raise errors[0]
    return [future.result() for future in futures]


def open_locally(results: list[Any]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The signed integers behind the shares that `run_local` returned at P0 and P1."""
    return reconstruct(results[0].words, results[1].words).view(np.int64)
