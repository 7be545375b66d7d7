"""Counts and gauges of a server for its operators: facts that any onlooker may know, no others.

Every label comes from a list that is fixed beforehand: a kind of request, a code of refusal. No
study, owner, key or address is ever one. Of a session whose messages depend on the data, seconds
and bytes are not counted.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.parties.requests.messages import Request
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.server.watching.descriptors import free_descriptors
from ppaurora.parties.server.watching.health import Health


@dataclass(frozen=True, slots=True)
class Series:
    """Something that is counted from 0 since the server started; `kinds` are told apart."""

    name: str
    what: str
    label: str = ""
    kinds: tuple[str, ...] = ("",)


UPLOADS = Series("ppaurora_uploads_stored", "Uploads that were stored.")
BEGUN = Series("ppaurora_sessions_begun", "Computations that began here.")
ENDED = Series("ppaurora_sessions_ended", "Computations that ended with a result.")
FAILED = Series("ppaurora_sessions_failed", "Computations that ended without a result.")
REQUESTS = Series(
    "ppaurora_requests",
    "Requests that were read, by their kind.",
    "kind",
    tuple(kind.__name__ for kind in get_args(Request)),
)
REFUSALS = Series(
    "ppaurora_refusals", "Requests that were refused, by why.", "code", tuple(map(str, Code))
)
SECONDS = Series(
    "ppaurora_computing_seconds",
    "Seconds of computations that ended, unless they depend on the data.",
)
LINK_BYTES = Series(
    "ppaurora_link_bytes",
    "Bytes over the links of computations that ended, both ways, unless they depend on the data.",
)
REFUSED = Series("ppaurora_connections_refused", "Connections that were refused or ended.")
TALLIES = (UPLOADS, BEGUN, ENDED, FAILED, REQUESTS, REFUSALS, SECONDS, LINK_BYTES, REFUSED)


class Counts:
    """The counts of one server; any thread may add to them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: defaultdict[tuple[str, str], float] = defaultdict(float)

    def add(self, tally: Series, kind: str = "", *, by: float = 1) -> None:
        """Count one more, or `by` more, of this kind, which must be a declared one."""
        if kind not in tally.kinds:
            raise LocalProtocolError(f"{tally.name} is not counted by what it was counted by")
        with self._lock:
            self._counts[tally.name, kind] += by

    def so_far(self, tally: Series) -> dict[str, float]:
        """The count of each kind, 0 where there was none yet."""
        with self._lock:
            return {kind: self._counts[tally.name, kind] for kind in tally.kinds}


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number that is read when it is asked for."""

    name: str
    what: str
    read: Callable[[], float]


def gauges(
    health: Health,
    studies: Callable[[], int],
    key_days: Callable[[], float],
    stopped: Callable[[], int],
) -> tuple[Gauge, ...]:
    """The gauges of one server; `stopped` counts the studies that wait for their operators."""
    return (
        Gauge("ppaurora_ready", "1 if /readyz is well, else 0.", lambda: not health.obstacle()),
        Gauge("ppaurora_studies", "Studies that are served.", studies),
        Gauge("ppaurora_key_days_left", "Days for which this server's key is good.", key_days),
        Gauge(
            "ppaurora_studies_stopped",
            "Studies that differing runs have stopped, until their operators restart them.",
            stopped,
        ),
        Gauge(
            "ppaurora_free_descriptors",
            "Files and connections that may still be opened.",
            free_descriptors,
        ),
        Gauge(
            "ppaurora_state_free_bytes",
            "Bytes free where the state folder is.",
            lambda: health.free_bytes,
        ),
    )
