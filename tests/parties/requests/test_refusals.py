"""A refusal becomes the error that fits it, in words that a terminal may show."""

from __future__ import annotations

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import (
    KeyFault,
    PeerRefused,
    PolicyRefusal,
    ServerFault,
    StorageFull,
    StudyDiffers,
    StudyStopped,
    TooEarly,
)
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused, to_error
from tests.parties.sample import study

KINDS = {
    Code.MALFORMED: PeerRefused,
    Code.UNKNOWN_STUDY: PeerRefused,
    Code.PAUSED: TooEarly,
    Code.STUDY_DIFFERS: StudyDiffers,
    Code.STRANGER: KeyFault,
    Code.NOT_YOURS: PeerRefused,
    Code.OTHER_DATA: PolicyRefusal,
    Code.DAMAGED: PeerRefused,
    Code.TOO_LARGE: PolicyRefusal,
    Code.TOO_SMALL: PolicyRefusal,
    Code.FULL: StorageFull,
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
