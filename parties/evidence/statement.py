"""What a server states about a session at its end, and signs with its own key.

Each of the three sends its statement to both others before any result is stored, and refuses the
session if one of theirs is not signed by the key in the study, says anything else about what was
computed, or if the two ends of a link do not have the same digests. The proxies hand out all three
statements with their shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ppaurora.mpc.keys import SIGNATURE_BYTES, Identity, PublicKey, verify
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.runs import StudyRun

__all__ = ["LinkDigests", "ServerKeys", "Statement", "checked", "signed_by", "signer"]

SHOWN_LETTERS = 20
DOMAIN = b"ppAURORA statement about a session 1\0"
ServerKeys: TypeAlias = Mapping[Role, Sequence[PublicKey]]
"""The keys of each server by which it may have signed."""


@dataclass(frozen=True, slots=True)
class LinkDigests:
    """The digests of all that a server sent to a peer, and of all that it received from it."""

    sent: str
    received: str


@dataclass(frozen=True, slots=True)
class Statement(JsonDocument):
    """What one server says: the facts of the session, the ledger's digest, its links, its share.

    `server` and the peers in `links` are named by their roles in this run of the study.
    `share` is the commitment to a proxy's share of the result, and empty at the helper. `audit` is
    the digest of the last line of the server's audit log at that time.
    """

    server: str
    agreed: Agreed
    ledger: str
    links: Mapping[str, LinkDigests]
    share: str
    audit: str


def signed_by(identity: Identity, statement: Statement) -> Signed:
    """The statement, signed by its server."""
    text = statement.to_json()
    return Signed(text, identity.sign(DOMAIN + text.encode()).hex())


def signer(signed: Signed, publics: Sequence[PublicKey]) -> PublicKey | None:
    """By which of these keys the statement is signed, if by any."""
    try:
        signature = bytes.fromhex(signed.signature)
    except ValueError:
        return None
    if len(signature) != SIGNATURE_BYTES:
        return None
    data = DOMAIN + signed.text.encode()
    return next((public for public in publics if verify(public, data, signature)), None)


def statement_of(signed: Signed, server: Role, publics: Sequence[PublicKey]) -> Statement:
    """The server's statement; raises `EvidenceRefused` if it is not one signed by its key."""
    if signer(signed, publics) is None:
        raise EvidenceRefused(
            f"The statement of {server} is not signed by its key in the study",
            advice="It was changed, or another server made it, or its key had changed: then give "
            "the file of the change.",
        )
    try:
        found = Statement.from_json(signed.text)
    except DocumentRefused as error:
        raise EvidenceRefused(f"The statement of {server} cannot be read: {error.what}") from None
    if found.server != str(server):
        named = printable(found.server, SHOWN_LETTERS)
        raise EvidenceRefused(f"The statement of {server} is one of {named}")
    return found


def checked(
    signed: Mapping[str, Signed], run: StudyRun, keys: ServerKeys | None = None
) -> dict[Role, Statement]:
    """The three statements of a run, by role; raises `EvidenceRefused` unless all agree.

    `keys` are those by which the servers may have signed; without them, those that the study names.
    """
    for role in Role:
        if str(role) not in signed:
            raise EvidenceRefused(f"There is no statement of {role}")
    keys = keys or {one.role: (one.public,) for one in run.study.servers}
    found = {role: statement_of(signed[str(role)], role, keys[run.place(role)]) for role in Role}
    first = found[Role.P0]
    for role, one in found.items():
        if (one.agreed, one.ledger) != (first.agreed, first.ledger):
            raise EvidenceRefused(f"P0 and {role} do not state the same about the session")
        if one.links.keys() != {str(peer) for peer in role.others}:
            raise EvidenceRefused(f"{role} does not tell of its two links")
    for low, high in PAIRS:
        here, there = found[low].links[str(high)], found[high].links[str(low)]
        if (here.sent, here.received) != (there.received, there.sent):
            raise EvidenceRefused(
                f"{low} and {high} do not have the same digests of what went between them",
                advice="One of them does not tell the truth, or its memory failed; the digests do "
                "not say which. Do not use the result.",
            )
    return found
