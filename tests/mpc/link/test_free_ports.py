"""Ports that are free: all different, and each can be listened on."""

import socket
from contextlib import ExitStack

from ppaurora.mpc.link.endpoint import free_ports


def test_all_ports_can_be_listened_on_at_once() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    with ExitStack() as stack:
        for port in ports:
            stack.enter_context(socket.create_server(("127.0.0.1", port)))


def test_a_taken_port_is_not_given(monkeypatch) -> None:
    free, taken = free_ports(2)
    offered = iter([taken, free])
    monkeypatch.setattr("random.randrange", lambda *_: next(offered))
    with socket.create_server(("127.0.0.1", taken)):
        assert free_ports(1) == [free]
