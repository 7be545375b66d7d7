"""A bad line to a server: a TCP relay on this machine that is slow, late, false, or breaks."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from ppaurora.mpc.role import PAIRS, Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.study.study import Study

PIECE_BYTES = 2048
BEHIND_THE_LINES = "127.0.0.2"
"""The ports of the servers; at the addresses of the study's file there are the lines."""


@dataclass(frozen=True, slots=True)
class Line:
    """The faults of a line: its speed, its delay each way, the bytes after which it breaks.

    `cuts`, `repeats` and `flips` are how likely a piece ends the line, is carried twice, or has a
    bit flipped.
    """

    bits_per_second: float = 1e9
    delay: float = 0.0
    breaks_after: int = 1 << 40
    cuts: float = 0.0
    repeats: float = 0.0
    flips: float = 0.0


LATE = Line(delay=0.2)
"""Between two servers: a session over such a line takes seconds, however fast they are."""


class Weather:
    """The faults of all lines at this moment, which end."""

    def __init__(self) -> None:
        self._line, self._until = Line(), 0.0

    def turn(self, line: Line, seconds: float) -> None:
        """Have the lines be like this one for so long, and then good."""
        self._line, self._until = line, time.monotonic() + seconds

    def clear_up(self) -> None:
        """Have the lines be good from now on."""
        self._until = 0.0

    def line(self) -> Line:
        """The line as it is now."""
        return self._line if time.monotonic() < self._until else Line()


def relay(place: tuple[str, int], line: Line) -> AbstractContextManager[tuple[str, int]]:
    """The address to connect to, to reach `place` over this line."""
    return changing_relay(place, lambda: line)


@contextmanager
def changing_relay(
    place: tuple[str, int], line: Callable[[], Line], at: tuple[str, int] = ("127.0.0.1", 0)
) -> Iterator[tuple[str, int]]:
    """The address to connect to, to reach `place` over a line that is as `line` says."""
    opened: list[socket.socket] = []
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(at)
        listening.listen()

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    near, _ = listening.accept()
                    try:
                        far = socket.create_connection(place)
                    except OSError:
                        near.close()
                        continue
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


def carry(source: socket.socket, target: socket.socket, line: Callable[[], Line]) -> None:
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
        while carried < (now := line()).breaks_after and (piece := source.recv(PIECE_BYTES)):
            carried += len(piece)
            if random.random() < now.cuts:
                break
            if random.random() < now.flips:
                place, bit = random.randrange(len(piece)), 1 << random.randrange(8)
                piece = piece[:place] + bytes([piece[place] ^ bit]) + piece[place + 1 :]
            time.sleep(8 * len(piece) / now.bits_per_second)
            for _ in range(2 if random.random() < now.repeats else 1):
                under_way.put((time.monotonic() + now.delay, piece))
    under_way.put((0.0, b""))
    with contextlib.suppress(OSError):
        source.shutdown(socket.SHUT_RDWR)


@contextmanager
def over(line: Line, owner: Participant) -> Iterator[None]:
    """Have this participant reach both proxies over such lines, and directly from then on.

    Another thread may be using its connections, so none is closed here.
    """
    direct = {}
    with contextlib.ExitStack() as stack:
        for role in (Role.P0, Role.P1):
            server = owner.study.server(role)
            place = stack.enter_context(relay((server.host, server.port), line))
            client = owner.servers.clients[role] = ServerClient(owner.identity, owner.study, role)
            direct[client._connection] = client._connection._place
            client._connection._place = place
        yield
        for connection, place in direct.items():
            connection._place = place


@contextmanager
def lines_to_all_servers(
    study: Study, requests: Callable[[], Line], links: Callable[[], Line]
) -> Iterator[None]:
    """A line to every request port, and one to every port between two servers."""
    lines = [(one.port, requests) for one in study.servers]
    lines += [(study.server(low).link_port(high), links) for low, high in PAIRS]
    with ExitStack() as stack:
        for port, line in lines:
            place = (BEHIND_THE_LINES, port)
            stack.enter_context(changing_relay(place, line, at=("127.0.0.1", port)))
        yield
