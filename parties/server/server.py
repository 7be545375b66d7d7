"""One of the three servers: a long-running process that answers requests and computes.

It serves all studies of its site at once, keeps its state on the disk, and may be stopped or killed
at any moment. `Server` can also be started inside a test.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.primitives.carry import fill_session_tables
from ppaurora.mpc.streams import gcm_is_quicker
from ppaurora.parties.build import build
from ppaurora.parties.errors import ConfigurationError, DiskFault, KeyFault
from ppaurora.parties.requests.listener import Incoming, RequestListener
from ppaurora.parties.requests.listening import ListeningPlace, OwnAddresses, common_place
from ppaurora.parties.requests.local_pages import LocalPage, LocalPages
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.answering.studies import ServedStudies, check_own
from ppaurora.parties.server.answering.study_files import StudyFiles
from ppaurora.parties.server.computing.leader import StudyLeader
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.study_session import new_session_limits
from ppaurora.parties.server.keeping.expiry import expire
from ppaurora.parties.server.keeping.key_watch import KeyWatch
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import EXCHANGE_SECONDS, Clock
from ppaurora.parties.server.watching.counts import Counts, gauges
from ppaurora.parties.server.watching.descriptors import port_caps, raise_the_limit, the_limit
from ppaurora.parties.server.watching.health import Health
from ppaurora.parties.server.watching.logs import (
    LogLevel,
    lines_about,
    lines_of,
    log,
    log_often,
    log_unexpected,
)
from ppaurora.parties.server.watching.metrics import MetricsPage
from ppaurora.parties.server.watching.runtime_lines import (
    log_everything_as_json,
    refusals_counted,
)
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import OptionRefused

POLL_SECONDS = 0.25
SETTLING_SECONDS = 0.2
"""Between the two looks at a watched folder before a server starts."""
EXPIRY_SECONDS = 1.0


class Server:
    """The server of one site, for all its studies: what `ppaurora server` runs.

    `folder` holds the files that `simulate(..., folder=folder)` leaves. `serve` serves until `stop`
    is called, `running` for as long as a block of code runs.

    >>> with Server(Site.load(folder / "P0.toml")).running() as server:
    ...     server.place == server.studies is None
    False
    """

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
        self.identity = own_identity(site)
        self.name = fingerprint(self.identity.public)
        self._addresses = OwnAddresses()
        with lines_of(self.name), contextlib.ExitStack() as opened:
            self._keys = KeyWatch(site.keys, self.identity.public, self._clock.now)
            keys = self._keys.in_force()
            named = load_studies(site, self.identity, keys)
            files, acceptances = (
                StudyFiles(site.watched, site.named),
                Acceptances(site.server.state),
            )
            studies = list(named.values())
            if site.watched and not studies:
                studies = _accepted_files(files, acceptances, self.identity, keys)[:1]
            self.listening = self._listening_place(studies)
            self._open(opened, named, files, acceptances)
            opened.pop_all()

    def _open(
        self,
        opened: contextlib.ExitStack,
        named: Mapping[Path, Study],
        files: StudyFiles,
        acceptances: Acceptances,
    ) -> None:
        """Open everything that `serve` closes; what was opened so far is closed by `opened`."""
        site = self._site
        caps = port_caps(the_limit(), site.server.sessions)
        self._store = Store(
            site.server.state,
            self._clock.now,
            secrets=site.server.secrets,
            encrypt=site.server.encrypt,
        )
        opened.callback(self._store.close)
        self._pages = LocalPages(*site.server.health) if site.server.health else None
        if self._pages is not None:
            opened.callback(self._pages.close)
        self._runner = SessionRunner(
            self.identity,
            self._store,
            self.listening.host,
            new_session_limits(site.server.patience),
            caps.link,
            threads=site.server.threads,
            sessions=site.server.sessions,
            bulk=site.server.bulk,
            counts=self._counts,
        )
        self.studies = ServedStudies(
            self.identity.public,
            named,
            files,
            acceptances,
            self._store,
            self._misplaced,
            self._runner.busy_with,
            self._keys.in_force,
            self._keys.holds_back,
            self._runner.break_off,
        )
        for study in self.studies.values():
            self._keys.set_aside(study, self._store)
        self._store.check_records()
        self._leader = StudyLeader(
            self.identity,
            self._store,
            self._runner,
            self.studies.values,
            self._clock,
            self._exchange_seconds,
            sessions=site.server.sessions,
            megabits=site.server.megabits,
            keys=self._keys.in_force,
            follower=self.studies.follower,
            on_newer=self.studies.served_by_other_proxy,
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
            not_served=self.studies.why_not,
            keys=self._keys.in_force,
            on_newer=self.studies.served_by_other_proxy,
            version=acceptances.find,
        )
        self._listener = RequestListener(
            self.identity, *self.place, self.studies.admits, caps.requests
        )
        self._health = Health(
            site.server.state,
            lambda: len(self.studies),
            lambda: self._listener.open,
            faults=lambda: [
                *self.studies.faults,
                *self._keys.faults,
                *self._store.audit.faults,
            ],
        )

    @property
    def place(self) -> tuple[str, int]:
        """The address and port of requests."""
        return self.listening.host, self.listening.port

    def serve(self) -> None:
        """Answer and compute until `stop` is called."""
        with lines_of(self.name), refusals_counted(self.name, self._counts):
            log(
                "server starts",
                build=build(),
                listens=str(self.listening),
                why=self.listening.why,
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
        expired_at, expiring = 0.0, None
        # whoever asks for a sign of life does not wait until somebody else's request is answered
        answering = ThreadPoolExecutor(1, "answering")
        try:
            while not self._stopping.is_set():
                incoming = self._listener.receive(POLL_SECONDS)
                if incoming is not None:
                    answering.submit(copy_context().run, self._answer, incoming)
                due = time.monotonic() - expired_at > EXPIRY_SECONDS
                if due and (expiring is None or expiring.done()):
                    expired_at = time.monotonic()
                    expiring = answering.submit(copy_context().run, self._expire)
        finally:
            answering.shutdown(cancel_futures=True)
            if self._pages is not None:
                self._pages.close()
            self._listener.close()
            self._store.close()

    def _local_pages(self) -> dict[str, Callable[[], LocalPage]]:
        served, halts = self.studies, self._store.halts
        read = (lambda: len(served), self._keys.days_left, lambda: halts.count(served.values()))
        return {
            "/healthz": self._health.healthz,
            "/readyz": self._health.readyz,
            "/metrics": MetricsPage(self._counts, gauges(self._health, *read)).page,
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

    def _listening_place(self, studies: Sequence[Study]) -> ListeningPlace:
        """Address to listen at: the site's, or else the studies'."""
        if self._site.server.listen is not None:
            return ListeningPlace(*self._site.server.listen, "[server] listen")
        return common_place([self._place_in(study) for study in studies])

    def _place_in(self, study: Study) -> ListeningPlace:
        """Address to listen at for this server's address in the study."""
        role = self._keys.in_force().role_of(study, self.identity.public)
        assert role is not None
        server = study.server(role)
        return self._addresses.place(server.host, server.port)

    def _misplaced(self, study: Study) -> str:
        """Reason why a study cannot be served where this server listens; empty if it can."""
        if self._site.server.listen is not None or self.listening.serves(self._place_in(study)):
            return ""
        return (
            f"Study {study.id} has this server at {self._place_in(study)}, but it listens at "
            f"{self.listening}: say in site.toml where to listen, and start it again"
        )

    def _expire(self) -> None:
        """Look for studies and statements about keys that come and go; delete what is to go."""
        if self._pages is not None:
            self._health.look()
        try:
            with self._runner.lock:
                self.studies.look()
                self._keys.look(self.studies.values(), self._store)
                studies, busy = self.studies.values(), self._runner.busy_with
                expire(studies, self._store, self._keys, self._clock, busy)
        except DiskFault as error:
            log_often("disk fault", level=LogLevel.ERROR, error=str(error))
        except Exception as error:
            log_unexpected("expiry failed", error)


