"""The client of a data owner or a receiver: upload, ask, withdraw, fetch.

    owner = Participant.of(Path("site.toml"))
    owner.outsource(read(Path("scores.csv"), owner.study.scores))
    result = owner.result(wait=600)

Sending the same list again is harmless: the shares are derived from the list and the owner's
private key, so they are the same shares again, and of another list they would be others.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words
from ppaurora.parties.errors import DataError, KeyFault, PeerRefused, TooEarly, Unreachable
from ppaurora.parties.reports.result import Result, combine
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import (
    CHUNK_BYTES,
    AskCompute,
    AskResult,
    AskStatus,
    BeginUpload,
    CommitUpload,
    Document,
    Done,
    Received,
    ResultPart,
    ResultSaved,
    SendChunk,
    Withdraw,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.site.key_files import load_identity
from ppaurora.parties.site.policy import check_samples, check_study
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.reader import Labelled
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.encoding import encode
from ppaurora.protocols.lists.outsourcing import SEED_BYTES, SeedShare, WordShare, split

__all__ = ["Participant", "Prepared"]

UPLOAD_BYTES = 16
PATIENCE = 20.0
RETRY_SECONDS = 20.0
POLL_SECONDS = 0.3
UPLOAD_DOMAIN = b"ppAURORA upload 1\0"

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An owner's list in its two parts, ready to be sent."""

    upload: bytes
    for_p0: SeedShare
    for_p1: WordShare

    @property
    def samples(self) -> int:
        return self.for_p1.length

    @property
    def size(self) -> int:
        """The bytes that travel in all."""
        return SEED_BYTES + 8 * self.samples


