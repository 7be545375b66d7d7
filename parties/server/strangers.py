"""Counting the strangers whom one server turned away, from its lines in the audit log."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from ppaurora.mpc.link.listening_proxy import AUDIT, rejected_address
from ppaurora.parties.server.counts import STRANGERS, Counts
from ppaurora.parties.server.logs import own_server

__all__ = ["strangers_counted"]


class StrangersOf(logging.Handler):
    """Counts every line about a stranger of one server, those too that are not written."""

    def __init__(self, server: str, counts: Counts) -> None:
        super().__init__()
        self._server = server
        self._counts = counts

    def emit(self, record: logging.LogRecord) -> None:
        if own_server() == self._server and rejected_address(record):
            self._counts.add(STRANGERS)


@contextlib.contextmanager
def strangers_counted(server: str, counts: Counts) -> Iterator[None]:
    """Count this server's strangers for as long as the block lasts."""
    counting = StrangersOf(server, counts)
    AUDIT.addHandler(counting)
    try:
        yield
    finally:
        AUDIT.removeHandler(counting)
