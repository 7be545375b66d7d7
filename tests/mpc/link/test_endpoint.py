"""Endpoints: of every two parties exactly one listens, and both mean the same place."""

from __future__ import annotations

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, endpoints_of
from ppaurora.mpc.role import PAIRS, Role

HOSTS = {Role.P0: "192.0.2.1", Role.P1: "2001:db8::1", Role.HELPER: "helper.example.org"}
PORTS = dict(zip(PAIRS, (7101, 7102, 7201), strict=True))
PUBLICS = {role: Identity.generate().public for role in Role}
OF = {role: endpoints_of(role, hosts=HOSTS, ports=PORTS, publics=PUBLICS) for role in Role}


@pytest.mark.parametrize(("low", "high"), PAIRS)
def test_the_lower_role_listens_and_the_other_connects_to_the_same_place(
    low: Role, high: Role
) -> None:
    assert OF[low][high] == Endpoint(HOSTS[low], PORTS[low, high], PUBLICS[high], listen=True)
    assert OF[high][low] == Endpoint(HOSTS[low], PORTS[low, high], PUBLICS[low], listen=False)


def test_a_party_has_an_endpoint_for_each_peer_and_none_for_itself() -> None:
    assert {role: tuple(endpoints) for role, endpoints in OF.items()} == {
        role: role.others for role in Role
    }


def test_an_address_names_an_ipv6_host_in_brackets_and_leaves_port_0_to_the_system() -> None:
    assert OF[Role.HELPER][Role.P1].address == "tcp://[2001:db8::1]:7201"
    assert OF[Role.P1][Role.P0].address == "tcp://192.0.2.1:7101"
    assert Endpoint("127.0.0.1", 0, PUBLICS[Role.P0], True).address == "tcp://127.0.0.1:*"


def test_an_endpoint_checks_its_port() -> None:
    with pytest.raises(ValueError, match="port"):
        Endpoint("127.0.0.1", 70_000, PUBLICS[Role.P0], True)
