"""The three servers' statements about their session, exchanged and compared before it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Link
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.session import Heard, Transcripts, exchange_statements
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.evidence.commitment import commitment
from ppaurora.parties.evidence.proof import ledger_digest, session_ledger
from ppaurora.parties.evidence.statement import LinkDigests, Statement, checked, signed_by
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.runs import StudyRun

COMMITMENT_BYTES = sha256().digest_size


def agreed_statements(
    links: Mapping[Role, Link],
    identity: Identity,
    run: StudyRun,
    role: Role,
    computation: bytes,
    agreed: Agreed,
    share: Sequence[int],
    audit_head: str,
    publics: Mapping[Role, PublicKey],
) -> dict[str, Signed]:
    """All three signed statements, by the server's name, once they were found to agree.

    With its last word each proxy sends both others the commitment to its share, and nobody signs
    before it has both. `computation` is the name of all runs together; `share` is this proxy's
    share of the result with its blind, and empty at the helper; `audit_head` is the digest of the
    last line of this server's audit log; `publics` are the keys that the three use in this session,
    by their roles in the study. Raises `EvidenceRefused` if the servers do not state the same, or
    the digests of a link differ.
    """
    study, session = run.study, bytes.fromhex(agreed.session)
    committed = commitment(study.hash, session, role, share) if share else ""

    def own(transcripts: Transcripts, heard: Heard) -> bytes:
        statement = Statement(
            server=str(role),
            agreed=agreed,
            computation=computation.hex(),
            run=run.number,
            keys={str(one): publics[run.place(one)].to_bytes().hex() for one in Role},
            shares=_commitments({**heard, role: bytes.fromhex(committed)}),
            ledger=ledger_digest(session_ledger(study, agreed)),
            links={str(peer): LinkDigests(*both) for peer, both in transcripts.items()},
            audit=audit_head,
        )
        statements[str(role)] = signed_by(identity, statement)
        return statements[str(role)].to_json().encode()

    statements: dict[str, Signed] = {}
    texts = exchange_statements(links, own, bytes.fromhex(committed))
    for peer, text in texts.items():
        try:
            statements[str(peer)] = Signed.from_json(text.decode())
        except (UnicodeDecodeError, DocumentRefused):
            raise EvidenceRefused(f"{peer} sends a statement that cannot be read") from None
    checked(statements, run, {server: (public,) for server, public in publics.items()})
    return statements


def _commitments(heard: Mapping[Role, bytes]) -> dict[str, str]:
    """Both proxies' commitments; raises `EvidenceRefused` unless both commit or neither does."""
    sizes = {len(heard[role]) for role in PROXIES}
    if heard[Role.HELPER] or sizes not in ({0}, {COMMITMENT_BYTES}):
        raise EvidenceRefused(
            "The servers do not commit to the shares of one result",
            advice="Compare the versions of ppaurora at the three servers.",
        )
    return {str(role): heard[role].hex() for role in PROXIES}
