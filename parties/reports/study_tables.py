"""A study, and what an owner is about to send for it, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.reports.console import out, table_of
from ppaurora.parties.reports.model import Bullets, Sheet
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.learnt import study_ledger
from ppaurora.parties.study.parts import chosen_by_table
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import Share

FINGERPRINT = "fingerprint"
FINGERPRINT_WIDTH = len(fingerprint(PublicKey(bytes(32), bytes(32))))


def show_study(study: Study) -> None:
    """The study with its hash, the keys' fingerprints, and what each party will learn."""
    console = out()
    console.print(f"study {study.id}  {study.title}")
    console.print(f"hash  {study.hash.hex()}")
    for sheet in study_sheets(study):
        table = table_of()
        for name in sheet.columns:
            if name == FINGERPRINT:
                table.add_column(name, no_wrap=True, min_width=FINGERPRINT_WIDTH)
            else:
                table.add_column(name, overflow="fold")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    told = learnt_bullets(study)
    console.print(told.lead)
    for text in told.items:
        console.print(f"  {text}")
    for sentence in assumed(study):
        console.print(sentence)


def study_sheets(study: Study) -> tuple[Sheet, Sheet]:
    """Two tables: the options with what they are, and the parties with their fingerprints."""
    options = []
    for chosen in chosen_by_table(study.declared).values():
        for option, value in chosen:
            told = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            options.append((option.flag, told, option.title))
    people = [
        (server.operator, str(server.role), server.address, fingerprint(server.public))
        for server in study.servers
    ]
    for participant in study.participants:
        does = ", ".join(
            verb
            for verb, true in (("uploads", participant.uploads), ("receives", participant.receives))
            if true
        )
        people.append((participant.name, does, "", fingerprint(participant.public)))
    return (
        Sheet("options", "Options", ("option", "choice", "what it is"), tuple(options)),
        Sheet("parties", "Parties", ("who", "does", "address", FINGERPRINT), tuple(people)),
    )


def learnt_bullets(study: Study) -> Bullets:
    """A sentence for each fact that somebody learns."""
    told = [f"{who}: {text}" for who, all in study_ledger(study).learns.items() for text in all]
    return Bullets(tuple(told), "What each learns, beyond its own input and the result:")


def assumed(study: Study) -> tuple[str, str]:
    """Two sentences: where this holds, and what there is beyond that."""
    learned = study_ledger(study)
    return f"This holds where {learned.assumption}.", f"Beyond that, {learned.deviation}."


def plan_lines(
    study: Study,
    name: str,
    samples: int,
    shares: Mapping[Role, Sequence[Share]],
    keys: KeysInForce | None = None,
) -> Iterator[str]:
    """Lines on what an owner is about to send, and to whom, with the servers' keys of today."""
    keys = keys or KeysInForce()
    yield f"study {study.id} ({study.hash.hex()[:16]}): {', '.join(study.options.metrics)}"
    if study.period:
        opens, closes = (
            day(at(study.schedule.period(study.period)))
            for at in (study.schedule.opens, study.schedule.closes)
        )
        yield f"the release of {study.period}: open from {opens} until {closes}"
    yield f"you are {name}; your list has {samples} samples, which all parties will know"
    for one in study.extra:
        yield f"{one.naming().title}: {', '.join(one.columns)}"
    for role, own in shares.items():
        server = study.server(role)
        yield (
            f"  to {role} ({server.operator}, {server.address}, "
            f"{' or '.join(map(fingerprint, keys.of_server(study, role)))}): "
            f"{'; '.join(one.described for one in own)}"
        )
