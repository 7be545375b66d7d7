"""Keeping freed memory in the process: blocks come and go by the megabyte, hop after hop.

glibc gives large freed blocks back to the system, and every new one is then zeroed page by page;
on whole vectors that costs more than the arithmetic. Elsewhere than on glibc nothing happens.
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
    """Tell the allocator to reuse what is freed; whether it took the advice. Once a process."""
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
