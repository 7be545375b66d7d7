"""The proof that a covert computation has no result, which a receiver shows and a server checks.

A receiver who cannot put a result together shows one of two things, and each server judges by
itself what it shows:

- the statements and both opened shares of two runs that do not come to the same;
- the statements of one run, and a share that one of its proxies has handed out and signed, which is
  not the one that all three servers have put their names to.

What proves neither proves nothing, and no server stops because of it.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ppaurora.mpc.errors import CheatingDetected, RemoteProtocolError
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.evidence.commitment import hand_out, is_handed_out
from ppaurora.parties.evidence.proof import (
    Evidence,
    Proven,
    check_runs_agree,
    opens,
    proven,
    shares_of,
)
from ppaurora.parties.evidence.statement import ServerKeys, Statement, checked
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.requests.result_parts import RunPart
from ppaurora.parties.requests.session_facts import Signed
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.runs import StudyRun, holders, proxy_runs, runs_of
from ppaurora.parties.study.study import Study

WORD_BYTES = 8


@dataclass(frozen=True, slots=True)
class HandedShare(JsonDocument):
    """All that a server has handed out, in hexadecimal digits, and its signature under it."""

    server: str
    words: str
    signature: str


@dataclass(frozen=True, slots=True)
class Openings(JsonDocument):
    """A receiver's report: evidence of runs by their numbers, and a share that opens nothing.

    With a `handed` share there is one run, of which the statements are enough.
    """

    runs: Mapping[str, Evidence]
    handed: HandedShare | None


def what_differs(
    study: Study, computation: bytes, shown: Openings, receiver: PublicKey, in_force: KeysInForce
) -> str:
    """The mismatch that the openings prove, in words; raises `EvidenceRefused` if they prove none.

    `receiver` is who shows them. A share counts as handed out if it is signed by a key that is in
    force today: who has stolen an older one makes no proofs with it.
    """
    keys = in_force.ever_of_servers(study)
    today = {server.role: in_force.accepted(server.public) for server in study.servers}
    runs = {str(run.number): run for run in runs_of(study)}
    if not shown.runs.keys() <= runs.keys():
        raise EvidenceRefused("The report shows runs that the study does not have")
    chosen = [(runs[name], shown.runs[name]) for name in sorted(shown.runs)]
    if shown.handed is not None:
        if len(chosen) != 1:
            raise EvidenceRefused("The report of one share does not show one run")
        run, evidence = chosen[0]
        statement = _statement(run, computation, evidence.statements, keys)
        return _unopened(run, computation, shown.handed, statement, receiver, today)
    proofs = []
    for run, one in chosen:
        _statement(run, computation, one.statements, keys)
        proofs.append(proven(run, one.statements, shares_of(one), keys))
    if len(proofs) < 2:
        raise EvidenceRefused("The report does not show two runs")
    if difference := _difference(proofs):
        return difference
    raise EvidenceRefused("The runs that the report shows come to the same result")


def openings_of(
    study: Study,
    parts: Sequence[ResultPart],
    held: Sequence[Mapping[Role, RunPart]],
    keys: ServerKeys,
) -> Openings | None:
    """The openings that prove a mismatch to others; None if these parts prove none.

    `parts` are what the holders of shares have handed out and signed, and `held` the same by runs
    and roles.
    """
    computation = parts[0].session
    by_server = dict(zip(holders(study), parts, strict=True))
    sound: list[tuple[StudyRun, Evidence, Proven]] = []
    for run, own in zip(runs_of(study), held, strict=True):
        statements, statement = _valid(run, computation, own, keys)
        if statement is None:
            continue
        for role in PROXIES:
            if not opens(run, statement, role, own[role].words):
                server = run.place(role)
                part = by_server[server]
                handed = HandedShare(str(server), _text(part.words), part.signature.hex())
                return Openings({str(run.number): Evidence(statements, {})}, handed)
        with contextlib.suppress(RemoteProtocolError):
            shares = {role: own[role].words for role in PROXIES}
            proof = proven(run, statements, shares, keys)
            sound.append((run, proof.evidence, proof))
    for two in combinations(sound, 2):
        if _difference([proof for _, _, proof in two]):
            return Openings({str(run.number): evidence for run, evidence, _ in two}, None)
    return None


def _valid(
    run: StudyRun, computation: bytes, own: Mapping[Role, RunPart], keys: ServerKeys
) -> tuple[Mapping[str, Signed], Statement | None]:
    """The statements of a run, as one of its proxies tells them, if one tells sound ones."""
    for role in PROXIES:
        statements = own[role].facts.statements
        try:
            return statements, _statement(run, computation, statements, keys)
        except EvidenceRefused:
            continue
    return {}, None


def _statement(
    run: StudyRun, computation: bytes, statements: Mapping[str, Signed], keys: ServerKeys
) -> Statement:
    """The statement of all three servers about this run of the computation."""
    statement = checked(statements, run, keys)[Role.P0]
    if statement.computation != computation.hex() or statement.agreed.study != run.study.hash.hex():
        raise EvidenceRefused(f"The statements of run {run.title} are of another computation")
    return statement


def _difference(proofs: Sequence[Proven]) -> str:
    """The difference between these runs, in words; empty if there is none."""
    try:
        check_runs_agree([proof.agreed for proof in proofs])
    except CheatingDetected as error:
        return error.what
    same = all(proof.words == proofs[0].words for proof in proofs)
    return "" if same else "the runs do not give the same result"


def _unopened(
    run: StudyRun,
    computation: bytes,
    handed: HandedShare,
    statement: Statement,
    receiver: PublicKey,
    keys: ServerKeys,
) -> str:
    """The sentence that a proxy has handed out another share than its own of this run."""
    study = run.study
    server = next((role for role in Role if str(role) == handed.server), None)
    runs = proxy_runs(study, server) if server is not None else ()
    if server is None or run not in runs:
        raise EvidenceRefused("The share in the report is of no proxy of that run")
    try:
        data, signature = bytes.fromhex(handed.words), bytes.fromhex(handed.signature)
        words = struct.unpack(f">{len(data) // WORD_BYTES}Q", data)
    except (ValueError, struct.error):
        raise EvidenceRefused("The share in the report cannot be read") from None
    if not is_handed_out(
        signature, hand_out(study.hash, computation, receiver, words), keys[server]
    ):
        raise EvidenceRefused(f"{server} has not signed the share in the report for this receiver")
    size, place = len(words) // len(runs), runs.index(run)
    if opens(run, statement, run.role(server), words[place * size : (place + 1) * size]):
        raise EvidenceRefused(f"The share of {server} in the report is the one that it is bound to")
    return f"{server} has handed out a share that is not the one it is bound to"


def _text(words: Sequence[int]) -> str:
    return struct.pack(f">{len(words)}Q", *words).hex()
