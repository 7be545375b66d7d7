"""Places that are compared and exchanged: read by the library in one pass, else by numpy.

The upper places and the lower ones are vectors, or rows, that lie in the same way.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.kernels.arrays import at
from ppaurora.mpc.kernels.library import COUNT, WORDS, function
from ppaurora.mpc.kernels.source import SUBTRACT_NAME
from ppaurora.mpc.words import Words


def subtract(upper: Words, lower: Words, out: Words) -> None:
    """Write upper - lower to the vector `out`."""
    compiled = function(SUBTRACT_NAME, WORDS, WORDS, WORDS, COUNT, COUNT, COUNT)
    alike = lie_alike(upper, lower) and out.size == upper.size and out.flags.c_contiguous
    if compiled is None or not (alike and out.flags.writeable):
        np.subtract(upper, lower, out.reshape(upper.shape))
        return
    compiled(at(upper[:1]), at(lower[:1]), at(out), *rows_of(upper))


def lie_alike(first: Words, *others: Words) -> bool:
    """Whether the library can walk them: not places of which no two lie side by side."""
    if first.ndim > 2 or first.strides[-1] != first.itemsize:
        return False
    return all(one.shape == first.shape and one.strides == first.strides for one in others)


def rows_of(places: Words) -> tuple[int, int, int]:
    """How many rows there are, the places in one, and how many words after it the next begins."""
    rows = len(places) if places.ndim == 2 else 1
    return rows, places.shape[-1], places.strides[0] // places.itemsize
