"""Arrays as C takes them."""

from __future__ import annotations

from ctypes import addressof, c_char
from math import prod

import numpy as np

from ppaurora.mpc.words import Shape, Words

_NO_BYTES = c_char * 0
LINE = 8
"""Words in a line of the processor's cache."""


def contiguous(words: Words) -> Words:
    """The same words as C reads them: one after the other, in rows."""
    return np.ascontiguousarray(words)


def at(words: Words) -> int:
    """Where C finds these words, which are contiguous and outlive the call."""
    if words.flags.writeable:  # a third of the time
        return addressof(_NO_BYTES.from_buffer(words.data))
    address: int = words.ctypes.data
    return address


def room_for(shape: Shape) -> Words:
    """An array of any content that begins with a line of the cache.

    A store across two lines takes twice as long, and into planes as far apart as those of a block
    it takes longer still: they share the cache's places.
    """
    count = prod(shape)
    room = np.empty(count + LINE, np.uint64)
    first = -(at(room) // room.itemsize) % LINE
    return room[first : first + count].reshape(shape)
