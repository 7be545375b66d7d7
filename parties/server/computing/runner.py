"""Computing at one server: a few sessions at a time, each reserved first, then run, then freed.

A server agrees to a session by reserving it. It agrees to as many as its operator allows, of
different studies and on different link ports. The runs of a covert study follow each other within
one reserved session.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ppaurora.mpc.errors import AuroraError, CheatingDetected, LocalProtocolError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits, Link
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.link_proxy import LINK_CAPS
from ppaurora.mpc.link.zeromq import CONNECTING
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused, OwnFault, PolicyRefusal, UnsoundLists
from ppaurora.parties.evidence.proof import check_runs_agree
from ppaurora.parties.requests.messages import KnownVerdict
from ppaurora.parties.requests.result_parts import RunPart, together
from ppaurora.parties.requests.session_facts import ServerFacts
from ppaurora.parties.requests.status import Computing
from ppaurora.parties.server.computing.progress import Progress
from ppaurora.parties.server.computing.session_keys import SessionKeys, named_keys, written
from ppaurora.parties.server.computing.study_session import Outcome, compute, run_limits
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.verdict_records import KeptVerdicts, verdicts_digest
from ppaurora.parties.server.watching.counts import (
    BEGUN,
    ENDED,
    FAILED,
    LINK_BYTES,
    SECONDS,
    Counts,
)
from ppaurora.parties.server.watching.logs import LogLevel, lines_about, log, log_unexpected
from ppaurora.parties.study.rule import StoredUpload, lists_refused, sizes_refused
from ppaurora.parties.study.runs import StudyRun, holders, proxy_runs, runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions

RESERVED_SECONDS = 5.0
CHEATING = (CheatingDetected, EvidenceRefused)
"""Errors by which a server notices that another one cheats, or fails, in a covert study."""


@dataclass(slots=True)
class Reservation:
    """A session that this server has agreed to compute, or computes.

    It lapses at `until` if it was not started by then.
    """

    study: Study
    server: Role
    session: bytes
    roster: tuple[StoredUpload, ...]
    options: Options
    keys: SessionKeys
    progress: Progress
    until: float
    verdicts: tuple[KnownVerdict, ...] = ()
    slot: int = 0
    running: bool = False
    given_up: str = ""
    links: Mapping[Role, Link] = field(default_factory=dict)

    @property
    def stands(self) -> bool:
        """True if the session runs, or may still be started."""
        return self.running or self.until > time.monotonic()

    @property
    def ports(self) -> frozenset[int]:
        """The ports on which this server waits for its peers."""
        slots = self.study.server(self.server).slots
        return frozenset(slots[self.slot] if slots else ())

    def keep_links(self, links: Mapping[Role, Link]) -> None:
        """Remember the links of the session while it runs."""
        self.links = links
        if self.given_up:
            self.give_way(self.given_up)

    def give_way(self, why: str = "P0 has begun another one") -> None:
        """Have the session end: P0, which leads it, has given it up, or for another reason."""
        self.given_up = why
        for link in self.links.values():
            link.declare_lost(f"is over with this session: {why}")


class SessionRunner:
    """Computes so many `sessions` at a time, each on so many `threads`.

    `lock` keeps requests from changing what it computes on.
    """

    def __init__(
        self,
        identity: Identity,
        store: Store,
        host: str,
        limits: Limits,
        link_caps: Caps = LINK_CAPS,
        *,
        threads: int = 1,
        sessions: int = 1,
        bulk: bool = True,
        counts: Counts | None = None,
    ) -> None:
        self.lock = threading.RLock()
        self._counts = counts or Counts()
        self.identity = identity
        self._store = store
        self._host = host
        self._limits = limits
        self._link_caps = link_caps
        self._threads = threads
        self._bulk = bulk
        self._sessions = sessions
        self._reserved: dict[bytes, Reservation] = {}
        self._failures: dict[bytes, str] = {}
        self._tries: Counter[bytes] = Counter()

    # -- reserving ---------------------------------------------------------------------------------

    def reserve(
        self,
        study: Study,
        server: Role,
        session: bytes,
        roster: tuple[StoredUpload, ...],
        conditions: Conditions,
        keys: SessionKeys | None = None,
        *,
        verdicts: tuple[KnownVerdict, ...] = (),
        slot: int = 0,
    ) -> bool:
        """Agree to compute this session; False while others take this server, or its link ports.

        By the conditions all three servers choose the sort, where the study leaves it open. `keys`
        are the servers' in this session; without them, those that the study names. `verdicts` are
        those that are known of the uploads.

        P0 leads one session of a study at a time. If one runs here that P0 has given up, which a
        broken line may have kept from being heard, that one ends, and P0's next try succeeds. One
        that was only reserved gives its place to the next.
        Raises `RosterRefused` if the study was computed on too many other rosters before.
        """
        keys = keys or named_keys(study)
        with self.lock:
            self._store.rosters.check(study, roster, written(study, keys))
            if self._store.ended(study):
                return False
            earlier = self._of(study)
            if earlier is not None and earlier.running:
                if earlier.server is server:
                    earlier.give_way()
                return False
            until = time.monotonic() + RESERVED_SECONDS
            options = replace(study.options, conditions=conditions)
            sizes = [size for one in roster for size in one.sizes]
            progress = Progress(session, options, sizes, len(runs_of(study)))
            wanted = Reservation(
                study, server, session, roster, options, keys, progress, until, verdicts, slot
            )
            others = [one for one in self._reserved.values() if one.stands and one is not earlier]
            taken = len(others) >= self._sessions or session in [one.session for one in others]
            if taken or any(one.ports & wanted.ports for one in others):
                return False
            self._reserved = {one.session: one for one in (*others, wanted)}
            return True

    def free_slots(self, study: Study, role: Role) -> tuple[int, ...]:
        """In which slots of the study's link ports this server could wait for its peers now."""
        with self.lock:
            others = [one for one in self._reserved.values() if one.stands]
            if len(others) >= self._sessions:
                return ()
            taken = {port for one in others for port in one.ports}
        slots = study.server(role).slots[: study.slots]
        return tuple(place for place, ports in enumerate(slots) if not taken & set(ports))

    def _of(self, study: Study) -> Reservation | None:
        """The study's session that runs or may be started."""
        with self.lock:
            return next(
                (
                    one
                    for one in self._reserved.values()
                    if one.study.hash == study.hash and one.stands
                ),
                None,
            )

    def start(self, session: bytes) -> bool:
        """Compute the reserved session in a thread; False if it is not the reserved one."""
        with self.lock:
            reserved = self._reserved.get(session)
            if reserved is None or reserved.running:
                return False
            if self._store.ended(reserved.study):
                return False
            carry_on = contextvars.copy_context().run
            run = threading.Thread(target=carry_on, args=(self._run_quietly, reserved), daemon=True)
            run.start()  # if the system gives no thread, the session lapses
            reserved.running = True
            return True

    def run(self, session: bytes) -> None:
        """Compute the reserved session in this thread; raises what goes wrong."""
        with self.lock:
            reserved = self._reserved.get(session)
            if reserved is None:
                raise LocalProtocolError("a session is run that was not reserved")
            if why := self._store.ended(reserved.study):
                raise PolicyRefusal(f"The study is not computed: {why}")
            reserved.running = True
        self._run(reserved)

    def free(self, session: bytes) -> None:
        """Be free for another session, whether this one ran or not."""
        with self.lock:
            self._reserved.pop(session, None)

    def busy_with(self, study: Study) -> bool:
        """True if this study is being computed, or about to be."""
        return self._of(study) is not None

    def break_off(self, study: Study) -> None:
        """Have the study's session end: this server's operator has ended the study."""
        with self.lock:
            found = self._of(study)
            if found is not None and found.running:
                found.give_way("the study was ended here by its operator")

    def progress(self, study: Study) -> Computing | None:
        """Progress of the study's session, if one runs."""
        found = self._of(study)
        return found.progress.told() if found is not None and found.running else None

    def failure(self, study: Study) -> str:
        """Last failure, in one sentence; empty if there was none."""
        return self._failures.get(study.hash, "")

    # -- the session -------------------------------------------------------------------------------

    def _run_quietly(self, reserved: Reservation) -> None:
        # the log and the status tell what went wrong, and P0 starts a new session
        with contextlib.suppress(AuroraError), lines_about(""):
            self._run(reserved)

    def _run(self, reserved: Reservation) -> None:
        study, session = reserved.study, reserved.session.hex()[:8]
        log(
            "session starts",
            study=study.id,
            session=session,
            role=str(reserved.server),
            lists=len(reserved.roster),
            samples=sum(one.samples for one in reserved.roster),
        )
        self._counts.add(BEGUN)
        begun = time.monotonic()
        try:
            self._store.audit.record(
                "session begins",
                study=study.id,
                session=reserved.session.hex(),
                owners=", ".join(one.owner for one in reserved.roster),
            )
            self._store.rosters.use(study, reserved.roster, written(study, reserved.keys))
            self._store.verdicts.repeated(study, reserved.roster, reserved.verdicts)
            outcomes = [self._run_once(reserved, run) for run in runs_of(study)]
            check_runs_agree([one.about.agreed for one in outcomes])
            if reserved.server in holders(study):
                self._keep(reserved, outcomes)
        except AuroraError as error:
            self._counts.add(FAILED)
            self._note_try(study, error.step)
            self._failures[study.hash] = str(error)
            if isinstance(error, CHEATING) and len(runs_of(study)) > 1:
                self._store.halts.add(study, reserved.session, error.what)
            self._store.halts.checking(study, reserved.session, False)
            log(
                "session failed",
                level=LogLevel.WARNING,
                peer=study.address_of(error.peer),
                study=study.id,
                session=session,
                error=str(error),
            )
            raise
        except Exception as error:
            self._counts.add(FAILED)
            self._store.halts.checking(study, reserved.session, False)
            log_unexpected("session failed", error, study=study.id, session=session)
            fault = OwnFault(
                f"{reserved.server} failed internally ({type(error).__name__})",
                advice="Its log says more to its operator.",
                session=session,
            )
            self._failures[study.hash] = str(fault)
            raise fault from error
        else:
            for outcome in outcomes:
                self._count(outcome.about.server)
            self._counts.add(ENDED)
            self._failures.pop(study.hash, None)
            self._note_try(study, "")
            log(
                "session ends",
                study=study.id,
                session=session,
                seconds=round(time.monotonic() - begun, 3),
            )
        finally:
            self._store.halts.add_broken(study, reserved.session)
            self.free(reserved.session)

    def _run_once(self, reserved: Reservation, run: StudyRun) -> Outcome:
        """One of the study's runs, at this server."""
        reserved.progress.begin_run(run.number)
        tries = self._tries[run.study.hash]
        with told_of_servers(run):
            return compute(
                run,
                reserved.server,
                self.identity,
                run.session(reserved.session),
                reserved.roster,
                lambda upload: self._store.read_share(run.study, upload),
                host=self._host,
                limits=run_limits(self._limits, run, reserved.server, tries),
                link_caps=self._link_caps,
                options=reserved.options,
                progress=reserved.progress,
                slot=reserved.slot,
                on_links=reserved.keep_links,
                given_up=lambda: bool(reserved.given_up),
                audit_head=lambda: self._store.audit.head,
                keys=reserved.keys,
                computation=reserved.session,
                threads=self._threads,
                bulk=self._bulk,
                checking=partial(self._store.halts.checking, run.study, reserved.session),
                verdicts=KeptVerdicts.of(
                    self._store.verdicts,
                    run,
                    reserved.session,
                    reserved.roster,
                    reserved.verdicts,
                ),
                verdicts_known=verdicts_digest(reserved.verdicts),
            )

    def _note_try(self, study: Study, step: str) -> None:
        """Count sessions of the study that fail in a row while they connect."""
        if step == CONNECTING:
            self._tries[study.hash] += 1
        else:
            self._tries.pop(study.hash, None)

    def _count(self, facts: ServerFacts | None) -> None:
        """Count the figures of a run that ended, unless they depend on the data."""
        if facts is not None:
            self._counts.add(SECONDS, by=facts.seconds)
            self._counts.add(LINK_BYTES, by=sum(link.bytes for link in facts.links.values()))

    def _keep(self, reserved: Reservation, outcomes: Sequence[Outcome]) -> None:
        """Store this server's shares of the result, of each run in which it is a proxy.

        If too few lists were sound, nothing is stored and the unsound ones are deleted, so that
        their owners can upload them again. So it is after a covert computation, which stops at an
        unsound list.
        """
        study = reserved.study
        refused = outcomes[0].about.agreed.refused
        sound = [one for one in reserved.roster if one.owner not in refused]
        missing = sizes_refused(study, {one.owner: one.samples for one in sound})
        missing = missing or lists_refused(study, sound)
        own = [outcomes[run.number] for run in proxy_runs(study, reserved.server)]
        words, about = together([RunPart(one.share, one.about) for one in own])
        if words and not missing:
            self._store.audit.record("computed", study=study.id, session=reserved.session.hex())
            self._store.put_result(study, reserved.session, words, about, sound)
            return
        for owner in refused:
            self._store.refuse_upload(study, owner)
        names = ", ".join(refused)
        now = missing or "the others are computed on without them"
        raise UnsoundLists(
            f"The lists of {names} were refused: not {study.options.pipeline.sound}; now {now}",
            advice="These owners upload again with an unchanged ppaurora.",
            session=reserved.session.hex()[:8],
        )


@contextlib.contextmanager
def told_of_servers(run: StudyRun) -> Iterator[None]:
    """Have errors name the peer by its role in the study, and tell whose role is whose in the run.

    The run itself names everybody by the roles in it.
    """
    servers = {str(role): str(run.place(role)) for role in Role}
    try:
        yield
    except AuroraError as error:
        error.peer = servers.get(error.peer, error.peer)
        if run.number:
            roles = ", ".join(f"{server} is {role}" for role, server in servers.items())
            error.what = f"{error.what} [run {run.title}, in which {roles}]"
        raise
