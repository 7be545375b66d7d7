"""The allocator takes the advice to keep freed memory if it is glibc's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ppaurora.mpc.allocator import keep_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_freed_memory_is_kept_where_glibc_is() -> None:
    loaded = Path("/proc/self/maps").read_text()
    assert keep_freed_memory() is ("libc.so.6" in loaded)
