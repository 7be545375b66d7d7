"""Expecting a fault of a server's own disk, of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ppaurora.parties.errors import DiskCode, DiskFault


@contextmanager
def disk_fault(
    code: DiskCode, match: str | None = None
) -> Iterator[pytest.ExceptionInfo[DiskFault]]:
    """Expect a `DiskFault` with this code, whose words match."""
    with pytest.raises(DiskFault, match=match) as caught:
        yield caught
    assert caught.value.code is code
