"""Verification that the three servers of its study have signed a saved result.

The result is put together once more, from the shares and statements that it keeps, and compared
with what stands in the document. What the session took and when the result was fetched is not
signed, and only held to its form; everything else is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.evidence.proof import Evidence, Proven, check_proofs_agree, proven, shares_of
from ppaurora.parties.evidence.statement import ServerKeys
from ppaurora.parties.reports.files import read_text
from ppaurora.parties.reports.result import ROTATED, Result, saved_session
from ppaurora.parties.reports.saved import MOST_LETTERS_OF_RESULT, check_form
from ppaurora.parties.reports.session_cost import cost_told
from ppaurora.parties.requests.json_document import json_object
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.releases import release_with_id
from ppaurora.parties.study.runs import runs_of
from ppaurora.parties.study.study import Study

UNSIGNED = ("cost", "fetched")


def released(text: str, study: Study) -> Study:
    """The study of a result document: of an agreement the release that the document names."""
    named = json_object(text, MOST_LETTERS_OF_RESULT).get("study")
    id = named.get("id") if isinstance(named, dict) else None
    return release_with_id(study, id) if isinstance(id, str) else study


def verified(text: str, study: Study, keys: ServerKeys | None = None) -> Proven:
    """Verify a result document; raises `EvidenceRefused` with the reason if it proves nothing.

    `keys` are those that the servers may have had in the session; without them, those that the
    study names.
    """
    content = json_object(text, MOST_LETTERS_OF_RESULT)
    check_form(content)
    named = content.get("study")
    study_hash = named.get("hash") if isinstance(named, dict) else None
    if study_hash != study.hash.hex():
        raise EvidenceRefused(
            "This is a result of another study",
            advice=f"It is of the study with the hash {_shown(study_hash)}; the study file given "
            f"has {study.hash.hex()[:16]}.",
        )
    if "evidence" not in content:
        raise EvidenceRefused("The result holds no signatures")
    proofs = _proofs(study, _evidence(content, study), keys)
    check_proofs_agree(proofs)
    _check_unsigned(content, study)
    signed = Result(study, proofs[0], None, "", tuple(proofs[1:])).content
    difference = _difference(signed, content)
    if difference:
        raise EvidenceRefused(
            f"The document says of {difference} what the servers have not signed",
            advice="It was changed after it was fetched. Do not use it.",
        )
    return proofs[0]


def saved_before(study: Study, path: Path, keys: KeysInForce) -> tuple[bytes, str] | None:
    """The session and the verified text of the result that was saved at `path`, if there is one."""
    session = saved_session(study, path)
    if session is None:
        return None
    text = read_text(path)
    verified(text, study, keys.ever_of_servers(study))
    return session, text


def proof_lines(study: Study, proof: Proven) -> Iterator[str]:
    """Lines on what the three servers have signed, and what they have not."""
    if study.options.covert:
        yield (
            "Three runs with rotated roles gave the same: where one server cheats, a wrong number "
            f"passes with probability 1/{study.options.dealings} at most"
        )
    owners = ", ".join(name for name, _ in proof.agreed.owners)
    yield f"{proof.agreed.samples} samples; lists of {owners}"
    for text, value in proof.values.items():
        yield f"  {text}: {value}"
    yield f"Not signed: {' and '.join(UNSIGNED)}."


def _evidence(content: Mapping[str, Any], study: Study) -> list[Evidence]:
    """The signatures and shares of every run of the computation."""
    rotated = content.get(ROTATED, [])
    documents = [content["evidence"], *(rotated if isinstance(rotated, list) else [])]
    if len(documents) != len(runs_of(study)):
        raise EvidenceRefused("The result does not hold the signatures of every run")
    try:
        return [Evidence.of_plain(document) for document in documents]
    except DocumentRefused as error:
        raise EvidenceRefused(f"The signatures cannot be read: {error.what}") from None


def _proofs(study: Study, evidence: Sequence[Evidence], keys: ServerKeys | None) -> list[Proven]:
    """The proofs of every run, if all their evidence is of one computation."""
    runs = runs_of(study)
    pairs = zip(runs, evidence, strict=True)
    proofs = [proven(run, one.statements, shares_of(one), keys) for run, one in pairs]
    computation = bytes.fromhex(proofs[0].agreed.session)
    for run, proof in zip(runs, proofs, strict=True):
        if proof.agreed.session != run.session(computation).hex():
            raise EvidenceRefused(f"The signatures of run {run.title} are of another computation")
    return proofs


def _check_unsigned(content: Mapping[str, Any], study: Study) -> None:
    """Refuse what is not signed if it cannot be what a receiver was told and noted."""
    cost, fetched = content.get("cost"), content.get("fetched")
    try:
        if study.options.pipeline.onlookers_learn():
            right = cost is None
        else:
            cost_told(cost)
            right = True
        right = (
            right and type(fetched) is str and datetime.fromisoformat(fetched).tzinfo is not None
        )
    except (DocumentRefused, ValueError):
        right = False
    if not right:
        raise EvidenceRefused(
            "What the document says of the session's cost, or of when it was fetched, cannot be",
            advice="Neither is signed. The document was changed after it was fetched; do not use "
            "it.",
        )


def _difference(signed: Mapping[str, object], stated: Mapping[str, Any]) -> str:
    """The first entry that differs, but for what is not signed; empty if none does."""
    for name in sorted(signed.keys() | stated.keys()):
        if name in UNSIGNED:
            continue
        ours, theirs = signed.get(name), stated.get(name)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            for inner in sorted(ours.keys() | theirs.keys()):
                if _text(ours.get(inner)) != _text(theirs.get(inner)):
                    return f"{name}.{_shown(inner)}"
        elif _text(ours) != _text(theirs):
            return _shown(name)
    return ""


def _text(value: object) -> str:
    """A value as JSON, in which 1, 1.0 and true are three different texts."""
    return json.dumps(value, sort_keys=True)


def _shown(value: object) -> str:
    return "nothing" if value is None else printable(str(value), 60)
