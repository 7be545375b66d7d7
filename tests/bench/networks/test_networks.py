"""Networks have names, are made by the best means there is, and are no quicker than asked for."""

from __future__ import annotations

import pytest

from ppaurora.bench.errors import MeansRefused
from ppaurora.bench.measure.round_trip import bits_per_second, median_round_trip
from ppaurora.bench.networks import namespaces
from ppaurora.bench.networks.networks import (
    LAN,
    LOOPBACK,
    WAN,
    Means,
    ServerNetwork,
    laid,
    named,
    ways,
)
from ppaurora.mpc.role import Role


def test_networks_have_names_and_may_be_changed() -> None:
    assert named("lan") is LAN
    assert named("wan", 30.0) == ServerNetwork("30 ms", 0.03)
    assert named("wan", None, 100.0) == ServerNetwork("10 ms, 100 Mbit/s", 0.01, 1e8)
    with pytest.raises(MeansRefused, match="loopback, lan, wan"):
        named("moon")


def test_networks_without_a_delay_are_plain() -> None:
    assert ways(LOOPBACK) == (Means.LOOPBACK,)
    assert ways(WAN) == (Means.NETEM, Means.CABLE, Means.SHAPER)


def test_loopback_needs_nothing_and_cannot_delay() -> None:
    with laid(LOOPBACK) as hosts:
        assert hosts.means is Means.LOOPBACK
        assert hosts.command(Role.P0, ["true"]) == ["true"]
    with pytest.raises(MeansRefused), laid(WAN, Means.LOOPBACK):
        pass


def test_the_shaper_is_taken_where_hosts_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MeansRefused("not permitted")

    monkeypatch.setattr(namespaces, "lay", refuse)
    with laid(WAN) as hosts:
        assert hosts.shaped
        assert hosts.refused == ("netem: not permitted", "cable: not permitted")


# What comes back too late says nothing but that the machine was busy: only too early is wrong.


def assert_not_quicker(network: ServerNetwork, means: Means) -> None:
    with laid(network, means) as hosts:
        assert hosts.means is means
        assert median_round_trip(hosts, repetitions=20) >= 0.95 * network.round_trip


def assert_not_faster(network: ServerNetwork, means: Means) -> None:
    assert network.bandwidth is not None
    with laid(network, means) as hosts:
        assert bits_per_second(hosts, blocks=20) <= 1.05 * network.bandwidth


@pytest.mark.zeromq
@pytest.mark.slow
def test_a_round_trip_between_real_hosts_is_not_shorter_than_asked_for(real: Means) -> None:
    assert_not_quicker(ServerNetwork("20 ms", 20e-3), real)


@pytest.mark.zeromq
@pytest.mark.slow
def test_a_round_trip_by_the_shaper_is_not_shorter_than_asked_for() -> None:
    assert_not_quicker(ServerNetwork("20 ms", 20e-3), Means.SHAPER)


@pytest.mark.zeromq
@pytest.mark.slow
def test_real_hosts_send_no_faster_than_asked_for(real: Means) -> None:
    assert_not_faster(ServerNetwork("200 Mbit/s", 2e-3, 200e6), real)


@pytest.mark.zeromq
@pytest.mark.slow
def test_the_shaper_sends_no_faster_than_asked_for() -> None:
    assert_not_faster(ServerNetwork("200 Mbit/s", 2e-3, 200e6), Means.SHAPER)
