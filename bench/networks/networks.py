"""The networks between the three servers: how long a round trip takes, how fast a host may send.

`laid(network)` makes it real with the best means that this machine permits, and says which:

- `netem`: three hosts in network namespaces, veth pairs to a bridge, delay by `tc netem`;
- `cable`: the same hosts, TUN devices, delay by a process in user space (kernels without netem);
- `shaper`: one host, delay and pace inside the links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from ppaurora.bench.errors import MeansRefused
from ppaurora.bench.networks import namespaces
from ppaurora.mpc.role import Role
from ppaurora.protocols.sorting.sort import USUAL, Conditions

LOOPBACK_ADDRESS = "127.0.0.1"
# Below, the wake-ups of the cable's own process would be a good part of what it makes.
SHORTEST_BY_CABLE = 1e-3


@dataclass(frozen=True, slots=True)
class ServerNetwork:
    """A round trip in seconds, and the bits a second that one host may send (None: no bound)."""

    name: str
    round_trip: float = 0.0
    bandwidth: float | None = None

    @property
    def delay(self) -> float:
        """One way."""
        return self.round_trip / 2

    @property
    def conditions(self) -> Conditions:
        """Conditions for its servers: they measure the round trip, an operator states the pace."""
        megabits = USUAL.megabits if self.bandwidth is None else round(self.bandwidth / 1e6)
        return Conditions(round(1e6 * self.round_trip), max(1, megabits))

    @property
    def is_plain(self) -> bool:
        """Neither delayed nor paced."""
        return self.round_trip == 0 and self.bandwidth is None


LOOPBACK = ServerNetwork("loopback")
LAN = ServerNetwork("lan", 0.18e-3)
WAN = ServerNetwork("wan", 10e-3)
NAMED = {network.name: network for network in (LOOPBACK, LAN, WAN)}


def named(
    name: str, round_trip_ms: float | None = None, megabits: float | None = None
) -> ServerNetwork:
    """The network of that name, with another round trip or bandwidth where one is given."""
    if name not in NAMED:
        raise MeansRefused(
            f"no network is called {name}", advice=f"Choose one of {', '.join(NAMED)}."
        )
    base = NAMED[name]
    if round_trip_ms is None and megabits is None:
        return base
    round_trip = base.round_trip if round_trip_ms is None else round_trip_ms / 1e3
    bandwidth = base.bandwidth if megabits is None else megabits * 1e6
    pace = "" if bandwidth is None else f", {bandwidth / 1e6:g} Mbit/s"
    return ServerNetwork(f"{round_trip * 1e3:g} ms{pace}", round_trip, bandwidth)


class Means(StrEnum):
    """The means that make the delay."""

    AUTO = "auto"
    LOOPBACK = "loopback"
    NETEM = "netem"
    CABLE = "cable"
    SHAPER = "shaper"


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of the three servers, and the network between them."""

    network: ServerNetwork
    means: Means
    addresses: dict[Role, str]
    entrances: dict[Role, tuple[str, ...]]
    refused: tuple[str, ...] = ()

    def command(self, role: Role, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` on the role's host."""
        return [*self.entrances[role], *command]

    @property
    def shaped(self) -> bool:
        """Return whether the links have to make the delay themselves."""
        return self.means is Means.SHAPER


def one_host(network: ServerNetwork, means: Means, refused: Sequence[str] = ()) -> Hosts:
    """All three servers on this host's loopback."""
    return Hosts(
        network,
        means,
        dict.fromkeys(Role, LOOPBACK_ADDRESS),
        dict.fromkeys(Role, ()),
        tuple(refused),
    )


def ways(network: ServerNetwork) -> tuple[Means, ...]:
    """The means that could make this network, the best first."""
    return (Means.LOOPBACK,) if network.is_plain else (Means.NETEM, Means.CABLE, Means.SHAPER)


@contextmanager
def laid(network: ServerNetwork, means: Means = Means.AUTO) -> Iterator[Hosts]:
    """The hosts of `network`, made by `means`, or by the first means that works; gone at the end.

    What did not work, and why, stands in `refused`.
    """
    if means is Means.LOOPBACK and not network.is_plain:
        raise MeansRefused("loopback neither delays nor paces", advice="Choose another means.")
    if network.is_plain and means in (Means.AUTO, Means.LOOPBACK):
        yield one_host(network, Means.LOOPBACK)
        return
    refused: list[str] = []
    for way in (Means.NETEM, Means.CABLE):
        if means not in (Means.AUTO, way):
            continue
        if means is Means.AUTO and way is Means.CABLE and network.round_trip < SHORTEST_BY_CABLE:
            refused.append("cable: the round trip is too short for it")
            continue
        try:
            layout = namespaces.lay(network.delay, network.bandwidth, by_netem=way is Means.NETEM)
        except MeansRefused as error:
            if means is way:
                raise
            refused.append(f"{way}: {error.what}")
            continue
        with layout:
            yield Hosts(network, way, layout.addresses, layout.entrances, tuple(refused))
        return
    yield one_host(network, Means.SHAPER, refused)


@contextmanager
def unshaped(network: ServerNetwork, means: Means = Means.AUTO) -> Iterator[Hosts]:
    """The hosts of a network that lies between them, for servers as they run in earnest."""
    with laid(network, means) as hosts:
        if hosts.shaped:
            raise MeansRefused(
                "servers do not delay their own links",
                advice="Use --network loopback, or a machine with network namespaces.",
            )
        yield hosts
