"""Three runs of one computation with the roles rotated, and what they must agree on.

    run        0    1    2
    server 0   P0   H    P1
    server 1   P1   P0   H
    server 2   H    P1   P0

A proxy that cheats can add any number it likes to a result, by changing a word that it opens or its
share. But each server is the helper of one run, and what that one computes it can change by a wrong
dealing only, which passes with probability 1/K at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.role import Role

RUNS = 3


def role_in(server: int, run: int) -> Role:
    """The role of this server in this run, both counted from 0."""
    return Role((server - run) % RUNS)


def server_of(role: Role, run: int) -> int:
    """The server that has this role in this run."""
    return (role + run) % RUNS


def same_in_all(results: Sequence[Sequence[int]]) -> list[int]:
    """The words that all three runs give; raises `CheatingDetected` where they differ.

    >>> same_in_all([[7, 8], [7, 8], [7, 8]])
    [7, 8]
    """
    if len(results) != RUNS:
        raise ValueError(f"{len(results)} results, of {RUNS} runs")
    first, *others = map(list, results)
    if any(other != first for other in others):
        raise CheatingDetected(
            "the three runs do not give the same result",
            advice="A server or an owner has cheated, or failed. No result is released.",
        )
    return first
