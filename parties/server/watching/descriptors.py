"""Limit on the files and connections that this process has open, and its division among ports."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass

from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.link_proxy import LINK_CAPS
from ppaurora.parties.errors import ConfigurationError

ENOUGH = 1 << 16
OF_A_CONNECTION = 3
"""The client's socket, and both ends of the one between the listening proxy and libzmq."""
KEPT_BACK = 256
"""For everything else, all at once, with as much again to spare.

The listener, the records and the log have about 30, the pages for this machine 20; a session has
two links and two connections for signs of life, and its leader two for requests, each of 16 to 32.
"""
KEPT_BACK_FOR_A_SESSION = 192
"""For each session more that may run at once."""
LINK_PORTS = 2
"""Link ports of a session at P0; P1 has one, the helper none."""
OF_A_LINK_PORT = 8
"""Every so manieth connection may be one at a link port."""
FEWEST_CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class PortCaps:
    """Most connections at the request port, and at each link port."""

    requests: Caps
    link: Caps


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


def free_descriptors() -> int:
    """Number of descriptors that this process may still open."""
    return max(0, the_limit() - len(os.listdir("/dev/fd")))


def port_caps(limit: int, sessions: int = 1) -> PortCaps:
    """Most connections that a server with so many descriptors may accept at each of its ports.

    It runs so many `sessions` at once.

    Sessions, files and logs must never go without, because libzmq ends the process if there is no
    descriptor for a new context. So their part is never given to connections.
    """
    kept_back = KEPT_BACK + KEPT_BACK_FOR_A_SESSION * (sessions - 1)
    connections = (limit - kept_back) // OF_A_CONNECTION
    if connections < FEWEST_CONNECTIONS:
        raise ConfigurationError(
            f"This server may have {limit} files and connections open at once, which is too few",
            advice=f"Allow at least {kept_back + OF_A_CONNECTION * FEWEST_CONNECTIONS}, "
            "with `ulimit -n` or LimitNOFILE; or let fewer sessions run at once.",
        )
    at_a_link = min(LINK_CAPS.in_all, connections // (OF_A_LINK_PORT * sessions))
    requests = connections - LINK_PORTS * sessions * at_a_link
    return PortCaps(
        requests=Caps(in_all=min(Caps().in_all, requests)),
        link=Caps(in_all=at_a_link, of_an_address=min(LINK_CAPS.of_an_address, at_a_link // 2)),
    )
