"""Arrays as C takes them."""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.words import Words


def contiguous(words: Words) -> Words:
    """The same words as C reads them: one after the other, in rows."""
    return np.ascontiguousarray(words)


def at(words: Words) -> int:
    """Where C finds these words, which are contiguous and outlive the call."""
    address: int = words.ctypes.data
    return address
