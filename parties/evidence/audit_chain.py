"""A log whose lines are chained: each holds the digest of the line before it.

    line_n = {"number": n, "time": .., "event": .., facts .., "previous": SHA-256(line_(n-1))}

A line that is changed, left out or put in between breaks the chain at the next one. Lines cut off
at the end do not: so what a server signs about a session holds the digest of its last line by then,
its *head*, and with such a result the log can be checked up to there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import AuditBroken, DocumentRefused
from ppaurora.parties.requests.json_document import json_object

FIRST = ""
"""The digest that stands before the first line."""
OWN = ("number", "time", "event", "previous")

Fact = str | int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log, read; `digest` is its own."""

    number: int
    time: str
    event: str
    facts: Mapping[str, Fact]
    digest: str


def line(number: int, time: str, event: str, facts: Mapping[str, Fact], previous: str) -> bytes:
    """The line as it is written, with its end."""
    content = {"number": number, "time": time, "event": event, **facts, "previous": previous}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def digest(written: bytes) -> str:
    """SHA-256 of a line with its end, in hexadecimal digits."""
    return sha256(written).hexdigest()


def entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    """The lines of a whole log, in order; raises `AuditBroken` at the first that does not fit."""
    previous = FIRST
    for number, written in enumerate(lines, 1):
        content = _content(written, number)
        if content["number"] != number:
            raise AuditBroken(
                f"Line {number} of the log says that it is line {_shown(content['number'])}",
                advice="A line was taken out or put in before it.",
            )
        if content["previous"] != previous:
            raise AuditBroken(
                f"Line {number} of the log does not follow from line {number - 1} as it stands",
                advice="One of the two was changed, or a line between them was taken out.",
            )
        previous = digest(written)
        facts = {name: value for name, value in content.items() if name not in OWN}
        yield Entry(number, content["time"], content["event"], facts, previous)


def _content(written: bytes, number: int) -> dict[str, Any]:
    try:
        content = json_object(written.decode())
    except (DocumentRefused, UnicodeDecodeError):
        content = {}
    if not written.endswith(b"\n") or not set(OWN) <= content.keys():
        raise AuditBroken(
            f"Line {number} of the log is none of this program's",
            advice="It was changed or cut; bring back a sound copy of the file.",
        )
    return content


def _shown(value: object) -> str:
    return printable(str(value), 20)
