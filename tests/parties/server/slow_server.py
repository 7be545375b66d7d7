"""A server whose checks of dealings take long: `slow_server.py SITE SHORTEST LONGEST SEED`.

In each run it stands still for a time drawn between the shortest and the longest, once while it
commits or checks. It is a program of its own: the tests start it in place of `ppaurora server`.
"""

from __future__ import annotations

import math
import random
import sys
import time
from pathlib import Path
from typing import Any

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.parties.commands.main import main


def slow_program(shortest: float, longest: float, seed: int) -> Any:
    """For a site file, the command that starts its server as a slow one."""
    given = [str(shortest), str(longest), str(seed)]
    return lambda site: [sys.executable, str(Path(__file__)), str(site), *given]


def slow_down(shortest: float, longest: float, seed: str) -> None:
    """Have every check of this process take so long from now on."""
    dice = random.Random(seed)
    recomputed = CommittedDealing._recomputed

    def slowly(self: Any, *about: Any) -> Any:
        if not hasattr(self, "has_slept"):
            self.has_slept = True
            time.sleep(math.exp(dice.uniform(math.log(shortest), math.log(longest))))
        return recomputed(self, *about)

    CommittedDealing._recomputed = slowly  # type: ignore[method-assign]


if __name__ == "__main__":
    site, shortest, longest, seed = sys.argv[1:]
    slow_down(float(shortest), float(longest), seed + site)
    sys.argv[1:] = ["server", site]
    main()
