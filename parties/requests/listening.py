"""The address at which a server listens: its study's, if this machine has that address.

Behind address translation, and in a container, the study's address is another machine's. There, and
where studies have the server at several addresses, it listens at all addresses of the machine. It
does so, too, where the study's name means a loopback address here, as in the hosts file that some
systems come with: nobody else would reach that. A loopback address itself never becomes another.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ppaurora.mpc.address import address_text
from ppaurora.parties.errors import ConfigurationError

ANYWHERE, ANYWHERE_6 = "0.0.0.0", "::"
LOCALHOST = "localhost"


@dataclass(frozen=True, slots=True)
class ListeningPlace:
    """The address and port of requests, and why it is this one; link ports have the address too."""

    host: str
    port: int
    why: str = field(compare=False)

    def __str__(self) -> str:
        return address_text(self.host, self.port)

    def serves(self, other: ListeningPlace) -> bool:
        """Return whether a listener here also receives connections for `other`."""
        same_family = self.host == ANYWHERE and ":" not in other.host
        everywhere = same_family or self.host == ANYWHERE_6
        return self.port == other.port and (everywhere or self.host == other.host)


def looked_up(host: str) -> Sequence[str]:
    """The addresses that a host has by the word of this machine; a name only has those of IPv4.

    No client of a server asks for other ones, either.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        infos = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(address[0]) for *_, address in infos]


def is_own(address: str) -> bool:
    """Return whether a socket of this machine can have this address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.bind((address, 0))
    except OSError:
        return False
    return True


class OwnAddresses:
    """The choice of the address to listen at, for an address in a study.

    A name is looked up once, when it is first asked for; `own` tells this machine's addresses.
    """

    def __init__(
        self,
        look_up: Callable[[str], Sequence[str]] = looked_up,
        own: Callable[[str], bool] = is_own,
    ) -> None:
        self._look_up = look_up
        self._own = own
        self._known: dict[str, tuple[str, str]] = {}

    def place(self, host: str, port: int) -> ListeningPlace:
        """The place to listen at, for a server whose address in the study is this one."""
        if host not in self._known:
            self._known[host] = self._bound(host)
        bound, why = self._known[host]
        return ListeningPlace(bound, port, why)

    def _bound(self, host: str) -> tuple[str, str]:
        addresses = self._look_up(host)
        is_name = host not in addresses and ":" not in host
        if not is_name and _is_loopback(addresses[0]):
            return addresses[0], "the study's address"
        own = [address for address in addresses if self._own(address)]
        reached = [one for one in own if host == LOCALHOST or not _is_loopback(one)]
        if reached:
            return reached[0], "the study's address"
        if own:
            why = f"the study's address, {host}, is a loopback address on this machine only"
        elif addresses:
            why = f"the study's address, {host}, is not one of this machine's"
        else:
            why = f"the study's address, {host}, cannot be looked up on this machine"
        return (ANYWHERE if is_name or ":" not in host else ANYWHERE_6), why


def common_place(places: Sequence[ListeningPlace]) -> ListeningPlace:
    """One place for all of these: the only one, or all addresses where they have one port."""
    different = list(dict.fromkeys(places))
    if len({one.port for one in different}) != 1:
        raise ConfigurationError(
            "The studies give this server different ports"
            if different
            else "No study says yet where this server listens",
            advice='Say in site.toml where to listen: [server] listen = "host:port".',
        )
    if len(different) == 1:
        return different[0]
    host = ANYWHERE_6 if any(":" in one.host for one in different) else ANYWHERE
    why = "the studies have this server at several addresses: " + ", ".join(map(str, different))
    return ListeningPlace(host, different[0].port, why)


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback
