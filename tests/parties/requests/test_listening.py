"""Servers listen at the addresses of their studies, and at no other one without need."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.requests.listening import ListeningPlace, OwnAddresses, common_place
from ppaurora.parties.study.study import ServerEntry, Study
from tests.parties.world import World, with_options

NAMES = {
    "p0.example.org": ["192.0.2.1"],
    "here.example.org": ["192.0.2.9", "198.51.100.7"],
    "debian.example.org": ["127.0.1.1"],
    "localhost": ["127.0.0.1"],
}
OWN = ("127.", "198.51.100.7", "::1", "2001:db8::7")


def looked_up(host: str) -> Sequence[str]:
    return NAMES.get(host, [host] if host[0].isdigit() or ":" in host else [])


def addresses() -> OwnAddresses:
    return OwnAddresses(looked_up, lambda address: address.startswith(OWN))


@pytest.mark.parametrize(
    ("host", "bound", "why"),
    [
        ("198.51.100.7", "198.51.100.7", "the study's address"),
        ("2001:db8::7", "2001:db8::7", "the study's address"),
        ("127.0.0.2", "127.0.0.2", "the study's address"),
        ("::1", "::1", "the study's address"),
        ("localhost", "127.0.0.1", "the study's address"),
        ("here.example.org", "198.51.100.7", "the study's address"),
        ("192.0.2.1", "0.0.0.0", "is not one of this machine's"),
        ("2001:db8::1", "::", "is not one of this machine's"),
        ("p0.example.org", "0.0.0.0", "is not one of this machine's"),
        ("debian.example.org", "0.0.0.0", "is a loopback address on this machine only"),
        ("nowhere.example.org", "0.0.0.0", "cannot be looked up on this machine"),
    ],
)
def test_a_server_listens_at_all_addresses_only_where_its_own_is_not_here(
    host: str, bound: str, why: str
) -> None:
    place = addresses().place(host, 7100)
    assert (place.host, place.port) == (bound, 7100)
    assert why in place.why


def test_a_loopback_address_that_this_machine_lacks_is_not_opened_to_the_network() -> None:
    nothing = OwnAddresses(looked_up, lambda address: False)
    assert [nothing.place(one, 1).host for one in ("127.0.0.2", "::1")] == ["127.0.0.2", "::1"]


def test_a_name_is_looked_up_once_however_often_studies_are_looked_at() -> None:
    asked: list[str] = []

    def counted(host: str) -> Sequence[str]:
        asked.append(host)
        return looked_up(host)

    own = OwnAddresses(counted, lambda address: False)
    for _ in range(3):
        own.place("p0.example.org", 7100)
    assert asked == ["p0.example.org"]


def test_real_addresses_of_this_machine_are_known() -> None:
    own = OwnAddresses()
    assert [own.place(one, 1).host for one in ("127.0.0.3", "localhost")] == [
        "127.0.0.3",
        "127.0.0.1",
    ]
    assert own.place("192.0.2.1", 1).host == "0.0.0.0"
    assert own.place("2001:db8::1", 1).host == "::"
    assert own.place("no-such-name.invalid", 1).host == "0.0.0.0"


def test_studies_at_several_addresses_are_served_at_all_of_them() -> None:
    own = addresses()
    first, second, third = (own.place(one, 7100) for one in ("127.0.0.1", "198.51.100.7", "::1"))
    assert common_place([first, first]) == first
    assert str(common_place([first, second])) == "0.0.0.0:7100"
    assert "127.0.0.1:7100, 198.51.100.7:7100" in common_place([first, second]).why
    assert str(common_place([first, third])) == "[::]:7100"
    with pytest.raises(ConfigurationError, match="different ports"):
        common_place([first, own.place("127.0.0.1", 7200)])


def test_a_study_is_served_only_where_its_parties_reach_the_server() -> None:
    def place(host: str, port: int = 7100) -> ListeningPlace:
        return ListeningPlace(host, port, "")

    assert place("127.0.0.1").serves(place("127.0.0.1"))
    assert place("0.0.0.0").serves(place("127.0.0.1"))
    assert place("::").serves(place("127.0.0.1"))
    assert place("::").serves(place("::1"))
    assert not place("0.0.0.0").serves(place("::1"))
    assert not place("127.0.0.1").serves(place("127.0.0.2"))
    assert not place("127.0.0.1").serves(place("0.0.0.0"))
    assert not place("::").serves(place("::", 7200))


def moved(host: Callable[[Role], str], *, one_port: bool) -> Callable[[Study], Study]:
    """The study with its servers at other addresses, of one port each or of its own."""

    def server(study: Study, entry: ServerEntry) -> ServerEntry:
        first = study.server(Role.P0) if one_port else entry
        ports = first.link_ports[: Role.HELPER - entry.role]
        return replace(entry, host=host(entry.role), port=first.port, link_ports=ports)

    return lambda study: replace(
        study, servers=tuple(server(study, entry) for entry in study.servers)
    )


def listens(world: World, role: Role) -> str:
    [line] = [json.loads(line) for line in world.log(role).splitlines() if "server starts" in line]
    assert line["why"] == "the study's address"
    return str(line["listens"])


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 5).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.zeromq
def test_three_servers_of_one_port_at_three_addresses_compute(tmp_path: Path) -> None:
    change = moved(lambda role: f"127.0.0.{role + 1}", one_port=True)
    with World(
        tmp_path, change=lambda study: with_options(change(study), merge="network")
    ) as world:
        world.start()
        port = world.study.server(Role.P0).port
        assert [listens(world, role) for role in Role] == [
            f"127.0.0.{role + 1}:{port}" for role in Role
        ]
        world.upload()
        assert world.result("ann") == world.pooled()
        world.kill(Role.P0)
        assert not answers("127.0.0.1", port)
        assert answers("127.0.0.2", port)


@pytest.mark.zeromq
def test_servers_at_an_ipv6_address_compute_and_write_it_in_brackets(tmp_path: Path) -> None:
    change = moved(lambda role: "::1", one_port=False)
    with World(
        tmp_path, change=lambda study: with_options(change(study), merge="network")
    ) as world:
        world.start()
        ports = {role: world.study.server(role).port for role in Role}
        assert [listens(world, role) for role in Role] == [f"[::1]:{ports[role]}" for role in Role]
        assert not answers("127.0.0.1", ports[Role.P0])
        world.upload()
        assert world.result("ann") == world.pooled()
        world.kill(Role.P1)
        done = world.run("result", "--site=ben.toml")
        assert f" at [::1]:{ports[Role.P1]} is not running" in done.stderr


@pytest.mark.zeromq
def test_a_taken_ipv6_address_is_told_in_brackets(tmp_path: Path) -> None:
    with (
        World(tmp_path, change=moved(lambda role: "::1", one_port=False)) as world,
        socket.socket(socket.AF_INET6) as taken,
    ):
        port = world.study.server(Role.P1).port
        taken.bind(("::1", port))
        with pytest.raises(ConfigurationError) as caught:
            Server(Site.load(world.site(Role.P1)))
        assert f"cannot listen on [::1]:{port}:" in str(caught.value)


@pytest.mark.zeromq
def test_the_site_s_word_stands_above_the_study_s(tmp_path: Path) -> None:
    with World(tmp_path, servers_listen_at="127.0.0.5") as world:
        server = Server(Site.load(world.site(Role.P0)))
        with server.running():
            assert answers("127.0.0.5", server.place[1])
            assert not answers("127.0.0.1", server.place[1])
        assert server.listening.why == "[server] listen"
