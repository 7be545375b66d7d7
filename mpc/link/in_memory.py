"""Links in memory between three threads of one process: two queues for each pair."""

from __future__ import annotations

from queue import Empty, SimpleQueue

from ppaurora.mpc.errors import PeerLost
from ppaurora.mpc.link.frame import SESSION_BYTES, HopClock
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import Body, Link
from ppaurora.mpc.role import Role

Pipe = SimpleQueue[tuple[bytes, Body] | None]


class MemoryLink(Link):
    """A link over two queues; a body is passed without a copy, None says that the peer closed."""

    def __init__(
        self,
        role: Role,
        peer: Role,
        session: bytes,
        *,
        outgoing: Pipe,
        incoming: Pipe,
        clock: HopClock | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(role, peer, session, clock=clock, limits=limits)
        self._outgoing = outgoing
        self._incoming = incoming

    def transmit(self, header: bytes, body: Body) -> None:
        self._outgoing.put((header, body))

    def poll(self, seconds: float) -> tuple[bytes, Body] | None:
        try:
            frame = self._incoming.get(timeout=seconds)
        except Empty:
            return None
        if frame is None:
            raise self._error(
                PeerLost,
                f"{self.peer} closed the link",
                advice=f"Look at how {self.peer} ended; then start a new session.",
            )
        return frame

    def release(self) -> None:
        self._outgoing.put(None)


def memory_links(
    session: bytes = bytes(SESSION_BYTES), limits: Limits | None = None
) -> dict[Role, dict[Role, Link]]:
    """The links of all three parties, by role and peer; the links of one party share one clock."""
    clocks = {role: HopClock() for role in Role}
    pipes: dict[tuple[Role, Role], Pipe] = {
        (role, peer): SimpleQueue() for role in Role for peer in role.others
    }
    return {
        role: {
            peer: MemoryLink(
                role,
                peer,
                session,
                outgoing=pipes[role, peer],
                incoming=pipes[peer, role],
                clock=clocks[role],
                limits=limits,
            )
            for peer in role.others
        }
        for role in Role
    }
