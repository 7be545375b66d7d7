"""The protocol of a qualification: what was checked at a site, signed by the site's key.

It says which build on which machine passed which checks and when; whoever has the site's public
key can tell that nothing in it was changed. It proves what this site states, not that it is true.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import distribution

from ppaurora.mpc.kernels.library import in_use
from ppaurora.mpc.keys import SIGNATURE_BYTES, Identity, PublicKey, verify
from ppaurora.parties.build import build
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.participant.checkup import Finding, Verdict
from ppaurora.parties.requests.json_document import JsonDocument, json_object
from ppaurora.parties.study.public_keys import parse_public, public_text

DOMAIN = b"ppAURORA protocol of a qualification 1\0"
LIBRARIES = ("cryptography", "duckdb", "msgpack", "numpy", "pyzmq")


@dataclass(frozen=True, slots=True)
class Check(JsonDocument):
    """One check: what was looked at, how it ended, what was seen."""

    about: str
    verdict: Verdict
    seen: str

    @classmethod
    def of(cls, finding: Finding) -> Check:
        """A finding as it is written."""
        return cls(finding.about, finding.verdict, finding.seen)


@dataclass(frozen=True, slots=True)
class Qualification(JsonDocument):
    """Record of what was installed and checked, and when."""

    build: str
    kernels: str
    python: str
    system: str
    libraries: Mapping[str, str]
    began: datetime
    ended: datetime
    passed: bool
    checks: tuple[Check, ...]


def qualification(findings: Sequence[Finding], began: datetime, ended: datetime) -> Qualification:
    """The protocol of these findings; passed if none is wrong."""
    return Qualification(
        build(),
        in_use(),
        platform.python_version(),
        platform.platform(),
        {name: distribution(name).version for name in LIBRARIES},
        began,
        ended,
        all(one.verdict is not Verdict.WRONG for one in findings),
        tuple(map(Check.of, findings)),
    )


def signed_protocol(identity: Identity, made: Qualification) -> str:
    """The protocol as a file, with its signature and the public key that checks it."""
    signature = identity.sign(DOMAIN + made.to_json().encode()).hex()
    content = {
        "protocol": made.plain(),
        "public_key": public_text(identity.public),
        "signature": signature,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def read_protocol(text: str) -> tuple[Qualification, PublicKey]:
    """The protocol in a file and who signed it; raises `EvidenceRefused` if nobody did.

    >>> from datetime import UTC
    >>> made = qualification([], datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))
    >>> read_protocol(signed_protocol(Identity.generate(), made))[0] == made
    True
    """
    content = json_object(text)
    if content.keys() != {"protocol", "public_key", "signature"}:
        raise EvidenceRefused(
            "This is no protocol of a qualification",
            advice="`ppaurora doctor --qualify FILE` writes one.",
        )
    made = Qualification.of_plain(content["protocol"])
    public, signature = parse_public(str(content["public_key"])), str(content["signature"])
    data = DOMAIN + made.to_json().encode()
    fine = len(signature) == 2 * SIGNATURE_BYTES and not set(signature) - set("0123456789abcdef")
    if not fine or not verify(public, data, bytes.fromhex(signature)):
        raise EvidenceRefused(
            "The protocol is not signed by the key that it names",
            advice="It was changed. Ask for it once more, or qualify again.",
        )
    return made, public
