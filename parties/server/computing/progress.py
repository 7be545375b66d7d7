"""Progress of a computation: its phase, the time so far, and about how much time is left.

The estimate follows from the public sizes: every phase gets a weight, and the phases that are done
show how fast this machine and this network are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import partial

from ppaurora.mpc.party import Phase
from ppaurora.parties.requests.status import Computing
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.options import Options

BYTE_SECONDS = 3e-9
HOP_SECONDS = 2e-4
CONNECTING = "connect"
CONNECTING_SECONDS = 0.2


def _weights(options: Options, sizes: Sequence[int]) -> dict[str, float]:
    """Roughly the seconds of each phase, on two cores and one machine, from its predicted cost."""
    phases = phase_estimates(options, sizes)
    return {
        CONNECTING: CONNECTING_SECONDS,
        **{
            one.phase: one.spent.hops * HOP_SECONDS + one.spent.payload * BYTE_SECONDS
            for one in phases
        },
    }


class Progress:
    """The progress of a computation of so many runs, from the first to the last.

    What the phases take is foreseen when the first run begins: where that takes long, whoever asks
    for the session's place does not wait for it. Written by the thread that computes, read by the
    one that answers.
    """

    def __init__(
        self, session: bytes, options: Options, sizes: Sequence[int], runs: int = 1
    ) -> None:
        self.session = session
        self._runs, self._run = runs, 0
        self._foresee = partial(_weights, options, tuple(sizes))
        self._weights = {CONNECTING: CONNECTING_SECONDS}
        self._lock = threading.Lock()
        self._phase = CONNECTING
        self._since = self._begun = time.monotonic()
        self._done: set[str] = set()
        self._spent = 0.0
        self._foreseen = 0.0

    def begin_run(self, number: int) -> None:
        """The run with this number begins."""
        weights = self._foresee() if number == 0 else self._weights
        with self._lock:
            self._weights = weights
            self._run, self._phase, self._since = number, CONNECTING, time.monotonic()

    def __call__(self, path: str, ended: Phase | None) -> None:
        """Take a report of `Party`: a phase begins, or has ended."""
        name = path.split("/")[0]
        if name != path or name not in self._weights:
            return
        with self._lock:
            if ended is None:
                self._phase, self._since = name, time.monotonic()
            else:
                self._done.add(name)
                self._spent += ended.seconds
                self._foreseen += self._weights[name]

    def told(self) -> Computing:
        """Progress at this moment."""
        with self._lock:
            now = time.monotonic()
            speed = self._spent / self._foreseen if self._foreseen else 1.0
            names = list(self._weights)
            place = names.index(self._phase)
            later = (self._runs - self._run - 1) * sum(self._weights.values())
            rest = sum(self._weights[name] for name in names[place:]) + later
            left = rest * speed - (now - self._since)
            return Computing(
                session=self.session.hex(),
                phase=self._phase,
                step=self._run * len(names) + place + 1,
                steps=self._runs * len(names),
                seconds=round(now - self._begun, 1),
                seconds_left=round(max(0.0, left), 1),
            )
