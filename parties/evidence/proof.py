"""Proof by the statements and shares of a session: its values, and the facts agreed about it.

In each run of a covert study another server deals, and the other two hold the shares. So one
server alone cannot bring about the same wrong number in all runs, unless the dealings that it
falsified are not opened. If the runs disagree, somebody cheats or fails.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice

from ppaurora.mpc.committed import same_in_all
from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused, ProxiesDisagree
from ppaurora.parties.evidence.commitment import BLIND_WORDS, commitment
from ppaurora.parties.evidence.statement import ServerKeys, Statement, checked
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.learnt import with_schedule
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import Ledger, deviation, ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Released
from ppaurora.protocols.sorting.sort import Conditions

WORD_BYTES = 8


@dataclass(frozen=True, slots=True)
class Evidence(JsonDocument):
    """The part of a saved result that anybody can check: the statements, and both shares.

    A share is its words and then its blind, each as 16 hexadecimal digits.
    """

    statements: Mapping[str, Signed]
    shares: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Proven:
    """The facts that all three servers signed about a session, and the values that follow.

    `keys` are the servers' in that session, by their roles in the study.
    """

    agreed: Agreed
    keys: Mapping[Role, PublicKey]
    words: tuple[int, ...] = field(repr=False)
    values: dict[str, Released]
    ledger: Ledger
    evidence: Evidence


def proven(
    run: StudyRun,
    statements: Mapping[str, Signed],
    shares: Mapping[Role, tuple[int, ...]],
    keys: ServerKeys | None = None,
) -> Proven:
    """Check these statements and shares of this run; raises an error where they do not agree.

    `keys` are those that the servers may have had in the session; without them, those that the
    study names.
    """
    study, stated = run.study, checked(statements, run, keys)
    agreed = stated[Role.P0].agreed
    count = sum(statistic.words(study.options.decimals) for statistic in study.options.statistics)
    if (
        agreed.study != study.hash.hex()
        or any(len(words) != count + BLIND_WORDS for words in shares.values())
        or not set(agreed.refused) <= set(dict(agreed.owners))
    ):
        raise ProxiesDisagree(
            "What the servers sent is not about this study, so it is not used",
            advice="Ask their operators to look at their logs, then fetch it again.",
        )
    for role, words in shares.items():
        if any(not 0 <= word < 1 << 64 for word in words):
            raise DocumentRefused("A proxy sends a share that is no word")
        if not opens(run, stated[role], role, words):
            raise EvidenceRefused(
                f"The share of {role} is not the one to which all three servers have put their "
                "names",
                advice="It was changed, or the proxy sent another one; do not use the result.",
            )
    learnt = session_ledger(study, agreed)
    if stated[Role.P0].ledger != ledger_digest(learnt):
        raise EvidenceRefused(
            "The servers have signed another ledger than the one of this study",
            advice="Compare the versions of ppaurora here and at the servers.",
        )
    pooled = _added(shares[Role.P0][:count], shares[Role.P1][:count])
    values = _values(study.options, pooled, agreed)
    texts = {str(role): _text(words) for role, words in shares.items()}
    publics = {
        run.place(role): PublicKey.from_bytes(bytes.fromhex(stated[role].keys[str(role)]))
        for role in Role
    }
    return Proven(agreed, publics, pooled, values, learnt, Evidence(statements, texts))


def opens(run: StudyRun, statement: Statement, role: Role, words: Sequence[int]) -> bool:
    """Return whether this share with its blind is the one of `role` in the statement."""
    session = bytes.fromhex(statement.agreed.session)
    return statement.shares[str(role)] == commitment(run.study.hash, session, role, words)


def shares_of(evidence: Evidence) -> dict[Role, tuple[int, ...]]:
    """Both shares of the result; raises `EvidenceRefused` if one is missing or unreadable."""
    words_of = {}
    for role in PROXIES:
        try:
            data = bytes.fromhex(evidence.shares[str(role)])
            words_of[role] = struct.unpack(f">{len(data) // WORD_BYTES}Q", data)
        except (KeyError, ValueError, struct.error):
            raise EvidenceRefused(f"The share of {role} is missing or cannot be read") from None
    return words_of


def session_ledger(study: Study, agreed: Agreed) -> Ledger:
    """The ledger of this session, made from the facts agreed about it.

    What a deviating server can learn is said of the study as it was agreed: where P0 chooses the
    sort, a session that it broke off before may have had another one.
    """
    names = [name for name, _ in agreed.owners]
    lists = _sizes(study, agreed)
    sizes = [size for own in lists for size in own]
    sound = [
        size
        for name, own in zip(names, lists, strict=True)
        if name not in agreed.refused
        for size in own
    ]
    try:
        conditions = Conditions(agreed.round_trip_us, agreed.megabits)
    except ValueError:
        raise DocumentRefused("The proxies tell of a network that is none") from None
    options = replace(study.options, conditions=conditions).decided(sound)
    learnt = ledger(options, sizes, refused=[names.index(one) for one in agreed.refused])
    return with_schedule(study, replace(learnt, deviation=deviation(study.options)))


def _sizes(study: Study, agreed: Agreed) -> list[tuple[int, ...]]:
    """The sizes of each owner's lists, of which an upload may have several."""
    samples = [size for _, size in agreed.owners]
    pipeline = study.options.pipeline
    if not pipeline.folded:
        return [(size,) for size in samples]
    each = [len(own) == pipeline.lists_each for own in agreed.folds]
    if not all(each) or [*map(sum, agreed.folds)] != samples:
        raise DocumentRefused("The proxies tell of folds that do not make the lists")
    return list(agreed.folds)


def ledger_digest(learnt: Ledger) -> str:
    """SHA-256 of a ledger, in hexadecimal digits."""
    return sha256(json.dumps(learnt.to_json(), sort_keys=True).encode()).hexdigest()


def _added(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The words whose shares these are: x = x0 + x1 mod 2^64."""
    return tuple((x0 + x1) % (1 << 64) for x0, x1 in zip(first, second, strict=True))


def _values(options: Options, words: Sequence[int], agreed: Agreed) -> dict[str, Released]:
    """Each statistic's words, read by itself, with the names of the owners that are in it."""
    values = {}
    rest = iter(words)
    owners = [name for name, _ in agreed.owners if name not in agreed.refused]
    for text, one in zip(options.texts, options.statistics, strict=True):
        own = list(islice(rest, one.words(options.decimals)))
        values[text] = (
            one.of_owners(one.decode(own, options.decimals), owners)
            if agreed.samples
            else one.value_without_samples()
        )
    return values


def _text(words: tuple[int, ...]) -> str:
    return struct.pack(f">{len(words)}Q", *words).hex()


def check_runs_agree(agreed: Sequence[Agreed]) -> None:
    """Raise `CheatingDetected` unless the runs were over the same lists and refused the same."""
    first = agreed[0]
    if any(replace(one, session=first.session) != first for one in agreed):
        raise CheatingDetected(
            "the runs of the computation do not accept the same lists",
            advice="A server or an owner has cheated, or failed. No result is released.",
        )


def check_proofs_agree(proofs: Sequence[Proven]) -> None:
    """Raise `CheatingDetected` unless all runs prove the same values, word by word.

    All must be of the same servers with the same keys.
    """
    check_runs_agree([proof.agreed for proof in proofs])
    if any(proof.keys != proofs[0].keys for proof in proofs):
        raise EvidenceRefused("The runs of the computation are signed by different keys")
    if len(proofs) > 1:
        same_in_all([proof.words for proof in proofs])
