"""Places that are compared and exchanged: by the library in one pass, else by numpy.

The upper places and the lower ones are vectors, or rows, that lie in the same way.
"""

from __future__ import annotations

from ppaurora.mpc.kernels.arrays import at
from ppaurora.mpc.kernels.library import COUNT, WORDS, function
from ppaurora.mpc.kernels.source import EXCHANGE_NAME, SUBTRACT_NAME
from ppaurora.mpc.words import Words


def subtract(upper: Words, lower: Words, out: Words) -> None:
    """Write upper - lower to the vector `out`."""
    if not (out.flags.writeable and _compiled(SUBTRACT_NAME, upper, lower, out)):
        out[:] = (upper - lower).reshape(-1)


def exchange(upper: Words, lower: Words, moved: Words) -> None:
    """upper -= moved and lower += moved, in place, for the vector `moved`."""
    writeable = upper.flags.writeable and lower.flags.writeable
    if not (writeable and _compiled(EXCHANGE_NAME, upper, lower, moved)):
        t = moved.reshape(upper.shape)
        upper -= t
        lower += t


def _compiled(name: str, upper: Words, lower: Words, vector: Words) -> bool:
    """Whether the library has done it: not for places of which no two lie side by side."""
    compiled = function(name, WORDS, WORDS, WORDS, COUNT, COUNT, COUNT)
    alike = upper.shape == lower.shape and upper.strides == lower.strides
    if compiled is None or not alike or upper.ndim > 2 or upper.strides[-1] != upper.itemsize:
        return False
    if vector.size != upper.size or not vector.flags.c_contiguous:
        return False
    rows = len(upper) if upper.ndim == 2 else 1
    stride = upper.strides[0] // upper.itemsize
    compiled(at(upper[:1]), at(lower[:1]), at(vector), rows, upper.shape[-1], stride)
    return True
