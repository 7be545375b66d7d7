"""A finished session of the sample study without its servers: what they sign and hand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.evidence.commitment import BLIND_WORDS, commitment
from ppaurora.parties.evidence.proof import ledger_digest, session_ledger
from ppaurora.parties.evidence.statement import LinkDigests, Statement, signed_by
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.requests.session_facts import (
    Agreed,
    LinkFacts,
    ServerFacts,
    SessionFacts,
    Signed,
)
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study

SERVERS = {role: Identity.from_private(bytes([role + 1]) * 64) for role in Role}
"""The keys of the three servers of `tests.parties.sample.study`."""
SESSION = b"s" * 16
MASK = 0xFEDCBA9876543210
BLINDS = {Role.P0: (3,) * BLIND_WORDS, Role.P1: (5,) * BLIND_WORDS}


def agreed_on(study: Study, /, **changes: Any) -> Agreed:
    """The facts on which the servers agree: the lists of ann and ben."""
    plain = {
        "study": study.hash.hex(), "session": SESSION.hex(), "owners": (("ann", 30), ("ben", 20)),
        "refused": (), "samples": 50, "software": "1", "round_trip_us": 10_000, "megabits": 1000,
        "folds": (),
    }  # fmt: skip
    return Agreed(**{**plain, **changes})  # type: ignore[arg-type]


def shares_of(values: Sequence[int]) -> dict[Role, tuple[int, ...]]:
    """Both proxies' shares of these words, with their blinds."""
    return {
        Role.P0: (*(MASK for _ in values), *BLINDS[Role.P0]),
        Role.P1: (*((value - MASK) % 2**64 for value in values), *BLINDS[Role.P1]),
    }


def links_of(role: Role) -> dict[str, LinkDigests]:
    """The digests of a server's two links, as equal at both ends as they should be."""
    return {str(peer): LinkDigests(f"{role} {peer}", f"{peer} {role}") for peer in role.others}


def statement(
    study: Study,
    role: Role,
    agreed: Agreed,
    shares: Mapping[Role, tuple[int, ...]],
    number: int = 0,
    computation: bytes = b"",
) -> Statement:
    """The statement of an honest server about the run of this number."""
    run, session = StudyRun(study, number), bytes.fromhex(agreed.session)
    try:
        ledger = ledger_digest(session_ledger(study, agreed))
    except (DocumentRefused, ValueError):
        ledger = "of nothing"
    return Statement(
        server=str(role),
        agreed=agreed,
        computation=(computation or session).hex(),
        run=number,
        keys={str(one): SERVERS[run.place(one)].public.to_bytes().hex() for one in Role},
        shares={str(one): commitment(study.hash, session, one, shares[one]) for one in PROXIES},
        ledger=ledger,
        links=links_of(role),
        audit="head",
    )


def statements(
    study: Study,
    agreed: Agreed,
    shares: Mapping[Role, tuple[int, ...]],
    number: int = 0,
    computation: bytes = b"",
) -> dict[str, Signed]:
    """All three statements of the run of this number, signed."""
    run = StudyRun(study, number)
    return {
        str(role): signed_by(
            SERVERS[run.place(role)], statement(study, role, agreed, shares, number, computation)
        )
        for role in Role
    }


def part(
    study: Study, role: Role = Role.P0, values: Sequence[int] = (8250,), /, **changes: Any
) -> ResultPart:
    """The part of a result that a proxy hands out; `changes` are made to the agreed facts."""
    agreed, shares = agreed_on(study, **changes), shares_of(values)
    server = ServerFacts(
        {str(peer): LinkFacts(10, 1) for peer in Role}, hops=5, seconds=0.1, phases=()
    )
    about = SessionFacts(agreed, server, statements(study, agreed, shares))
    return ResultPart(bytes.fromhex(agreed.session), shares[role], about.to_json())
