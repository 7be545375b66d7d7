"""Computing at one server: one session at a time, reserved first, then run, then freed.

A server agrees to a session by reserving it; while it does, it agrees to no other one.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ppaurora.mpc.errors import AuroraError, LocalProtocolError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits, Link
from ppaurora.mpc.link.link_door import STRANGERS
from ppaurora.mpc.link.places import Caps
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import OwnFault, UnsoundLists
from ppaurora.parties.requests.session_facts import ServerFacts
from ppaurora.parties.requests.status import Computing
from ppaurora.parties.server.counts import BEGUN, ENDED, FAILED, LINK_BYTES, SECONDS, Counts
from ppaurora.parties.server.logs import LogLevel, lines_about, log, log_unexpected
from ppaurora.parties.server.peer_address import peer_address
from ppaurora.parties.server.progress import Progress
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.study_session import Outcome, compute
from ppaurora.parties.study.holding import Holding
from ppaurora.parties.study.rule import folds_refused, sizes_refused
from ppaurora.parties.study.study import Study
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions

__all__ = ["SessionRunner"]

RESERVED_SECONDS = 5.0


@dataclass(slots=True)
class Reservation:
    """The session that this server has agreed to compute, or computes.

    It lapses at `until` if it was not started by then.
    """

    study: Study
    role: Role
    session: bytes
    roster: tuple[Holding, ...]
    options: Options
    progress: Progress
    until: float
    running: bool = False
    links: Mapping[Role, Link] = field(default_factory=dict)

    def keep_links(self, links: Mapping[Role, Link]) -> None:
        """Remember the links of the session while it runs."""
        self.links = links

    def give_way(self) -> None:
        """Have the session end: P0, which leads it, has given it up and proposes another one."""
        for link in self.links.values():
            link.declare_lost("is over with this session: P0 has begun another one")


class SessionRunner:
    """Computes one session at a time; `lock` keeps requests from changing what it computes on."""

    def __init__(
        self,
        identity: Identity,
        store: Store,
        host: str,
        limits: Limits,
        strangers: Caps = STRANGERS,
        *,
        threads: int = 1,
        bulk: bool = True,
        counts: Counts | None = None,
    ) -> None:
        self.lock = threading.RLock()
        self._counts = counts or Counts()
        self._identity = identity
        self._store = store
        self._host = host
        self._limits = limits
        self._strangers = strangers
        self._threads = threads
        self._bulk = bulk
        self._reserved: Reservation | None = None
        self._failures: dict[bytes, str] = {}

    # -- reserving ---------------------------------------------------------------------------------

    def reserve(
        self,
        study: Study,
        role: Role,
        session: bytes,
        roster: tuple[Holding, ...],
        conditions: Conditions,
    ) -> bool:
        """Agree to compute this session; False while this server is reserved for another one.

        By the conditions all three servers choose the sort, where the study leaves it open.

        P0 leads one session of a study at a time. If one runs here that P0 has given up, which a
        broken line may have kept from being heard, that one ends, and P0's next try succeeds.
        Raises `RosterRefused` if the study was computed on too many other rosters before.
        """
        with self.lock:
            self._store.rosters.check(study, roster)
            reserved = self._reserved
            if reserved is not None and (reserved.running or reserved.until > time.monotonic()):
                if (reserved.study.hash, reserved.role) == (study.hash, role):
                    reserved.give_way()
                return False
            options = replace(study.options, conditions=conditions)
            sizes = [size for one in roster for size in one.sizes]
            progress = Progress(session, options, sizes)
            until = time.monotonic() + RESERVED_SECONDS
            self._reserved = Reservation(study, role, session, roster, options, progress, until)
            return True

    def start(self, session: bytes) -> bool:
        """Compute the reserved session in a thread; False if it is not the reserved one."""
        with self.lock:
            reserved = self._reserved
            if reserved is None or reserved.session != session or reserved.running:
                return False
            reserved.running = True
            carry_on = contextvars.copy_context().run
            run = threading.Thread(target=carry_on, args=(self._run_quietly, reserved), daemon=True)
            run.start()
            return True

    def run(self, session: bytes) -> None:
        """Compute the reserved session in this thread; raises what goes wrong."""
        with self.lock:
            reserved = self._reserved
            if reserved is None or reserved.session != session:
                raise LocalProtocolError("a session is run that was not reserved")
            reserved.running = True
        self._run(reserved)

    def free(self, session: bytes) -> None:
        """Be free for another session, whether this one ran or not."""
        with self.lock:
            if self._reserved is not None and self._reserved.session == session:
                self._reserved = None

    def busy_with(self, study: Study) -> bool:
        """Whether this study is being computed, or about to be."""
        with self.lock:
            reserved = self._reserved
            if reserved is None or reserved.study.hash != study.hash:
                return False
            return reserved.running or reserved.until > time.monotonic()

    def progress(self, study: Study) -> Computing | None:
        """How far the study's session is, if one runs."""
        with self.lock:
            reserved = self._reserved
            if reserved is None or not reserved.running or reserved.study.hash != study.hash:
                return None
            return reserved.progress.told()

    def failure(self, study: Study) -> str:
        """What went wrong last, in one sentence; empty when nothing did."""
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
            role=str(reserved.role),
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
            self._store.rosters.use(study, reserved.roster)
            outcome = compute(
                study,
                reserved.role,
                self._identity,
                reserved.session,
                reserved.roster,
                lambda upload: self._store.read_share(study, upload),
                host=self._host,
                limits=self._limits,
                strangers=self._strangers,
                options=reserved.options,
                progress=reserved.progress,
                on_links=reserved.keep_links,
                audit_head=lambda: self._store.audit.head,
                threads=self._threads,
                bulk=self._bulk,
            )
            if reserved.role is not Role.HELPER:
                self._keep(reserved, outcome)
        except AuroraError as error:
            self._counts.add(FAILED)
            self._failures[study.hash] = str(error)
            log(
                "session failed",
                level=LogLevel.WARNING,
                peer=peer_address(study, error.peer),
                study=study.id,
                session=session,
                error=str(error),
            )
            raise
        except Exception as error:
            self._counts.add(FAILED)
            log_unexpected("session failed", error, study=study.id, session=session)
            fault = OwnFault(
                f"{reserved.role} met a fault of its own, an unexpected {type(error).__name__}",
                advice="Its log says more to its operator.",
                session=session,
            )
            self._failures[study.hash] = str(fault)
            raise fault from error
        else:
            self._count(outcome.about.server)
            self._failures.pop(study.hash, None)
            log(
                "session ends",
                study=study.id,
                session=session,
                seconds=round(time.monotonic() - begun, 3),
            )
        finally:
            self.free(reserved.session)

    def _count(self, facts: ServerFacts | None) -> None:
        """Count a session that ended, and its figures unless they depend on the data."""
        self._counts.add(ENDED)
        if facts is not None:
            self._counts.add(SECONDS, by=facts.seconds)
            self._counts.add(LINK_BYTES, by=sum(link.bytes for link in facts.links.values()))

    def _keep(self, reserved: Reservation, outcome: Outcome) -> None:
        """Store this proxy's shares of the result.

        If too few lists were sound, nothing is stored and the unsound ones are deleted, so that
        their owners can upload them again.
        """
        study = reserved.study
        refused = outcome.about.agreed.refused
        sound = [one for one in reserved.roster if one.owner not in refused]
        missing = sizes_refused(study, {one.owner: one.samples for one in sound})
        missing = missing or folds_refused(study, sound)
        if not missing:
            about = outcome.about.to_json()
            self._store.audit.record("computed", study=study.id, session=reserved.session.hex())
            self._store.put_result(study, reserved.session, outcome.share, about, sound)
            return
        for owner in refused:
            self._store.refuse_upload(study, owner)
        names = ", ".join(refused)
        raise UnsoundLists(
            f"The lists of {names} were refused: not {study.options.pipeline.sound}; now {missing}",
            advice="These owners upload again with an unchanged ppaurora.",
            session=reserved.session.hex()[:8],
        )
