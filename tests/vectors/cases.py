"""Cases of test vectors in JSON's own types, and the keys and studies that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ppaurora.mpc.keys import Identity
from ppaurora.parties.requests.wire import Envelope
from ppaurora.parties.study.study import Study
from tests.parties.evidence import session
from tests.vectors.example_studies import EXAMPLES, of

SERVERS = session.SERVERS
STRANGER = Identity.from_private(bytes([99]) * 64)
READER = Identity.from_private(bytes([6]) * 64)
"""The key of the receiver that uploads nothing."""
NAME = b"a session's name"
ASKED = EXAMPLES["full"].study
STUDIES = {
    **{name: one.study for name, one in EXAMPLES.items()},
    "interval": of("auroc_ci"),
    "follows another": replace(ASKED, follows="ab" * 32),
    "numbers": of(range=(-2.5, 1e16), rule=replace(ASKED.rule, keep_days=0.00001, most_share=0.55)),
}


Vectors = dict[str, Any]


def refused(why: str, **what: Any) -> Vectors:
    """A case that has to be refused, and why."""
    return {"why": why, **what}


def plain(message: Any) -> Any:
    """A message in JSON's own types, bytes as hexadecimal digits and words as texts."""
    if is_dataclass(message):
        return {one.name: plain(getattr(message, one.name)) for one in fields(message)}
    if isinstance(message, bytes | memoryview):
        return message.hex()
    return [*map(plain, message)] if isinstance(message, tuple | list) else message


def texts(words: Sequence[int]) -> list[str]:
    """Words in hexadecimal digits."""
    return [f"{word:016x}" for word in words]


def envelope(request: Any, of_study: Study = ASKED) -> bytes:
    """A request about a study as it travels."""
    return Envelope(of_study.id, of_study.hash, request).encode()
