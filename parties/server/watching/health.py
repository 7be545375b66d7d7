"""Liveness and readiness of a server.

The thread that answers requests looks around once a second: at the time, and whether the state
folder can be written. A look that is too old says that this thread does nothing any more.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path

from ppaurora.parties.requests.local_pages import LocalPage

STANDS_STILL_SECONDS = 120.0
"""A request takes seconds at most, even with a disk that is slow."""
TRIED_BYTES = 4096


class Health:
    """Health of one server; `look` is for the thread that answers requests."""

    def __init__(
        self,
        state: Path,
        studies: Callable[[], int],
        listens: Callable[[], bool],
        now: Callable[[], float] = time.monotonic,
        faults: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """`faults` are sentences about single studies, which the pages add."""
        self._state = state
        self._studies = studies
        self._listens = listens
        self._now = now
        self._faults = faults
        self._looked_at = now()
        self._state_fault = "the state folder has not been looked at yet"
        self._leading: threading.Thread | None = None
        self.free_bytes = 0

    def leads_in(self, thread: threading.Thread) -> None:
        """This thread leads the server's studies."""
        self._leading = thread

    def look(self) -> None:
        """Try to write to the state folder, a file without a name, and note when that was."""
        try:
            with tempfile.TemporaryFile(dir=self._state, buffering=0) as file:
                file.write(bytes(TRIED_BYTES))
            self.free_bytes = shutil.disk_usage(self._state).free
            self._state_fault = ""
        except OSError as error:
            self._state_fault = f"the state folder cannot be written: {error.strerror}"
        self._looked_at = self._now()

    def fault(self) -> str:
        """Part of this server that has stopped, so that only a restart helps; empty if none has."""
        if self._leading is None or not self._leading.is_alive():
            return "the thread that leads studies does not run"
        if not self._listens():
            return "the port of requests is closed"
        still = self._now() - self._looked_at
        if still > STANDS_STILL_SECONDS:
            return f"the thread that answers requests has stood still for {still:.0f} seconds"
        return ""

    def obstacle(self) -> str:
        """Reason why this server cannot be used now; empty if it can."""
        if fault := self.fault():
            return fault
        return self._state_fault if self._studies() else "no study is served"

    def healthz(self) -> LocalPage:
        """The page for whoever restarts a server that has stopped."""
        return _page(self.fault(), self._faults())

    def readyz(self) -> LocalPage:
        """The page for whoever waits until a server is of use."""
        return _page(self.obstacle(), self._faults())


def _page(why: str, faults: Sequence[str]) -> LocalPage:
    status = HTTPStatus.SERVICE_UNAVAILABLE if why else HTTPStatus.OK
    return LocalPage(status, "".join(f"{line}\n" for line in (why or "ok", *faults)))
