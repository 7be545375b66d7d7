"""A server's one place to compute: reserved, used by one session at a time, and freed again."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass

from ppaurora.mpc.errors import AuroraError, LocalProtocolError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import OwnFault, UnsoundLists
from ppaurora.parties.requests.messages import Holding
from ppaurora.parties.requests.session_facts import Agreed, SessionFacts
from ppaurora.parties.requests.status import Computing
from ppaurora.parties.server.logs import log, log_unexpected
from ppaurora.parties.server.progress import Progress
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.study_session import Outcome, compute, software
from ppaurora.parties.study.rule import too_few
from ppaurora.parties.study.study import Study

__all__ = ["SessionRunner"]

RESERVED_SECONDS = 5.0


@dataclass(slots=True)
class Slot:
    """The session that this server is about to compute, or computes."""

    study: Study
    role: Role
    session: bytes
    roster: tuple[Holding, ...]
    progress: Progress
    until: float
    running: bool = False


class SessionRunner:
    """Computes one session at a time; `lock` keeps requests from changing what it computes on."""

    def __init__(self, identity: Identity, store: Store, host: str, limits: Limits) -> None:
        self.lock = threading.RLock()
        self._identity = identity
        self._store = store
        self._host = host
        self._limits = limits
        self._slot: Slot | None = None
        self._failures: dict[bytes, str] = {}

    # -- the slot ----------------------------------------------------------------------------------

    def reserve(
        self, study: Study, role: Role, session: bytes, roster: tuple[Holding, ...]
    ) -> bool:
        """Keep the place for this session; False while another one has it."""
        with self.lock:
            slot = self._slot
            if slot is not None and (slot.running or slot.until > time.monotonic()):
                return False
            progress = Progress(session, study.options, [one.samples for one in roster])
            until = time.monotonic() + RESERVED_SECONDS
            self._slot = Slot(study, role, session, roster, progress, until)
            return True

    def start(self, session: bytes) -> bool:
        """Compute the reserved session in a thread; False if it is not the reserved one."""
        with self.lock:
            slot = self._slot
            if slot is None or slot.session != session or slot.running:
                return False
            slot.running = True
            threading.Thread(target=self._run_quietly, args=(slot,), daemon=True).start()
            return True

    def run(self, session: bytes) -> None:
        """Compute the reserved session here and now; raises what goes wrong."""
        with self.lock:
            slot = self._slot
            if slot is None or slot.session != session:
                raise LocalProtocolError("a session that has no place")
            slot.running = True
        self._run(slot)

    def free(self, session: bytes) -> None:
        """Give the place up."""
        with self.lock:
            if self._slot is not None and self._slot.session == session:
                self._slot = None

    def busy_with(self, study: Study) -> bool:
        """Whether this study is being computed, or about to be."""
        with self.lock:
            slot = self._slot
            if slot is None or slot.study.hash != study.hash:
                return False
            return slot.running or slot.until > time.monotonic()

    def progress(self, study: Study) -> Computing | None:
        """How far the study's session is, if one runs."""
        with self.lock:
            slot = self._slot
            if slot is None or not slot.running or slot.study.hash != study.hash:
                return None
            return Computing(**slot.progress.told())

    def failure(self, study: Study) -> str:
        """What went wrong last, in one sentence; empty when nothing did."""
        return self._failures.get(study.hash, "")

    # -- the session -------------------------------------------------------------------------------

    def _run_quietly(self, slot: Slot) -> None:
        # an error is told in the log and in the status; P0 starts anew
        with contextlib.suppress(AuroraError):
            self._run(slot)

    def _run(self, slot: Slot) -> None:
        study, session = slot.study, slot.session.hex()[:8]
        log(
            "session starts",
            study=study.id,
            session=session,
            role=str(slot.role),
            lists=len(slot.roster),
            samples=sum(one.samples for one in slot.roster),
        )
        begun = time.monotonic()
        try:
            outcome = compute(
                study,
                slot.role,
                self._identity,
                slot.session,
                slot.roster,
                lambda upload: self._store.read_share(study, upload),
                host=self._host,
                limits=self._limits,
                progress=slot.progress,
            )
            if slot.role is not Role.HELPER:
                self._keep(slot, outcome)
        except AuroraError as error:
            self._failures[study.hash] = str(error)
            log("session failed", study=study.id, session=session, error=str(error))
            raise
        except Exception as error:
            log_unexpected("session failed", error, study=study.id, session=session)
            fault = OwnFault(
                f"{slot.role} met a fault of its own, an unexpected {type(error).__name__}",
                advice="Its log says more to its operator.",
                session=session,
            )
            self._failures[study.hash] = str(fault)
            raise fault from error
        else:
            self._failures.pop(study.hash, None)
            log(
                "session ends",
                study=study.id,
                session=session,
                seconds=round(time.monotonic() - begun, 3),
            )
        finally:
            self.free(slot.session)

    def _keep(self, slot: Slot, outcome: Outcome) -> None:
        """Store this proxy's shares; where too few lists were sound, store nothing."""
        study = slot.study
        sound = [one for one in slot.roster if one.owner not in outcome.refused]
        missing = too_few(study, len(sound), outcome.samples)
        if not missing:
            about = _about(slot, outcome).to_json()
            self._store.put_result(study, slot.session, outcome.words, about, sound)
            return
        for owner in outcome.refused:
            self._store.refuse_upload(study, owner)
        names = ", ".join(outcome.refused)
        raise UnsoundLists(
            f"The lists of {names} were refused: unsorted or out of range; now {missing}",
            advice="These owners upload again with an unchanged ppaurora.",
            session=slot.session.hex()[:8],
        )


def _about(slot: Slot, outcome: Outcome) -> SessionFacts:
    """What this proxy says about the session."""
    agreed = Agreed(
        study=slot.study.hash.hex(),
        session=slot.session.hex(),
        owners=tuple((one.owner, one.samples) for one in slot.roster),
        refused=outcome.refused,
        samples=outcome.samples,
        software=software(),
    )
    return SessionFacts(agreed, outcome.facts)
