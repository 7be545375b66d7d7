"""A connection that comes to a link's door after the peer has: it says one hello, and no more."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from ppaurora.mpc.link.bulk_seal import HELLO_BYTES, MAGIC
from ppaurora.mpc.link.passage import Ended, Passage, Stage

__all__ = ["BulkArrival"]


@dataclass(slots=True, eq=False, repr=False)
class BulkArrival(Passage):
    """Nothing that it says reaches libzmq: there is no server behind it."""

    allowance: int = HELLO_BYTES

    def from_client(self, now: float) -> bytes:
        """Take the next piece of the hello; it waits to be judged when it is whole."""
        piece = self._read(self.client, self.allowance)
        self.allowance -= len(piece)
        self._said += piece
        if self._said[: len(MAGIC)] != MAGIC[: len(self._said)]:
            raise Ended("it does not say hello as a bulk connection does")
        if not self.allowance:
            self.stage = Stage.WAITS
        return b""

    def says(self, hello: bytes) -> bool:
        """Whether its hello is this one."""
        return hmac.compare_digest(self._said, hello)

    def fault(self) -> str:
        """What is told of one whose time is up."""
        return "it has not said hello in time"