class Participant:
    """One participant of one study, speaking to its servers."""

    def __init__(self, identity: Identity, study: Study, policy: Policy | None = None) -> None:
        self.study = study
        self.identity = identity
        self._policy = policy or Policy()
        self.role = study.role_of(identity.public)
        _check_known(identity, study)
        self._clients: dict[Role, ServerClient] = {}

    @classmethod
    def of(cls, site_path: Path, study_path: Path | None = None) -> Self:
        """The participant whose site file this is."""
        site = Site.load(site_path)
        study = Study.load(study_path or site.only_study)
        return cls(load_identity(site.key), study, site.policy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def participant(self) -> ParticipantEntry:
        """Who this is, among those who upload and receive."""
        found = self.study.participant_of(self.identity.public)
        if found is None:
            raise KeyFault(
                f"You are {self.role} in this study, which neither uploads nor receives",
                advice="Use the site file of an owner or a receiver.",
            )
        return found

    @property
    def name(self) -> str:
        """Who this is, a server or a participant."""
        return self.participant.name if self.role is None else str(self.role)

    def close(self) -> None:
        """Hang up."""
        for client in self._clients.values():
            client.__exit__()
        self._clients.clear()

    # -- uploading ---------------------------------------------------------------------------------

    def prepare(self, table: Labelled) -> Prepared:
        """Check everything that can be checked here, and split the list; sends nothing."""
        if not self.participant.uploads:
            raise KeyFault(
                f"{self.participant.name} receives the result but uploads nothing in this study",
                advice="See [[participants]] in study.toml.",
            )
        check_study(self._policy, self.study)
        check_samples(self._policy, len(table))
        if not len(table):
            raise DataError("The list is empty", advice="Give a list with at least one sample.")
        scores = self.study.scores
        try:
            keys = encode(
                table.scores,
                table.labels,
                code=scores.code,
                direction=scores.direction,
                positive=1,
                negative=0,
            )
        except DataRefused as refusal:
            raise DataError(refusal.what, advice=_encoding_advice(scores.code)) from None
        seed, upload = _derive(self.identity, self.study, keys)
        for_p0, for_p1 = split(keys, seed)
        return Prepared(upload, for_p0, for_p1)

    def outsource(self, table: Labelled, report: Report | None = None) -> Prepared:
        """Check, split and send; once this returns, both proxies have stored their part."""
        prepared = self.prepare(table)
        self.send(prepared, report)
        return prepared

    def send(self, prepared: Prepared, report: Report | None = None) -> None:
        """Send what was prepared; an interrupted upload goes on where it was."""
        self._patiently(lambda: self._send(prepared, report))

    def _send(self, prepared: Prepared, report: Report | None) -> None:
        parts = {Role.P0: prepared.for_p0.to_bytes(), Role.P1: prepared.for_p1.to_bytes()}
        # both are willing before either gets anything
        begun = {role: self._begin(prepared, role, data) for role, data in parts.items()}
        sent = {role: there.size for role, there in begun.items()}
        for role, there in begun.items():
            data = parts[role]
            while not there.stored and there.size < len(data):
                chunk = data[there.size : there.size + CHUNK_BYTES]
                request = SendChunk(prepared.upload, there.size, chunk)
                there = self._ask(role, request, Received)
                sent[role] = there.size
                if report is not None:
                    report(sum(sent.values()), prepared.size)
        # P0 comes last: with its answer the upload counts
        for role in (Role.P1, Role.P0):
            self._ask(role, CommitUpload(prepared.upload), Received)
        if report is not None:
            report(prepared.size, prepared.size)

    def _begin(self, prepared: Prepared, role: Role, data: bytes) -> Received:
        digest = hashlib.sha256(data).digest()
        request = BeginUpload(prepared.upload, prepared.samples, len(data), digest)
        there: Received = self._ask(role, request, Received)
        return there

    def withdraw(self) -> None:
        """Have both proxies delete this owner's upload, before it is computed on."""
        for role in (Role.P0, Role.P1):
            self._patiently(lambda role=role: self._ask(role, Withdraw(), Done))  # type: ignore[misc]

    # -- asking ------------------------------------------------------------------------------------

    def status(self) -> dict[str, dict[str, Any]]:
        """What each server says; of one that does not answer, why."""
        told: dict[str, dict[str, Any]] = {}
        for role in Role:
            try:
                told[str(role)] = json.loads(self._ask(role, AskStatus(), Document).text)
            except AuroraError as error:
                told[str(role)] = {"state": "not answering", "error": str(error)}
        return told

    def compute(self) -> None:
        """Ask P0 to start; a study that starts by itself needs no asking."""
        self._ask(Role.P0, AskCompute(), Done)

    def progress(self) -> dict[str, Any]:
        """What P0 says of the study at this moment."""
        answer: dict[str, Any] = json.loads(self._ask(Role.P0, AskStatus(), Document).text)
        return answer

    def result(
        self, wait: float = 0.0, watch: Callable[[dict[str, Any]], None] | None = None
    ) -> Result:
        """The result, put together here; waits up to `wait` seconds for it."""
        until = time.monotonic() + wait
        while True:
            try:
                return self._fetch()
            except (TooEarly, Unreachable):
                if time.monotonic() >= until:
                    raise
            if watch is not None:
                try:
                    watch(self.progress())
                except AuroraError:
                    watch({"state": "P0 does not answer", "progress": None})
            time.sleep(POLL_SECONDS)

    def saved(self, result: Result) -> None:
        """Tell both proxies that the result is kept here, so that they need not keep it."""
        for role in (Role.P0, Role.P1):
            self._ask(role, ResultSaved(result.session), Done)

    def _fetch(self) -> Result:
        first = self._ask(Role.P0, AskResult(b""), ResultPart)
        second = self._ask(Role.P1, AskResult(first.session), ResultPart)
        return combine(self.study, first, second)

    # -- speaking ----------------------------------------------------------------------------------

    def _ask(self, role: Role, request: Any, answer: Any) -> Any:
        client = self._clients.get(role)
        if client is None:
            client = self._clients[role] = ServerClient(self.identity, self.study, role)
        return client.ask(request, answer, patience=PATIENCE)

    def _patiently(self, action: Callable[[], Any]) -> None:
        """Once more when a server went away in between, for as long as a restart may take."""
        reached = False
        until = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                if not reached:
                    self.progress()
                    reached = True
                action()
                return
            except (Unreachable, PeerRefused) as error:
                lost = isinstance(error, Unreachable) or error.code == Code.DAMAGED
                if not (lost and reached) or time.monotonic() > until:
                    raise
                time.sleep(POLL_SECONDS)


def _check_known(identity: Identity, study: Study) -> None:
    if not study.knows(identity.public):
        raise KeyFault(
            f"Your key {fingerprint(identity.public)} is not in study {study.id}",
            advice="Send the line of `ppaurora keys show` to the study's author, "
            "or name the right key in site.toml.",
        )


def _derive(identity: Identity, study: Study, keys: Words) -> tuple[bytes, bytes]:
    """P0's seed and the upload's name: pseudorandom, the same for the same list and study.

    HKDF-SHA256 of the owner's private key; info binds the study and the sorted list. Nobody without
    the private key can tell either from random, and two different lists never share a seed.
    """
    content = hashlib.sha256(np.sort(keys).astype("<u8").tobytes()).digest()
    derived = HKDF(
        algorithm=hashes.SHA256(),
        length=SEED_BYTES + UPLOAD_BYTES,
        salt=None,
        info=UPLOAD_DOMAIN + study.hash + content,
    ).derive(identity.private_bytes())
    return derived[:SEED_BYTES], derived[SEED_BYTES:]


def _encoding_advice(code: str) -> str:
    if code == "unit":
        return (
            "Correct these rows; if the scores are no probabilities, the study needs "
            'code = "real" under [scores].'
        )
    return "Correct these rows; nothing was sent."
