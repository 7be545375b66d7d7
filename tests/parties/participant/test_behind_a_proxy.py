"""An owner with outbound lines only, behind an HTTP proxy: forwarders and CONNECT are enough.

Everything that stands in the study as an address is at a forwarder here, as docs/OPERATING.md says
of an owner's machine; each asks the proxy for a line, and only the proxy knows where servers are.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import Unreachable
from ppaurora.parties.study.study import Study
from tests.parties.world import World

NEAR, FAR, PROXY = "127.0.0.21", "127.0.0.1", "127.0.0.22"
ASKED = re.compile(rb"CONNECT ([0-9.]+):([0-9]+) HTTP/1\.[01]\r\n(?:[^\r\n]+\r\n)*\r\n")
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
SECONDS = 60.0


def carry(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until an end closes."""

    def one_way(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    back = threading.Thread(target=one_way, args=(other, one), daemon=True)
    back.start()
    one_way(one, other)
    back.join(SECONDS)
    one.close()
    other.close()


def until_blank_line(line: socket.socket) -> bytes:
    """The head of a request or a reply, byte by byte: what follows belongs to others."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and (byte := line.recv(1)):
        head += byte
    return head


@contextlib.contextmanager
def listening(host: str, port: int, answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A listener that answers each connection on a thread; its port."""
    with socket.create_server((host, port)) as listener:

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(
                        target=answer, args=(listener.accept()[0],), daemon=True
                    ).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


class ConnectProxy:
    """A proxy that knows the method CONNECT, to given ports alone, and tells nothing else apart."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.closed = False

    def answer(self, line: socket.socket) -> None:
        found = ASKED.fullmatch(until_blank_line(line))
        if found is None or self.closed:
            line.close()
            return
        port = int(found[2])
        self.lines.append(port)
        with contextlib.suppress(OSError):
            server = socket.create_connection((FAR, port), SECONDS)
            server.settimeout(None)
            line.sendall(ESTABLISHED)
            carry(line, server)


@pytest.mark.zeromq
def test_an_owner_takes_part_by_connect_alone(tmp_path: Path) -> None:
    def at_the_forwarders(study: Study) -> Study:
        return replace(study, servers=tuple(replace(one, host=NEAR) for one in study.servers))

    proxy = ConnectProxy()
    with contextlib.ExitStack() as stack:
        world = stack.enter_context(
            World(tmp_path, change=at_the_forwarders, servers_listen_at=FAR)
        )
        at = stack.enter_context(listening(PROXY, 0, proxy.answer))

        def through(port: int) -> Callable[[socket.socket], None]:
            def forward(line: socket.socket) -> None:
                with contextlib.suppress(OSError):
                    out = socket.create_connection((PROXY, at), SECONDS)
                    out.settimeout(None)
                    out.sendall(f"CONNECT {NEAR}:{port} HTTP/1.1\r\nHost: {NEAR}\r\n\r\n".encode())
                    if until_blank_line(out) == ESTABLISHED:
                        carry(line, out)
                line.close()

            return forward

        for server in world.study.servers:
            for port in (server.port, *server.link_ports):
                stack.enter_context(listening(NEAR, port, through(port)))
        world.start()
        world.upload()
        assert world.result("ann") == world.pooled()
        ports = {server.port for server in world.study.servers}
        assert {*proxy.lines} >= ports
        # without the proxy there is no other way
        proxy.closed = True
        with world.owner("ben") as owner, pytest.raises(Unreachable):
            owner.servers.status(Role.P0)
