"""Test vectors of the servers' statements and of the parts of a result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ppaurora.mpc.role import Role
from ppaurora.parties.evidence.commitment import hand_out
from ppaurora.parties.evidence.statement import DOMAIN
from ppaurora.parties.requests.messages import (
    ResultPart,
)
from ppaurora.parties.requests.result_parts import RunPart, together
from ppaurora.parties.requests.session_facts import LinkFacts, ServerFacts, SessionFacts
from ppaurora.parties.study.runs import StudyRun, holders, runs_of
from tests.parties.evidence import session
from tests.vectors.cases import READER, SERVERS, STUDIES, Vectors, plain, refused, texts
from tests.vectors.example_studies import OWNER

ROLES = (Role.P0, Role.P1)


def statement() -> Vectors:
    """The statements of all three servers about a session, run by run."""

    def case(study: str, run: int, **changes: Any) -> Vectors:
        name = StudyRun(STUDIES[study], run).session(session.SESSION).hex()
        agreed = session.agreed_on(STUDIES[study], session=name, **changes)
        shares = session.shares_of([8250])
        signed = session.statements(STUDIES[study], agreed, shares, run, session.SESSION)
        said = {role: asdict(one) for role, one in signed.items()}
        return {"study": study, "run": run, "statements": said}

    good = [case("full", 0), *(case("three runs", run) for run in range(3))]
    said, others = good[0]["statements"], case("full", 0, samples=49)["statements"]

    def instead(role: str, **texts: str) -> Vectors:
        """Another statement of one server in the place of its own in the first case."""
        return {"of": 0, "instead": {role: {**said[role], **texts}}}

    def signed(role: str, **entries: Any) -> Vectors:
        """The same with other entries, signed by the server itself."""
        text = json.dumps({**json.loads(said[role]["text"]), **entries}, sort_keys=True)
        by = SERVERS[Role[role.upper()]].sign(DOMAIN + text.encode())
        return instead(role, text=text, signature=by.hex())

    links = json.loads(said["P1"]["text"])["links"]
    other_links = {**links, "P0": {**links["P0"], "sent": "another"}}
    by_p1 = said["P1"]["signature"]
    return {
        "good": good,
        "refused": [
            refused("one is missing", of=0, instead={"helper": None}),
            refused("a blank behind the text", **instead("P0", text=said["P0"]["text"] + " ")),
            refused("signed by another server", **instead("P0", signature=by_p1)),
            refused("no hexadecimal digits", **instead("P1", signature="z" * 128)),
            refused("capital digits", **instead("P1", signature=by_p1.upper())),
            refused("another number of samples", **instead("helper", **others["helper"])),
            refused("the name of another server", **signed("P0", server="P1")),
            refused("other digests of a link", **signed("P1", links=other_links)),
            refused("one link only", **signed("P1", links={"P0": links["P0"]})),
            refused("another ledger", **signed("P1", ledger="00" * 32)),
            refused("an unknown entry", **signed("P1", more=1)),
            refused("of another run", of=1, run=1),
        ],
    }


def result() -> Vectors:
    """The parts of a result as servers hand them out, and the values that they make."""
    good: list[tuple[str, list[int], Vectors]] = [
        ("full", [8250], {"auroc": "0.8250"}),
        ("full", [0], {"auroc": "0.0000"}),
        ("full", [10_000], {"auroc": "1.0000"}),
        ("full", [11_000], {"auroc": None}),
        ("interval", [8250, 7000, 9000], {"auroc_ci": ["0.8250", "0.7000", "0.9000"]}),
        ("three runs", [8250], {"auroc": "0.8250"}),
    ]
    first = handed_out("full", [8250])
    p0, p1 = (first[role] for role in ROLES)
    longer = signed_part("full", Role.P0, replace(p0, words=(1, *p0.words)))
    unread = signed_part("full", Role.P1, replace(p1, about=p1.about[:-1]))
    word, *rest = p1.words
    shifted = signed_part("full", Role.P1, replace(p1, words=(word + 1, *rest)))
    another = handed_out("full", [8250], name=b"t" * 16)
    higher = handed_out("full", [8251])
    both = handed_out("three runs", [8250])[Role.HELPER]
    words, (about, *_) = both.words[: len(both.words) // 2], both.about.split("\n")
    one_run = signed_part("three runs", Role.HELPER, replace(both, words=words, about=about))

    def instead(role: Role, part: ResultPart) -> Vectors:
        return {"of": 0, "instead": shown({role: part})}

    return {
        "receiver": OWNER.public.to_bytes().hex(),
        "good": [
            {"study": study, "parts": shown(handed_out(study, words)), "values": values}
            for study, words, values in good
        ],
        "refused": [
            refused("no signature", **instead(Role.P0, replace(p0, signature=b""))),
            refused("signed by P0", **instead(Role.P1, replace(p1, signature=p0.signature))),
            refused("for another receiver", of=0, receiver=READER.public.to_bytes().hex()),
            refused("a share of another value", **instead(Role.P1, higher[Role.P1])),
            refused("a share that was changed", **instead(Role.P1, shifted)),
            refused("of two sessions", **instead(Role.P1, another[Role.P1])),
            refused("a word too many", **instead(Role.P0, longer)),
            refused("facts that cannot be read", **instead(Role.P1, unread)),
            refused("of another study", of=0, study="interval"),
            refused("above 1", study="full", parts=shown(handed_out("full", [10_001]))),
            refused("below 0", study="full", parts=shown(handed_out("full", [2**64 - 1]))),
            refused("a run too few", of=5, instead=shown({Role.HELPER: one_run})),
            refused(
                "runs of different values",
                study="three runs",
                parts=shown(handed_out("three runs", [8250], [8250], [8251])),
            ),
        ],
    }


def shown(parts: Mapping[Role, ResultPart]) -> Mapping[str, Vectors]:
    """The parts of a result, by the server's name."""
    return {
        str(server): {**plain(part), "words": texts(part.words)} for server, part in parts.items()
    }


def handed_out(
    study: str, *values: Sequence[int], name: bytes = session.SESSION
) -> dict[Role, ResultPart]:
    """The part of each server that holds shares, for ann; `values` are those of each run or all."""
    of_study = STUDIES[study]
    held: dict[Role, list[RunPart]] = {server: [] for server in holders(of_study)}
    for run in runs_of(of_study):
        agreed = session.agreed_on(of_study, session=run.session(name).hex())
        shares = session.shares_of(values[run.number] if len(values) > 1 else values[0])
        signed = session.statements(of_study, agreed, shares, run.number, name)
        for role in ROLES:
            held[run.place(role)].append(
                RunPart(shares[role], SessionFacts(agreed, FIGURES, signed))
            )
    return {
        server: signed_part(study, server, ResultPart(name, *together(own)))
        for server, own in held.items()
    }


def signed_part(study: str, server: Role, part: ResultPart) -> ResultPart:
    """The part with the signature of its server for ann."""
    content = hand_out(STUDIES[study].hash, part.session, OWNER.public, part.words)
    return replace(part, signature=SERVERS[server].sign(content))


FIGURES = ServerFacts(
    {str(peer): LinkFacts(10, 1) for peer in Role}, hops=5, seconds=0.125, phases=()
)
