"""A bad line to a server: a TCP relay on this machine that is slow, late, or breaks."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.client import ServerClient

PIECE_BYTES = 2048


@dataclass(frozen=True, slots=True)
class Line:
    """What is wrong with it: its speed, its delay each way, the bytes after which it breaks."""

    bits_per_second: float = 1e9
    delay: float = 0.0
    breaks_after: int = 1 << 40


@contextmanager
def relay(place: tuple[str, int], line: Line) -> Iterator[tuple[str, int]]:
    """Where to connect to reach `place` over this line."""
    opened: list[socket.socket] = []
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    near, _ = listening.accept()
                    far = socket.create_connection(place)
                    opened.extend((near, far))
                    for source, target in ((near, far), (far, near)):
                        threading.Thread(
                            target=carry, args=(source, target, line), daemon=True
                        ).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield listening.getsockname()
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            for one in opened:
                one.close()


def carry(source: socket.socket, target: socket.socket, line: Line) -> None:
    """Carry what `source` says to `target`, until one of them ends or the line breaks."""
    under_way: SimpleQueue[tuple[float, bytes]] = SimpleQueue()

    def deliver() -> None:
        with contextlib.suppress(OSError):
            while True:
                at, piece = under_way.get()
                time.sleep(max(0.0, at - time.monotonic()))
                if not piece:
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(piece)

    threading.Thread(target=deliver, daemon=True).start()
    carried = 0
    with contextlib.suppress(OSError):
        while carried < line.breaks_after and (piece := source.recv(PIECE_BYTES)):
            carried += len(piece)
            time.sleep(8 * len(piece) / line.bits_per_second)
            under_way.put((time.monotonic() + line.delay, piece))
    under_way.put((0.0, b""))
    with contextlib.suppress(OSError):
        source.shutdown(socket.SHUT_RDWR)


@contextmanager
def over(line: Line, owner: Participant) -> Iterator[None]:
    """Have this participant reach both proxies over such lines."""
    with contextlib.ExitStack() as stack:
        for role in (Role.P0, Role.P1):
            server = owner.study.server(role)
            place = stack.enter_context(relay((server.host, server.port), line))
            client = owner._clients[role] = ServerClient(owner.identity, owner.study, role)
            client._connection._place = place
        yield
        owner.close()
