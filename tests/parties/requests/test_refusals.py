"""A refusal becomes the error that fits it, in words that a terminal may show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import (
    KeyFault,
    PeerRefused,
    PolicyRefusal,
    ServerFault,
    StudyDiffers,
    StudyStopped,
    TooEarly,
    UploadWithdrawn,
)
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused, to_error
from ppaurora.parties.study.study import ParticipantEntry
from tests.parties.sample import KEYS, study

KINDS = {
    Code.MALFORMED: PeerRefused,
    Code.UNKNOWN_STUDY: PeerRefused,
    Code.PAUSED: TooEarly,
    Code.STUDY_DIFFERS: StudyDiffers,
    Code.STRANGER: KeyFault,
    Code.NOT_YOURS: PeerRefused,
    Code.OTHER_DATA: PolicyRefusal,
    Code.NO_UPLOAD: PeerRefused,
    Code.WITHDRAWN: UploadWithdrawn,
    Code.DAMAGED: PeerRefused,
    Code.TOO_LARGE: PolicyRefusal,
    Code.TOO_SMALL: PolicyRefusal,
    Code.TOO_OFTEN: PolicyRefusal,
    Code.FULL: ServerFault,
    Code.TOO_EARLY: TooEarly,
    Code.COMPUTING: TooEarly,
    Code.COMPUTED: PolicyRefusal,
    Code.ENDED: PolicyRefusal,
    Code.BUSY: PeerRefused,
    Code.KEYS_DIFFER: PeerRefused,
    Code.UNKNOWN_SESSION: PeerRefused,
    Code.RESULT_LOST: PeerRefused,
    Code.OWN_FAULT: ServerFault,
    Code.STOPPED: StudyStopped,
    Code.NOT_PROVED: PeerRefused,
    Code.RESULT_LOST: PeerRefused,
}


@pytest.mark.parametrize("code", Code)
def test_every_code_has_its_error(code: Code) -> None:
    error = to_error(refused(code, "no", "then do this"), study(), "P1")
    assert type(error) is KINDS[code]
    assert str(error).startswith("P1")
    if isinstance(error, PeerRefused):
        assert error.code == code


def test_a_code_of_another_version_is_a_refusal_all_the_same() -> None:
    error = to_error(Refused("tired", "no", ""), study(), "P1")
    assert type(error) is PeerRefused
    assert str(error) == "P1 refused: no"


def test_the_options_in_which_two_studies_differ_are_named() -> None:
    theirs = study(decimals=6, title="another").canonical().decode()
    error = to_error(refused(Code.STUDY_DIFFERS, theirs), study(), "P0")
    assert "they differ in metrics.decimals, title" in str(error)


@pytest.mark.parametrize("theirs", ["", "[]", "[[]]", "7", '{"a":' * 100_000])
def test_a_study_that_cannot_be_read_differs(theirs: str) -> None:
    error = to_error(refused(Code.STUDY_DIFFERS, theirs), study(), "P0")
    assert isinstance(error, StudyDiffers)


@pytest.mark.parametrize("code", ["full", "tired", "study-differs"])
def test_nothing_of_a_refusal_can_rewrite_a_terminal(code: str) -> None:
    nasty = '{"\\u001b[2J": 1}' if code == "study-differs" else "\x1b[2J" * 1000
    error: AuroraError = to_error(Refused(code, nasty, nasty), study(), "P0")
    assert str(error).isprintable()
    assert len(str(error)) < 1500


def test_an_owner_is_told_what_a_later_version_changes_and_who_has_not_accepted_it() -> None:
    old = study()
    people = (*old.participants, ParticipantEntry("dora", KEYS[6]))
    new = replace(old, participants=people, follows=old.hash.hex())
    later = to_error(Refused(Code.STUDY_DIFFERS.value, new.canonical().decode(), ""), old, "P1")
    assert "later version of study sepsis-1 and has closed yours" in str(later)
    assert "participant dora is added: uploads and receives" in str(later)
    assert "`ppaurora study accept`" in str(later)
    before = to_error(Refused(Code.STUDY_DIFFERS.value, old.canonical().decode(), ""), new, "P1")
    assert "the version of study sepsis-1 before yours" in str(before)
    assert "Its operator accepts the new one" in str(before)
    broken = f'{{"follows": "{old.hash.hex()}"}}'
    cut = to_error(Refused(Code.STUDY_DIFFERS.value, broken, ""), old, "P1")
    assert "what cannot be read here" in str(cut)
