"""How many files and connections this process may have open at once, and who may have them."""

from __future__ import annotations

import resource

from ppaurora.parties.errors import ConfigurationError

__all__ = ["connections_within", "raise_the_limit", "the_limit"]

ENOUGH = 1 << 16
OF_A_CONNECTION = 3
"""The client's socket, and both ends of the one between the door and libzmq."""
KEPT_BACK = 256
"""For everything else, all at once, with as much again to spare.

The listener, the records and the log have about 30; a session has two links and two connections for
signs of life, and its leader two for requests, each of about 16.
"""
FEWEST_CONNECTIONS = 16


def raise_the_limit() -> int:
    """The number of descriptors that this process may have from now on.

    The limit that the system enforces by default, often 1,024, suits programs that wait with
    `select`; each of them may raise it up to the hard limit. A server needs three for each
    connection.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return ENOUGH
    most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if most > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


def the_limit() -> int:
    """The number of descriptors that this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH if soft == resource.RLIM_INFINITY else soft


def connections_within(limit: int) -> int:
    """How many connections a server with so many descriptors may accept.

    Sessions, files and logs must never go without, because libzmq ends the process if there is no
    descriptor for a new context. So their part is never given to connections.
    """
    connections = (limit - KEPT_BACK) // OF_A_CONNECTION
    if connections < FEWEST_CONNECTIONS:
        raise ConfigurationError(
            f"This server may have {limit} files and connections open at once, which is too few",
            advice=f"Allow at least {KEPT_BACK + OF_A_CONNECTION * FEWEST_CONNECTIONS}, "
            "with `ulimit -n` or LimitNOFILE.",
        )
    return connections
