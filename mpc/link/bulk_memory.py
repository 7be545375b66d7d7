"""Memory for the bodies that a bulk lane receives, used again and again.

A body lives for a moment, between others that live long. Taken from the process's heap, each would
leave a hole there that nothing larger fits into. Here each has a place of its own, outside the heap
and still in the processor's cache when the next body comes.
"""

from __future__ import annotations

import mmap
import weakref

import numpy as np

__all__ = ["BulkMemory"]

PLACE_BYTES = 2 << 20
"""The system gives a page of a place only when something is written there."""
MOST_PLACES = 20
"""So many free places are kept."""


class BulkMemory:
    """Places that are given out, and come back by themselves when nobody refers to them."""

    def __init__(self) -> None:
        self._free: list[mmap.mmap] = []

    def __repr__(self) -> str:
        return f"<BulkMemory, {len(self._free)} places free>"

    def take(self, length: int) -> memoryview:
        """A body of this length, uninitialised; the memory is free once the last view of it is."""
        if length > PLACE_BYTES:
            return np.empty(length, np.uint8).data
        place = self._free.pop() if self._free else mmap.mmap(-1, PLACE_BYTES)
        body = np.frombuffer(place, np.uint8, length)
        weakref.finalize(body, self._give_back, place)
        return body.data

    def _give_back(self, place: mmap.mmap) -> None:
        if len(self._free) < MOST_PLACES:
            self._free.append(place)
