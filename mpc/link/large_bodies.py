"""What a link does with large bodies: the same as with all others, unless it has a bulk lane."""

from __future__ import annotations

from ppaurora.mpc.link.transcript import NOTHING_SEALED

__all__ = ["LargeBodies"]


class LargeBodies:
    """The part of a link that a transport overrides which carries large bodies over a bulk lane."""

    @property
    def bulk(self) -> bool:
        """Whether large bodies have a lane of their own."""
        return False

    def open_bulk(self, session_key: bytes) -> bool:
        """Begin to open a bulk lane, for which nobody waits; False if there can be none."""
        return False

    def _take_lane(self) -> bool:
        """Use the bulk lane from now on, which the peer says is open; False if there is none."""
        return False

    def _transmit_sealed(self, header: bytes, body: bytes | memoryview) -> bool:
        """Hand a frame to the bulk lane, which digests it as well; False if it is not for the lane.

        What comes over the lane is a `SealedFrame`.
        """
        return False

    def _sealed(self) -> tuple[bytes, bytes]:
        """The lane's digests of what was sent and received, once all that was sent is sealed."""
        return NOTHING_SEALED, NOTHING_SEALED
