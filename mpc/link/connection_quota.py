"""Quotas of connections: so many of an address, so many of a key, so many in all.

Where a quota is full, the oldest connection that has not proved a key yet gives way to the new one:
the oldest from the same address if that has its share, the oldest of all if the server is full. So
connections that say nothing keep nobody out, for the holder of a key proves it in a moment. If none
can give way, the new one is turned away, and so is one more of a key that has its share: a
connection in use is never ended for a new one.

Knows nothing of sockets: connections are numbers.
"""

from __future__ import annotations

import ipaddress
import os
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import dataclass


class QuotaFull(Exception):
    """Nobody can give way to one more connection from this address."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The numbers of connections that there may be at once.

    Of one key more than two servers need for the sixteen sessions that they may have together: in
    each, one to lead it and one for signs of life.
    """

    in_all: int = 1024
    of_an_address: int = 512
    of_a_key: int = 40


@dataclass(slots=True)
class Connection:
    """The address of a connection, and the key that it has proved to hold."""

    address: str
    key: bytes = b""


class ConnectionQuota:
    """The open connections, in the order in which they would have to give way."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._connections: dict[int, Connection] = {}
        self._from: Counter[str] = Counter()
        self._unproved: dict[int, str] = {}
        self._of_key: defaultdict[bytes, dict[int, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._connections)

    def enter(self, number: int, address: str) -> int | None:
        """Count a new connection; returns the one that has to be ended for it, if one has to.

        Raises `QuotaFull` if the quota is full and none can give way.
        """
        gone = None
        if self._from[address] >= self._caps.of_an_address:
            gone = next((n for n, at in self._unproved.items() if at == address), None)
            full = gone is None
        elif full := len(self._connections) >= self._caps.in_all:
            gone = next(iter(self._unproved), None)
            full = gone is None
        if full:
            raise QuotaFull
        if gone is not None:
            self.leave(gone)
        self._connections[number] = Connection(address)
        self._from[address] += 1
        self._unproved[number] = address
        return gone

    def hold(self, number: int) -> None:
        """Note that this one's key is being decided on: until then it gives way to nobody."""
        self._unproved.pop(number)

    def full_of(self, key: bytes) -> bool:
        """True if this key has its share of connections; may be called by any thread."""
        return len(self._of_key.get(key, ())) >= self._caps.of_a_key

    def of(self, key: bytes) -> list[int]:
        """The connections of this key, first the one that was silent for longest."""
        return list(self._of_key.get(key, ()))

    def admit(self, number: int, key: bytes) -> None:
        """Note the key that this one has proved, which has not its share yet."""
        assert not self.full_of(key)
        self._connections[number].key = key
        self._unproved.pop(number, None)
        self._of_key[key][number] = None

    def heard(self, number: int) -> None:
        """Note that this admitted connection was served just now."""
        holding = self._of_key[self._connections[number].key]
        holding[number] = holding.pop(number)

    def leave(self, number: int) -> None:
        """Forget a connection; harmless if it has gone."""
        connection = self._connections.pop(number, None)
        if connection is None:
            return
        self._unproved.pop(number, None)
        self._from[connection.address] -= 1
        if not self._from[connection.address]:
            del self._from[connection.address]
        if connection.key:
            self._of_key[connection.key].pop(number)
            if not self._of_key[connection.key]:
                del self._of_key[connection.key]


def address_group(host: str) -> str:
    """The group that counts as one address: an IPv4 address, or the /64 of an IPv6 address.

    The holder of one IPv6 address usually has all 2^64 of its network.
    """
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


CONTEXT_DESCRIPTORS = 32
"""A context with an encrypted socket, its monitor and its allow-list takes about 20."""
LISTENING_DESCRIPTORS = 48
"""The same with a listening proxy, the peer's connection, and the pipes that carry it."""
SOCKET_DESCRIPTORS = 8
"""A socket and its monitor in a context that is there already."""


def descriptors_free(count: int = CONTEXT_DESCRIPTORS) -> bool:
    """True if so many descriptors are free; they are opened for a moment to find out.

    libzmq ends the whole process if it finds none for a context (libzmq 4.3.5, epoll.cpp).
    """
    with ExitStack() as opened:
        try:
            for _ in range(count):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return False
    return True
