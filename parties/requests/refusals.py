"""Refusals: a code for each reason of a server, and the error that it becomes at the asker."""

from __future__ import annotations

from enum import StrEnum

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import (
    DocumentRefused,
    KeyFault,
    PeerRefused,
    PolicyRefusal,
    ServerFault,
    StudyDiffers,
    StudyStopped,
    TooEarly,
    UploadWithdrawn,
)
from ppaurora.parties.requests.json_document import json_object
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.study.canonical import content_hash, differences
from ppaurora.parties.study.keys_in_force import REFUSED_ADVICE, Holder
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import changes

SHOWN_LETTERS = 500


class Code(StrEnum):
    """The reasons why a server refuses."""

    MALFORMED = "malformed"
    UNKNOWN_STUDY = "unknown-study"
    PAUSED = "paused"
    STUDY_DIFFERS = "study-differs"
    STRANGER = "stranger"
    KEYS_DIFFER = "keys-differ"
    NOT_YOURS = "not-yours"
    OTHER_DATA = "other-data"
    NO_UPLOAD = "no-upload"
    WITHDRAWN = "withdrawn"
    DAMAGED = "damaged"
    TOO_LARGE = "too-large"
    TOO_SMALL = "too-small"
    TOO_OFTEN = "too-often"
    FULL = "full"
    TOO_EARLY = "too-early"
    COMPUTING = "computing"
    COMPUTED = "computed"
    ENDED = "ended"
    BUSY = "busy"
    UNKNOWN_SESSION = "unknown-session"
    RESULT_LOST = "result-lost"
    OWN_FAULT = "own-fault"
    STOPPED = "stopped"
    NOT_PROVED = "not-proved"


_ERRORS: dict[Code, type[AuroraError]] = {
    Code.PAUSED: TooEarly,
    Code.STRANGER: KeyFault,
    Code.STUDY_DIFFERS: StudyDiffers,
    Code.OTHER_DATA: PolicyRefusal,
    Code.WITHDRAWN: UploadWithdrawn,
    Code.TOO_LARGE: PolicyRefusal,
    Code.TOO_SMALL: PolicyRefusal,
    Code.TOO_OFTEN: PolicyRefusal,
    Code.FULL: ServerFault,
    Code.TOO_EARLY: TooEarly,
    Code.COMPUTING: TooEarly,
    Code.COMPUTED: PolicyRefusal,
    Code.ENDED: PolicyRefusal,
    Code.OWN_FAULT: ServerFault,
    Code.STOPPED: StudyStopped,
}


def refused(code: Code, what: str, advice: str = "") -> Refused:
    """The answer of a server that refuses."""
    return Refused(code.value, what, advice)


def refused_key(holder: Holder | None) -> Refused:
    """The answer to a key that is nobody's in the study, or that its holder should not use."""
    if holder is None:
        return refused(
            Code.STRANGER,
            "Your key is not in this server's version of the study",
            "Compare study.toml with the server's operator.",
        )
    return refused(Code.STRANGER, f"Your {holder.refusal}", REFUSED_ADVICE)


def to_error(refusal: Refused, study: Study, server: str) -> AuroraError:
    """The refusal as the asker's error; it names the server, and what differs if studies do."""
    try:
        code = Code(refusal.code)
    except ValueError:
        return PeerRefused(f"{server} refused: {printable(refusal.what, SHOWN_LETTERS)}")
    if code is Code.STUDY_DIFFERS:
        return _study_differs(refusal.what, study, server)
    kind = _ERRORS.get(code, PeerRefused)
    error = kind(
        f"{server}: {printable(refusal.what, SHOWN_LETTERS)}",
        advice=printable(refusal.advice, SHOWN_LETTERS),
    )
    if isinstance(error, PeerRefused):
        error.code = code.value
    return error


def _changes(study: Study, theirs: str) -> str:
    """The changes of the server's version of the study to this one, for a terminal."""
    try:
        sentences = changes(study, Study.restore(theirs.encode(), "the server's version"))
    except (AuroraError, ValueError):
        sentences = ["what cannot be read here; compare the versions of ppaurora"]
    return printable("; ".join(sentences), SHOWN_LETTERS)


def _study_differs(theirs: str, study: Study, server: str) -> StudyDiffers:
    try:
        content = json_object(theirs)
        names = differences(study.content(), content)
    except DocumentRefused:
        content, names = {}, []
    if content.get("follows") == study.hash.hex():
        return StudyDiffers(
            f"{server} serves a later version of study {study.id} and has closed yours. What "
            f"changed: {_changes(study, theirs)}",
            advice="Get its file from the study's author, see what it changes with `ppaurora study "
            "diff`, and take part with `ppaurora study accept`.",
        )
    if study.follows and study.follows == content_hash(content).hex():
        return StudyDiffers(
            f"{server} serves the version of study {study.id} before yours, without its new owners",
            advice="Its operator accepts the new one with `ppaurora study accept`.",
        )
    listing = f" in {printable(', '.join(names), SHOWN_LETTERS)}" if names else ""
    return StudyDiffers(
        f"{server} has another version of study {study.id} than yours: they differ{listing}",
        advice="Agree on one study.toml, put the same file everywhere, then try again.",
    )
