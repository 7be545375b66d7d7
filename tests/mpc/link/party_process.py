"""One party as a process of its own, for the tests that kill and stop it.

It computes without end, and prints what made it give up, and when.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from tests.mpc.processes import session_of

DEADLINE = 8.0
LIMITS = Limits(deadline=DEADLINE, window=100_000, bulk=4096, bulk_after=0)
"""All vectors of the computation are bulk."""


def compute(party: Party, *, bulk: bool) -> None:
    """The helper deals ahead to P1; the proxies exchange, slowly enough to be under way.

    With `bulk` they are under way when their lane stands.
    """
    told = False
    words = np.zeros(1000, np.uint64)
    for number in range(1 << 40):
        party.step()
        if party.is_helper:
            party.send(Role.P1, Kind.DEAL, words)
            continue
        party.send(party.other_proxy, Kind.OPEN, words)
        if party.role is Role.P1:
            party.receive(Role.HELPER, Kind.DEAL, words.size)
        party.receive(party.other_proxy, Kind.OPEN, words.size)
        if not told and number >= 10 and party.links[party.other_proxy].bulk == bulk:
            told = True
            print("under way", flush=True)
        time.sleep(0.002)


def main() -> int:
    try:
        plan = json.load(sys.stdin)
        with session_of(plan, LIMITS) as party:
            try:
                compute(party, bulk=plan["bulk"])
            except AuroraError as error:
                seen = {"error": type(error).__name__, "text": str(error), "at": time.time()}
                print(json.dumps(seen), flush=True)
                raise
    except AuroraError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
