"""Log lines of the runtime, such as of refused connections: taken over, and counted."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from ppaurora.mpc.link.listening_proxy import AUDIT, rejected_address
from ppaurora.parties.server.watching.counts import REFUSED, Counts
from ppaurora.parties.server.watching.logs import LogLevel, log_often, own_server


class RefusedConnections(logging.Handler):
    """Counts every refused connection of one server, those too of which no line is written."""

    def __init__(self, server: str, counts: Counts) -> None:
        super().__init__()
        self._server = server
        self._counts = counts

    def emit(self, record: logging.LogRecord) -> None:
        if own_server() == self._server and rejected_address(record):
            self._counts.add(REFUSED)


@contextlib.contextmanager
def refusals_counted(server: str, counts: Counts) -> Iterator[None]:
    """Count this server's refused connections for as long as the block lasts."""
    counting = RefusedConnections(server, counts)
    AUDIT.addHandler(counting)
    try:
        yield
    finally:
        AUDIT.removeHandler(counting)


class JsonHandler(logging.Handler):
    """Brings what the runtime logs (refused connections) into the same structured log."""

    def emit(self, record: logging.LogRecord) -> None:
        who = rejected_address(record)
        log_often(
            "connection refused" if record.name.endswith("audit") else "runtime",
            of=f"{record.msg} {who}",
            level=_level(record.levelno),
            peer=who,
            detail=record.getMessage(),
        )


def _level(number: int) -> LogLevel:
    if number < logging.WARNING:
        return LogLevel.INFO
    return LogLevel.WARNING if number < logging.ERROR else LogLevel.ERROR


def log_everything_as_json() -> None:
    """Once a process: the runtime's own log lines take the same form."""
    logger = logging.getLogger("ppaurora")
    logger.handlers = [JsonHandler()]
    logger.propagate = False
    logger.setLevel(logging.INFO)