def load_studies(
    site: Site, identity: Identity, keys: KeysInForce | None = None
) -> dict[Path, Study]:
    """The studies that site.toml names; in each this key must be one of the servers.

    A file that cannot be followed stops its own study only, and is told in the log; if none is
    left, its error is raised.
    """
    studies: dict[Path, Study] = {}
    faults: list[AuroraError] = []
    for path in site.named:
        try:
            studies[path] = _load_study(path, identity, keys or KeysInForce())
        except (ConfigurationError, OptionRefused, KeyFault) as error:
            faults.append(error)
            log("study not served", level=LogLevel.ERROR, file=path.name, error=str(error))
    if faults and not studies and not site.watched:
        raise faults[0]
    return studies


def _load_study(path: Path, identity: Identity, keys: KeysInForce) -> Study:
    study = Study.load(path)
    check_own(study, identity.public, path, keys)
    return study


def _accepted_files(
    files: StudyFiles, acceptances: Acceptances, identity: Identity, keys: KeysInForce
) -> list[Study]:
    """Accepted studies of this server in the watched folders, the first accepted first."""
    files.look()
    time.sleep(SETTLING_SECONDS)
    found = [one.study for one in files.look().values() if one.study is not None]
    own = [study for study in found if keys.role_of(study, identity.public) is not None]
    accepted = [study for study in own if acceptances.find(study.hash) is not None]
    return sorted(accepted, key=acceptances.at)


def _thread(run: Callable[..., None], *given: object) -> threading.Thread:
    """A thread whose lines are of the server that starts it."""
    return threading.Thread(target=copy_context().run, args=(run, *given), daemon=True)


def run_server(site_path: Path) -> None:
    """Serve until SIGTERM or SIGINT."""
    log_everything_as_json()
    raise_the_limit()
    server = Server(Site.load(site_path))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    fill_session_tables()
    gcm_is_quicker()  # found out now, and not in the first session
    gc.freeze()  # what was loaded stays: no session waits while it is looked through for garbage
    server.serve()
