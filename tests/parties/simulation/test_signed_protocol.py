"""A protocol is what was signed, or is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.participant.checkup import Finding, Verdict
from ppaurora.parties.simulation.signed_protocol import (
    qualification,
    read_protocol,
    signed_protocol,
)
from ppaurora.parties.study.public_keys import public_text

FINDINGS = [Finding("key", Verdict.FINE, "ABCD"), Finding("clock", Verdict.NOTE, "2 s behind")]
DAY = datetime(2026, 11, 27, 12, tzinfo=UTC)


def test_a_protocol_is_read_as_it_was_signed_and_by_whom() -> None:
    identity = Identity.generate()
    made = qualification(FINDINGS, DAY, DAY)
    assert made.passed
    assert read_protocol(signed_protocol(identity, made)) == (made, identity.public)


def test_anything_wrong_is_not_qualified() -> None:
    assert not qualification([*FINDINGS, Finding("list", Verdict.WRONG, "NaN")], DAY, DAY).passed


def changed(content: dict[str, Any], *path: str | int, to: object) -> str:
    """The file with one value changed."""
    *above, last = path
    place: Any = content
    for step in above:
        place = place[step]
    place[last] = to
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("protocol", "passed"), False),
        (("protocol", "checks", 0, "seen"), "another"),
        (("protocol", "build"), "0.2.0+0"),
        (("public_key",), public_text(Identity.from_private(bytes(64)).public)),
        (("signature",), "00" * 64),
        (("signature",), "zz"),
        (("more",), 1),
    ],
    ids=["passed", "seen", "build", "another key", "zeros", "no number", "more"],
)
def test_a_changed_protocol_is_refused(path: tuple[str | int, ...], to: object) -> None:
    text = signed_protocol(Identity.generate(), qualification(FINDINGS, DAY, DAY))
    with pytest.raises(EvidenceRefused):
        read_protocol(changed(json.loads(text), *path, to=to))


def test_what_is_no_protocol_is_refused_in_words() -> None:
    with pytest.raises(EvidenceRefused, match="no protocol"):
        read_protocol("{}")
    with pytest.raises(DocumentRefused):
        read_protocol("[]")
