"""Which connections a server keeps: so many of an address, so many of a key, so many in all.

A *stranger* is a connection whose key is not proved yet. Where there is no room, the oldest
stranger gives way to the one who comes: of the same address if that has its share, of all if the
server is full. So connections that say nothing keep nobody out: whoever has a key proves it in a
moment, and is no stranger any more. If nobody can give way, the one who comes is turned away. So is
one more of a key that has its share: what works is never ended for what comes.

Knows nothing of sockets: connections are numbers.
"""

from __future__ import annotations

import ipaddress
import os
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import dataclass

__all__ = ["Caps", "NoRoom", "Places", "household"]


class NoRoom(Exception):
    """Nobody can give way to one more connection from this address."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How many connections there may be at once.

    Of one key more than two servers need for the sixteen sessions that they may have together: in
    each, one to lead it and one for signs of life.
    """

    in_all: int = 1024
    of_an_address: int = 512
    of_a_key: int = 40


@dataclass(slots=True)
class Place:
    """Where a connection comes from, and the key that it has proved to hold."""

    address: str
    key: bytes = b""


class Places:
    """The connections that there are, in the order in which they would have to give way."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._places: dict[int, Place] = {}
        self._from: Counter[str] = Counter()
        self._strangers: dict[int, str] = {}
        self._of_key: defaultdict[bytes, dict[int, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, number: int, address: str) -> int | None:
        """Take in a stranger; returns the connection that has to go for it, if one has to.

        Raises `NoRoom` if there is no room and no stranger to give way.
        """
        gone = None
        if self._from[address] >= self._caps.of_an_address:
            gone = next((one for one, at in self._strangers.items() if at == address), None)
            full = gone is None
        elif full := len(self._places) >= self._caps.in_all:
            gone = next(iter(self._strangers), None)
            full = gone is None
        if full:
            raise NoRoom
        if gone is not None:
            self.leave(gone)
        self._places[number] = Place(address)
        self._from[address] += 1
        self._strangers[number] = address
        return gone

    def hold(self, number: int) -> None:
        """Note that this one's key is being decided on: until then it gives way to nobody."""
        self._strangers.pop(number)

    def full_of(self, key: bytes) -> bool:
        """Whether this key has its share of connections; may be asked by any thread."""
        return len(self._of_key.get(key, ())) >= self._caps.of_a_key

    def of(self, key: bytes) -> list[int]:
        """The connections of this key, first the one that was silent for longest."""
        return list(self._of_key.get(key, ()))

    def admit(self, number: int, key: bytes) -> None:
        """Note the key that this one has proved, which has not its share yet."""
        assert not self.full_of(key)
        self._places[number].key = key
        self._strangers.pop(number, None)
        self._of_key[key][number] = None

    def heard(self, number: int) -> None:
        """Note that this admitted connection was served just now."""
        holding = self._of_key[self._places[number].key]
        holding[number] = holding.pop(number)

    def leave(self, number: int) -> None:
        """Forget a connection; harmless if it has gone."""
        place = self._places.pop(number, None)
        if place is None:
            return
        self._strangers.pop(number, None)
        self._from[place.address] -= 1
        if not self._from[place.address]:
            del self._from[place.address]
        if place.key:
            self._of_key[place.key].pop(number)
            if not self._of_key[place.key]:
                del self._of_key[place.key]


def household(host: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 network of an IPv6 address.

    Whoever has one IPv6 address usually has all 2^64 of its network.
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
