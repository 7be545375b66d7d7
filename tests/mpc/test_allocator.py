"""The allocator takes the advice to keep freed memory if it is glibc's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ppaurora.mpc.session import keep_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_freed_memory_is_kept_where_glibc_is() -> None:
    loaded = Path("/proc/self/maps").read_text()
    assert keep_freed_memory() is ("libc.so.6" in loaded)


COUNT_HEAPS = """
import ctypes, threading
from contextlib import suppress
from ppaurora.mpc import Role
from ppaurora.mpc.session import open_session

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
libc.free.argtypes = libc.fclose.argtypes = [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]

def connect():
    thread = threading.Thread(target=lambda: libc.free(libc.malloc(1 << 20)))
    thread.start()
    thread.join()
    raise ConnectionError

with suppress(ConnectionError), open_session(Role.P0, connect, None, lasting_key=bytes(32)):
    pass
file = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(not keep_freed_memory(), reason="glibc only")
def test_the_threads_that_a_session_starts_have_no_heap_of_their_own() -> None:
    command = [sys.executable, "-c", COUNT_HEAPS]
    told = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60).stdout
    assert told.count("<heap nr=") == 1
