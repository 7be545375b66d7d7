"""Advice to the C library's allocator: keep the memory that the process frees, and reuse it.

In every hop vectors of megabytes are allocated and freed. glibc gives such large blocks back to the
system, which zeroes each new one page by page; that costs more than the arithmetic on them. A heap
of its own for each thread would keep the memory that only another thread asks for. With another C
library than glibc nothing happens.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGEST_MMAP_THRESHOLD = 32 << 20
_KEEP = (1 << 31) - 1


@cache
def keep_freed_memory() -> bool:
    """Advise the allocator, once a process; True if it has taken the advice.

    A thread that has a heap of its own by then keeps it, and later ones may be given it: the advice
    belongs before the first thread.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all(
        [
            mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD),
            mallopt(_TRIM_THRESHOLD, _KEEP),
            mallopt(_ARENA_MAX, 1),
        ]
    )
