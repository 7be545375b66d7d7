"""One party as a process of its own, for the tests that kill and stop it.

Reads its role, keys and ports from standard input, computes without end, and prints what made it
give up, and when.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, Kind, Limits, Link, give_up, open_links
from ppaurora.mpc.role import Role


def compute(role: Role, links: dict[Role, Link]) -> None:
    """The helper deals ahead to P1; the proxies exchange, slowly enough to be under way."""
    words = np.zeros(1000, np.uint64)
    for step in range(1 << 40):
        if role is Role.HELPER:
            links[Role.P1].send(Kind.DEAL, words, step)
            continue
        (other,) = {Role.P0, Role.P1} - {role}
        links[other].send(Kind.OPEN, words, step)
        if role is Role.P1:
            links[Role.HELPER].receive(Kind.DEAL, words.size, step)
        links[other].receive(Kind.OPEN, words.size, step)
        if step == 10:
            print("under way", flush=True)
        time.sleep(0.002)


def main() -> int:
    told = json.load(sys.stdin)
    role = Role(told["role"])
    endpoints = {
        Role(int(peer)): Endpoint("127.0.0.1", port, bytes.fromhex(public), role < int(peer))
        for peer, (port, public) in told["peers"].items()
    }
    identity = Identity.from_private(bytes.fromhex(told["private"]))
    limits = Limits(deadline=20.0, window=100_000)
    links = open_links(role, identity, endpoints, b"session of tests", limits=limits)
    try:
        compute(role, links)
    except AuroraError as error:
        seen = {"error": type(error).__name__, "text": str(error), "at": time.time()}
        give_up(links, error)
        print(json.dumps(seen), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
