"""Progress of an upload at each server, and the limit after which it is given up.

An acknowledgement alone is no progress: a server may answer each chunk and keep none, or lose again
what it had. Only a chunk more than it told of before counts. An honest server may lose some, when
its machine loses its power; then it gets further from what was left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ServerFault
from ppaurora.parties.participant.chunks import LEAST_BYTES

UPLOAD_PATIENCE = 60.0
"""An upload ends after so long without one more acknowledged chunk."""
MOST_LOSSES = 10
"""Most times that a server may lose bytes which it had acknowledged."""


class UploadProgress:
    """The acknowledged bytes of one upload, of which each server gets these `sizes`."""

    def __init__(
        self, sizes: Mapping[Role, int], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._sizes = dict(sizes)
        self._now = now
        self._there = dict.fromkeys(sizes, 0)
        self._furthest = dict.fromkeys(sizes, 0)
        self._losses = dict.fromkeys(sizes, 0)
        self._awaited: Role | None = None
        self.made_at = -math.inf
        """Time at which a server had a chunk more than before."""

    @property
    def bytes(self) -> int:
        """Number of bytes acknowledged by all servers together."""
        return sum(self._there.values())

    def find(self, server: Role, size: int) -> None:
        """Note what is there when the upload begins or goes on; `ServerFault` if too often less."""
        before, self._there[server] = self._there[server], size
        whole, furthest = self._sizes[server], self._furthest[server]
        if size < before:
            self._furthest[server] = size
            self._losses[server] += 1
            if self._losses[server] > MOST_LOSSES:
                raise self._fault(server, f"has lost some of it {MOST_LOSSES + 1} times")
        elif size >= min(furthest + LEAST_BYTES, whole) > furthest:
            self._furthest[server], self.made_at = size, self._now()

    def acknowledge(self, server: Role, size: int) -> None:
        """Note what is there after a chunk; `ServerFault` if that has not grown for too long."""
        if server is not self._awaited:  # until now it was another one's turn
            self._awaited, self.made_at = server, self._now()
        self.find(server, size)
        if self._now() - self.made_at > UPLOAD_PATIENCE:
            raise self._fault(server, f"has kept nothing more of it for {UPLOAD_PATIENCE:g} s")

    def _fault(self, server: Role, what: str) -> ServerFault:
        return ServerFault(
            f"{server} acknowledges what is uploaded, but {what}: "
            f"it has {self._there[server]} of {self._sizes[server]} bytes",
            advice=f"Ask its operator to look at the log and the disk of {server}; then start the "
            "upload again, which goes on where it was.",
        )
