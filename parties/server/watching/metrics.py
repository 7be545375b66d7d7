"""The page `/metrics`, made at most once a second however often it is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from http import HTTPStatus

from ppaurora.parties.requests.local_pages import LocalPage
from ppaurora.parties.server.watching.counts import Counts, Gauge
from ppaurora.parties.server.watching.exposition import exposition

__all__ = ["MetricsPage"]

KEPT_SECONDS = 1.0
NOT_INSTALLED = LocalPage(
    HTTPStatus.NOT_IMPLEMENTED,
    'Metrics need prometheus_client: run `pip install ".[ops]"` in your clone of the repository, '
    "then restart this server.\n",
)


class MetricsPage:
    """One server's metrics; one thread asks for them."""

    def __init__(
        self,
        counts: Counts,
        gauges: Sequence[Gauge],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._counts = counts
        self._gauges = gauges
        self._now = now
        self._page = NOT_INSTALLED
        self._made_at = -KEPT_SECONDS

    def page(self) -> LocalPage:
        """The metrics, or what to install where their library is missing."""
        if self._now() - self._made_at >= KEPT_SECONDS:
            self._page, self._made_at = self._made(), self._now()
        return self._page

    def _made(self) -> LocalPage:
        try:
            from prometheus_client import CONTENT_TYPE_LATEST
        except ModuleNotFoundError:
            return NOT_INSTALLED
        return LocalPage(HTTPStatus.OK, exposition(self._counts, self._gauges), CONTENT_TYPE_LATEST)
