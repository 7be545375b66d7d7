"""Size of the chunks of an upload: small over a slow line, larger over a fast one."""

from __future__ import annotations

from ppaurora.parties.requests.messages import CHUNK_BYTES

LEAST_BYTES = 32 << 10
QUICK_SECONDS, SLOW_SECONDS = 0.5, 2.0


class ChunkSize:
    """The bytes of the next chunk, learnt from how soon the last ones were acknowledged.

    A chunk that is lost with its connection is sent again, so over a slow line chunks are short:
    32 KiB pass within a minute at 5 kbit/s. Over a fast line longer ones lose less time, since each
    waits for the reply to the one before, or is one of several of the largest size.
    """

    def __init__(self) -> None:
        self.bytes = LEAST_BYTES

    def note(self, seconds: float) -> None:
        """Take into account that a chunk of this size was acknowledged after `seconds`."""
        if seconds < QUICK_SECONDS:
            self.bytes = min(2 * self.bytes, CHUNK_BYTES)
        elif seconds > SLOW_SECONDS:
            self.bytes = max(self.bytes // 2, LEAST_BYTES)
