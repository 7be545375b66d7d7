"""The two ends of the link between the proxies, over any transport."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ppaurora.mpc.link import Limits, Link
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role

from .loopback import Links

Opener = Callable[..., Links]


def words(*values: int) -> np.ndarray:
    return np.array(values, np.uint64)


def pair(open_all: Opener, limits: Limits | None = None) -> tuple[Link, Link]:
    """P0's end and P1's end."""
    links = open_all(limits) if limits else open_all()
    return links[Role.P0][Role.P1], links[Role.P1][Role.P0]


def has_arrived(link: Link) -> bool:
    """True once a small frame lies at this end to be read; in memory it does."""
    return not isinstance(link, ZeroMQLink) or bool(link._socket.poll(10_000))
