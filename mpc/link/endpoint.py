"""The endpoints of links: addresses and keys of peers, and free ports of this machine."""

from __future__ import annotations

import random
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from ppaurora.mpc.address import address_text
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Pair, Role


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of the link to a peer, the key that the peer must hold, and who listens."""

    host: str
    port: int
    public_key: PublicKey
    listen: bool

    def __post_init__(self) -> None:
        if not 0 <= self.port < 1 << 16:
            raise ValueError(f"a port lies between 0 and 65535, not at {self.port}")

    def __str__(self) -> str:
        return address_text(self.host, self.port)

    @property
    def address(self) -> str:
        """The endpoint in ZeroMQ's notation; port 0 leaves the choice to the system."""
        return f"tcp://{address_text(self.host, self.port or '*')}"


def endpoints_of(
    role: Role,
    *,
    hosts: Mapping[Role, str],
    ports: Mapping[Pair, int],
    publics: Mapping[Role, PublicKey],
) -> dict[Role, Endpoint]:
    """For each peer of `role`, the endpoint of their link: the lower role listens.

    `hosts[role]` is the address on which `role` itself listens, `ports` are those of the listeners,
    `publics` the peers' public keys.
    """
    return {
        peer: Endpoint(
            host=hosts[min(role, peer)],
            port=ports[min(role, peer), max(role, peer)],
            public_key=publics[peer],
            listen=role < peer,
        )
        for peer in role.others
    }


# Below the ports that systems give to a program that asks for any, so that none is taken by chance
# between being chosen here and being listened on.
CHOSEN_FROM = (20_000, 32_000)
MOST_RESERVED = 60
_reserved: deque[socket.socket] = deque()
"""Datagram sockets of the ports that were given last."""


def free_ports(count: int) -> list[int]:
    """`count` different ports of the loopback interface that nothing listens on now.

    Another process that asks for ports is not given them before they are listened on: for each, a
    datagram socket of the same number stays open here, for the last 60 at least.
    """
    ports: list[int] = []
    while len(ports) < count:
        port = random.randrange(*CHOSEN_FROM)
        reserved = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            with socket.socket() as tried:
                reserved.bind(("127.0.0.1", port))
                tried.bind(("127.0.0.1", port))
        except OSError:
            reserved.close()
            continue
        _reserved.append(reserved)
        ports.append(port)
    while len(_reserved) > max(MOST_RESERVED, count):
        _reserved.popleft().close()
    return ports
