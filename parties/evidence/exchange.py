"""The three servers' statements about their session, exchanged and compared before it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Link, Transcripts, exchange_statements
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused
from ppaurora.parties.evidence.commitment import commitment
from ppaurora.parties.evidence.proof import ledger_digest, session_ledger
from ppaurora.parties.evidence.statement import LinkDigests, Statement, checked, signed_by
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.runs import StudyRun

__all__ = ["agreed_statements"]


def agreed_statements(
    links: Mapping[Role, Link],
    identity: Identity,
    run: StudyRun,
    role: Role,
    agreed: Agreed,
    share: Sequence[int],
    audit_head: str,
    publics: Mapping[Role, PublicKey],
) -> dict[str, Signed]:
    """All three signed statements, by the server's name, once they were found to agree.

    `share` is this proxy's share of the result with its blind, and empty at the helper;
    `audit_head` is the digest of the last line of this server's audit log; `publics` are the keys
    that the three use in this session. Raises
    `EvidenceRefused` if the servers do not state the same, or the digests of a link differ.
    """
    study, session = run.study, bytes.fromhex(agreed.session)
    ledger = ledger_digest(session_ledger(study, agreed))

    def own(transcripts: Transcripts) -> bytes:
        digests = {str(peer): LinkDigests(*both) for peer, both in transcripts.items()}
        committed = commitment(study.hash, session, role, share) if share else ""
        statement = Statement(str(role), agreed, ledger, digests, committed, audit_head)
        statements[str(role)] = signed_by(identity, statement)
        return statements[str(role)].to_json().encode()

    statements: dict[str, Signed] = {}
    for peer, text in exchange_statements(links, own).items():
        try:
            statements[str(peer)] = Signed.from_json(text.decode())
        except (UnicodeDecodeError, DocumentRefused):
            raise EvidenceRefused(f"{peer} sends a statement that cannot be read") from None
    checked(statements, run, {server: (public,) for server, public in publics.items()})
    return statements
