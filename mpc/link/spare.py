"""Whether this process can open enough files and connections for what ZeroMQ needs next."""

from __future__ import annotations

import os
from contextlib import ExitStack

CONTEXT_DESCRIPTORS = 32
"""A context with an encrypted socket, its monitor and its allow-list takes about 20."""
LISTENING_DESCRIPTORS = 48
"""The same with a door, and the connection and the pipes through which the peer comes."""
SOCKET_DESCRIPTORS = 8
"""A socket and its monitor in a context that is there already."""


def spare_descriptors(count: int = CONTEXT_DESCRIPTORS) -> bool:
    """Whether so many descriptors are free; they are taken for a moment to find out.

    libzmq ends the whole process if it finds none for a context (libzmq 4.3.5, epoll.cpp).
    """
    with ExitStack() as taken:
        try:
            for _ in range(count):
                taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return False
    return True
