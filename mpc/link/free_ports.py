"""Ports for processes that are about to listen on this machine."""

from __future__ import annotations

import contextlib
import random
import socket

__all__ = ["free_ports"]

# Below the ports that systems give to whoever asks for any, so that none is taken by chance between
# being chosen here and being listened on.
CHOSEN_FROM = (20_000, 32_000)


def free_ports(count: int) -> list[int]:
    """`count` different ports of the loopback interface that nothing listens on now."""
    ports: set[int] = set()
    while len(ports) < count:
        port = random.randrange(*CHOSEN_FROM)
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            ports.add(port)
    return list(ports)
