"""The list for firewalls has every line that servers and participants use, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.participant.checkup import firewall_lines
from ppaurora.parties.server.computing.study_session import run_endpoints
from ppaurora.parties.study.runs import runs_of
from tests.parties.sample import study

TWO_SLOTS = replace(
    study(),
    servers=tuple(
        replace(one, link_ports=ports)
        for one, ports in zip(
            study().servers, ((7101, 7102, 7103, 7104), (7201, 7202), ()), strict=True
        )
    ),
)


def test_an_owner_connects_to_three_servers_and_nobody_to_it() -> None:
    assert firewall_lines(study(), None) == [
        "out to P0: p0.example.org:7100",
        "out to P1: p1.example.org:7100",
        "out to helper: helper.example.org:7100",
    ]


def test_each_server_is_told_its_own_side() -> None:
    assert firewall_lines(TWO_SLOTS, Role.P0) == [
        "in from owners, receivers, P1 and helper: port 7100",
        "in from P1 (p1.example.org): ports 7101, 7103, for links",
        "in from helper (helper.example.org): ports 7102, 7104, for links",
        "out to P1: p1.example.org:7100",
        "out to helper: helper.example.org:7100",
    ]
    assert firewall_lines(TWO_SLOTS, Role.P1) == [
        "in from owners, receivers, P0 and helper: port 7100",
        "in from helper (helper.example.org): ports 7201, 7202, for links",
        "out to P0: p0.example.org:7100, and its ports 7101, 7103, for links",
        "out to helper: helper.example.org:7100",
    ]
    assert firewall_lines(study(), Role.HELPER) == [
        "in from owners, receivers, P0 and P1: port 7100",
        "out to P0: p0.example.org:7100, and its port 7102, for links",
        "out to P1: p1.example.org:7100, and its port 7101, for links",
    ]


def test_a_server_behind_a_forwarded_port_opens_the_one_where_it_listens() -> None:
    lines = firewall_lines(study(), Role.HELPER, listen_port=9000)
    assert lines[0] == (
        "in from owners, receivers, P0 and P1: port 9000, "
        "which others reach as helper.example.org:7100"
    )


@pytest.mark.parametrize("assurance", ["semi-honest", "covert"])
def test_links_are_made_at_the_ports_that_are_named_and_at_no_others(assurance: str) -> None:
    """As sessions themselves choose them, in every slot and every run."""
    one = replace(TWO_SLOTS, options=study(assurance=assurance).options)
    publics = {role: one.server(role).public for role in Role}
    waits, connects = set(), set()
    for run in runs_of(one):
        for slot in range(2):
            for server in Role:
                in_run = {peer: publics[run.place(peer)] for peer in run.role(server).others}
                for peer, end in run_endpoints(run, server, "0.0.0.0", slot, in_run).items():
                    place = run.place(peer)
                    (waits if end.listen else connects).add((server, place, end.port))
    assert {(peer, server, port) for server, peer, port in connects} == waits
    for server, peer, port in waits:
        [rule] = [line for line in firewall_lines(one, server) if f"in from {peer} (" in line]
        assert str(port) in rule
        [rule] = [line for line in firewall_lines(one, peer) if line.startswith(f"out to {server}")]
        assert str(port) in rule.partition(" and its ")[2]
    named = {line for role in Role for line in firewall_lines(one, role) if "for links" in line}
    ports = {word.strip(",") for line in named for word in line.split() if word[:2] in ("71", "72")}
    assert {port for port in ports if port.isdigit()} == {str(port) for *_, port in waits}
