"""A bulk lane by itself, as it closes."""

from __future__ import annotations

import socket
import time

from ppaurora.mpc.link.bulk_lane import BulkLane
from ppaurora.mpc.link.bulk_seal import Opener, Sealer
from ppaurora.mpc.role import Role

from .loopback import SESSION, key_of

P0, P1, _ = Role


def test_a_peer_that_never_stops_sending_keeps_no_lane_from_closing() -> None:
    class Endless(socket.socket):
        reads = 0

        def recv_into(self, *_: object) -> int:
            self.reads += 1
            time.sleep(0.005)
            return self.reads < 400

    own, theirs = socket.socketpair()
    endless = Endless(fileno=own.detach())
    seal = key_of(P0, P1), SESSION
    lane = BulkLane(endless, Sealer(*seal, P0, P1), Opener(*seal, P1, P0), least=64, most=64)
    lane.close(0.05)
    theirs.close()
    assert 1 <= endless.reads < 400
