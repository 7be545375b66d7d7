"""One of the three servers: a long-running process that answers requests and computes.

It serves all studies of its site at once, keeps its state on the disk, and may be stopped or killed
at any moment. `Server` can also be started inside a test.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link.audit import stranger_of
from ppaurora.parties.errors import ConfigurationError, DiskFault, KeyFault
from ppaurora.parties.requests.listener import Incoming, RequestListener
from ppaurora.parties.requests.local_pages import LocalPage, LocalPages
from ppaurora.parties.server.clock import EXCHANGE_SECONDS, Clock
from ppaurora.parties.server.counts import Counts
from ppaurora.parties.server.descriptors import port_caps, raise_the_limit, the_limit
from ppaurora.parties.server.gauges import gauges
from ppaurora.parties.server.handler import RequestHandler
from ppaurora.parties.server.health import Health
from ppaurora.parties.server.leader import StudyLeader
from ppaurora.parties.server.logs import (
    LogLevel,
    lines_about,
    lines_of,
    log,
    log_often,
    log_unexpected,
)
from ppaurora.parties.server.metrics import MetricsPage
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.strangers import strangers_counted
from ppaurora.parties.server.study_session import new_session_limits
from ppaurora.parties.site.key_files import (
    load_identity,
)
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import OptionRefused

__all__ = ["Server"]

POLL_SECONDS = 0.25
SWEEP_SECONDS = 1.0


class Server:
    """The server of one site, for all its studies: what `ppaurora server` runs."""

    def __init__(
        self,
        site: Site,
        clock: Clock | None = None,
        exchange_seconds: float = EXCHANGE_SECONDS,
    ) -> None:
        self._site = site
        self._clock = clock or Clock()
        self._exchange_seconds = exchange_seconds
        self._counts = Counts()
        self._stopping = threading.Event()
        self.identity = load_identity(site.key)
        self.name = fingerprint(self.identity.public)
        with lines_of(self.name), contextlib.ExitStack() as opened:
            self.studies = load_studies(site, self.identity)
            self.place = _listening_place(site, self.identity, self.studies)
            self._open(opened)
            opened.pop_all()

    def _open(self, opened: contextlib.ExitStack) -> None:
        """Open everything that `serve` closes; what was opened so far is closed by `opened`."""
        site = self._site
        caps = port_caps(the_limit())
        self._store = Store(
            site.server.state,
            self._clock.now,
            secrets=site.server.secrets,
            encrypt=site.server.encrypt,
        )
        opened.callback(self._store.close)
        self._register_studies()
        self._pages = LocalPages(*site.server.health) if site.server.health else None
        if self._pages is not None:
            opened.callback(self._pages.close)
        self._runner = SessionRunner(
            self.identity,
            self._store,
            self.place[0],
            new_session_limits(site.server.patience),
            caps.link,
            threads=site.server.threads,
            bulk=site.server.bulk,
            counts=self._counts,
        )
        self._leader = StudyLeader(
            self.identity,
            self._store,
            self._runner,
            lambda: tuple(self.studies.values()),
            self._clock,
            self._exchange_seconds,
        )
        self._handler = RequestHandler(
            self.identity.public,
            self.studies,
            self._store,
            self._runner,
            most_samples=site.server.most_samples,
            on_change=self._leader.wake,
            clock=self._clock,
            obstacle=self._leader.obstacle,
            counts=self._counts,
        )
        self._listener = RequestListener(self.identity, *self.place, self._admits, caps.requests)
        self._health = Health(
            site.server.state, lambda: len(self.studies), lambda: self._listener.open
        )

    def serve(self) -> None:
        """Answer and compute until `stop` is called."""
        with lines_of(self.name), strangers_counted(self.name, self._counts):
            log(
                "server starts",
                listens=f"{self.place[0]}:{self.place[1]}",
                studies=" ".join(sorted(self.studies)),
            )
            try:
                self._serve()
            finally:
                log("server stops")

    def _serve(self) -> None:
        leading = _thread(self._leader.run, self._stopping)
        self._health.leads_in(leading)
        leading.start()
        if self._pages is not None:
            self._health.look()
            self._pages.start(self._local_pages())
        swept, sweeping = 0.0, None
        # whoever asks for a sign of life does not wait until somebody else's request is answered
        answering = ThreadPoolExecutor(1, "answering")
        try:
            while not self._stopping.is_set():
                incoming = self._listener.receive(POLL_SECONDS)
                if incoming is not None:
                    answering.submit(copy_context().run, self._answer, incoming)
                due = time.monotonic() - swept > SWEEP_SECONDS
                if due and (sweeping is None or sweeping.done()):
                    swept = time.monotonic()
                    sweeping = answering.submit(copy_context().run, self._sweep)
        finally:
            answering.shutdown(cancel_futures=True)
            if self._pages is not None:
                self._pages.close()
            self._listener.close()
            self._store.close()

    def _local_pages(self) -> dict[str, Callable[[], LocalPage]]:
        metrics = MetricsPage(self._counts, gauges(self._health, lambda: len(self.studies)))
        return {
            "/healthz": self._health.healthz,
            "/readyz": self._health.readyz,
            "/metrics": metrics.page,
        }

    def stop(self) -> None:
        """End `serve` soon; may be called from a signal handler or another thread."""
        self._stopping.set()

    @contextlib.contextmanager
    def running(self) -> Iterator[Server]:
        """Serve in a thread for as long as the block lasts."""
        thread = threading.Thread(target=self.serve, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.stop()
            thread.join()

    def _answer(self, incoming: Incoming) -> None:
        with lines_about(incoming.address):
            try:
                reply = self._handler.answer(incoming.public, incoming.payload)
            except Exception as error:  # whoever asked waits in vain; the log says why
                log_unexpected("request failed", error)
            else:
                self._listener.reply(incoming, reply)

    def _admits(self, exchange: bytes) -> bool:
        return any(study.holder_of(exchange) for study in self.studies.values())

    def _register_studies(self) -> None:
        """Open what is stored of each study; one that was changed under its data is not served."""
        faults = []
        for study in list(self.studies.values()):
            try:
                self._store.register(study)
            except ConfigurationError as error:
                del self.studies[study.id]
                faults.append(error)
                log("study not served", level=LogLevel.ERROR, study=study.id, error=str(error))
        if faults and not self.studies:
            raise faults[0]
        self._store.check_records()

    def _sweep(self) -> None:
        """Delete what was kept for the studies' retention time, unless it is computed on now."""
        if self._pages is not None:
            self._health.look()
        try:
            with self._runner.lock:
                for study in self.studies.values():
                    self._store.drop_unsent(study)
                    idle = self._clock.believed(study.hash) and not self._runner.busy_with(study)
                    if idle and self._store.expire(study, self._clock.now()):
                        log("retention time over", study=study.id)
        except DiskFault as error:
            log_often("disk fault", level=LogLevel.ERROR, error=str(error))
        except Exception as error:
            log_unexpected("sweep failed", error)


