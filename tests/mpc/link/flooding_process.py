"""A dishonest P0 as a process of its own: it sends its peer more than that asks for."""

from __future__ import annotations

import json
import sys

import numpy as np
import zmq

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Endpoint, Kind, open_links
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role

from .loopback import SESSION

WORDS = 1 << 17
"""Of one frame or part, unless it is told otherwise: a mebibyte."""


def main() -> None:
    plan = json.loads(sys.stdin.readline())
    peer = Role(plan["peer"])
    link = open_links(
        Role.P0,
        Identity.from_private(bytes.fromhex(plan["private"])),
        {peer: Endpoint("127.0.0.1", 0, PublicKey.from_bytes(bytes.fromhex(plan["public"])), True)},
        SESSION,
        on_bound=lambda _, port: print(port, flush=True),
    )[peer]
    assert isinstance(link, ZeroMQLink)
    words = np.arange(plan["words"], dtype=np.uint64)
    for step in range(plan["frames"]):
        if plan["whole"]:
            link.send(Kind.OPEN, words, step)
        else:
            link._socket.send(words.data, zmq.SNDMORE, copy=False)
    if not plan["whole"]:
        link._socket.send(b"the last")
    sys.stdin.read()
    link.close()


if __name__ == "__main__":
    main()
