"""The statement about a session that each server signs with its own key at the end.

First each proxy sends its commitment to its share of the result to both others. Only then does each
of the three sign, and what it signs names both commitments and the keys of all three: so nobody who
holds one server's key can make other shares, or another key, look like those of the session.

Each of the three sends its statement to both others before any result is stored, and refuses the
session if one of theirs is not signed by the key that it has in this session, says anything else
about what was computed, or if the two ends of a link do not have the same digests. The proxies hand
out all three statements with their shares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ppaurora.mpc.keys import SIGNATURE_BYTES, Identity, PublicKey, fingerprint, verify
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import PAIRS, PROXIES, Role
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.requests.json_document import JsonDocument, json_object
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.runs import StudyRun

SHOWN_LETTERS = 20
DOMAIN = b"ppAURORA statement about a session 2\0"
SIGNATURE = re.compile(f"[0-9a-f]{{{2 * SIGNATURE_BYTES}}}")
SESSION = re.compile(f"[0-9a-f]{{{2 * SESSION_BYTES}}}")
OLDER_FORM = (
    "is of an older form, whose signatures do not bind the shares of the result: whoever holds the "
    "key of one server could have changed its values"
)
OLDER_ADVICE = (
    "Fetch the result again with this version of ppaurora while the servers still hold it. If they "
    "do not, its values can no longer be verified; a new study gives a result that can be."
)
ServerKeys: TypeAlias = Mapping[Role, Sequence[PublicKey]]
"""The keys of each server, by its role in the study, that it may have had in a session."""


@dataclass(frozen=True, slots=True)
class LinkDigests:
    """The digests of all that a server sent to a peer, and of all that it received from it."""

    sent: str
    received: str


@dataclass(frozen=True, slots=True)
class Statement(JsonDocument):
    """One server's statement: facts of the session, both commitments, the keys, its own links.

    `server`, the peers in `links`, `keys` and `shares` are named by the roles in this run, which is
    number `run` (from 0) of the `computation` that has the first run's session for its name.
    `keys` are those of all three in this session, and `shares` the commitments of both proxies,
    empty where nothing was released. `audit` is the digest of the last line of the server's audit
    log at that time.
    """

    server: str
    agreed: Agreed
    computation: str
    run: int
    keys: Mapping[str, str]
    shares: Mapping[str, str]
    ledger: str
    links: Mapping[str, LinkDigests]
    audit: str

    def says_the_same(self, other: Statement) -> bool:
        """Return whether two servers state the same, except for facts that only one can know."""
        own = {"server": self.server, "links": self.links, "audit": self.audit}
        return replace(other, **own) == self  # type: ignore[arg-type]


def signed_by(identity: Identity, statement: Statement) -> Signed:
    """The statement, signed by its server."""
    text = statement.to_json()
    return Signed(text, identity.sign(DOMAIN + text.encode()).hex())


def signer(signed: Signed, publics: Sequence[PublicKey]) -> PublicKey | None:
    """By which of these keys the statement is signed, if by any."""
    if not SIGNATURE.fullmatch(signed.signature):
        return None
    data, signature = DOMAIN + signed.text.encode(), bytes.fromhex(signed.signature)
    return next((public for public in publics if verify(public, data, signature)), None)


def statement_of(
    signed: Signed, server: Role, publics: Sequence[PublicKey]
) -> tuple[Statement, PublicKey]:
    """The server's statement and by which of its keys it is signed.

    Raises `EvidenceRefused` if it is not one that the server has signed.
    """
    if _is_older(signed.text):
        raise EvidenceRefused(f"The statement of {server} {OLDER_FORM}", advice=OLDER_ADVICE)
    key = signer(signed, publics)
    if key is None:
        raise EvidenceRefused(
            f"The statement of {server} is not signed by its key in the study",
            advice="It was changed, or another server made it, or its key had changed: then give "
            "the file of the change.",
        )
    try:
        statement = Statement.from_json(signed.text)
    except DocumentRefused as error:
        raise EvidenceRefused(f"The statement of {server} cannot be read: {error.what}") from None
    if statement.server != str(server):
        named = printable(statement.server, SHOWN_LETTERS)
        raise EvidenceRefused(f"The statement of {server} is one of {named}")
    return statement, key


def _is_older(text: str) -> bool:
    """Return whether this is an older statement, in which a proxy names its own share only."""
    try:
        content = json_object(text)
    except DocumentRefused:
        return False
    return "share" in content and "shares" not in content


def checked(
    signed: Mapping[str, Signed], run: StudyRun, keys: ServerKeys | None = None
) -> dict[Role, Statement]:
    """The three statements of a run, by role; raises `EvidenceRefused` unless all agree.

    `keys` are those that the servers may have had in the session; without them, those that the
    study names. Each must have signed with the one key that all three name.
    """
    for role in Role:
        if str(role) not in signed:
            raise EvidenceRefused(f"There is no statement of {role}")
    keys = keys or {server.role: (server.public,) for server in run.study.servers}
    read = {role: statement_of(signed[str(role)], role, keys[run.place(role)]) for role in Role}
    found = {role: one for role, (one, _) in read.items()}
    first = found[Role.P0]
    for role, one in found.items():
        if not one.says_the_same(first):
            raise EvidenceRefused(
                f"P0 and {role} do not state the same about the session",
                advice="One of the statements was made anew, or a server failed; do not use the "
                "result.",
            )
        if one.links.keys() != {str(peer) for peer in role.others}:
            raise EvidenceRefused(f"{role} does not tell of its two links")
    for role, (_, key) in read.items():
        _check_key(role, first.keys.get(str(role), ""), key)
    _check_place(first, run)
    for low, high in PAIRS:
        here, there = found[low].links[str(high)], found[high].links[str(low)]
        if (here.sent, here.received) != (there.received, there.sent):
            raise EvidenceRefused(
                f"{low} and {high} do not have the same digests of what went between them",
                advice="One of them does not tell the truth, or its memory failed; the digests do "
                "not say which. Do not use the result.",
            )
    return found


def _check_key(role: Role, named: str, key: PublicKey) -> None:
    """Refuse a statement that is signed by another key than the three name for its server."""
    if named != key.to_bytes().hex():
        raise EvidenceRefused(
            f"The statement of {role} is signed by its key {fingerprint(key)}, and the servers "
            "have signed that it had another one in that session",
            advice="That key had been changed by then, or was not yet in use: whoever holds it has "
            "made the statement anew. Do not use the result.",
        )


def _check_place(one: Statement, run: StudyRun) -> None:
    """Refuse statements of another run than this one, or of a session that is none of its own."""
    names = (one.computation, one.agreed.session)
    if (
        not all(map(SESSION.fullmatch, names))
        or one.run != run.number
        or one.agreed.session != run.session(bytes.fromhex(one.computation)).hex()
        or one.shares.keys() != {str(role) for role in PROXIES}
    ):
        raise EvidenceRefused(f"The statements are not of run {run.title} of a computation")