def load_studies(site: Site, identity: Identity) -> dict[str, Study]:
    """The site's studies by id, in each of which this key must be one of the servers.

    A file that cannot be followed stops its own study only, and is told in the log; if none is
    left, its error is raised.
    """
    studies: dict[str, Study] = {}
    faults: list[AuroraError] = []
    for path in site.studies:
        try:
            study = _load_study(path, identity)
            if study.id in studies:
                raise ConfigurationError(
                    f"Two study files have the id {study.id}",
                    advice="Give each study an id of its own.",
                )
            studies[study.id] = study
        except (ConfigurationError, OptionRefused, KeyFault) as error:
            faults.append(error)
            log("study not served", level=LogLevel.ERROR, file=path.name, error=str(error))
    if faults and not studies:
        raise faults[0]
    return studies


def _load_study(path: Path, identity: Identity) -> Study:
    study = Study.load(path)
    if study.role_of(identity.public) is None:
        raise KeyFault(
            f"This server's key {fingerprint(identity.public)} is not a server's in {path}",
            advice="Give study.toml's author the line of `ppaurora keys show`.",
        )
    return study


def _listening_place(site: Site, identity: Identity, studies: dict[str, Study]) -> tuple[str, int]:
    """Where to listen: what the site says, or else the port that the studies give."""
    if site.server.listen is not None:
        return site.server.listen
    places = set()
    for study in studies.values():
        role = study.role_of(identity.public)
        assert role is not None
        places.add((study.server(role).host, study.server(role).port))
    if len(places) != 1:
        raise ConfigurationError(
            "The studies give this server different addresses",
            advice='Say in site.toml where to listen: [server] listen = "host:port".',
        )
    host, port = places.pop()
    return ("127.0.0.1" if _is_loopback(host) else "0.0.0.0"), port


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _thread(run: Callable[..., None], *given: object) -> threading.Thread:
    """A thread whose lines are of the server that starts it."""
    return threading.Thread(target=copy_context().run, args=(run, *given), daemon=True)


class JsonHandler(logging.Handler):
    """Brings what the runtime logs (refused connections) into the same structured log."""

    def emit(self, record: logging.LogRecord) -> None:
        who = stranger_of(record)
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


def run_server(site_path: Path) -> None:
    """Serve until SIGTERM or SIGINT."""
    import signal

    log_everything_as_json()
    raise_the_limit()
    server = Server(Site.load(site_path))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    server.serve()
