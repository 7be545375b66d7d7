"""A study, and what an owner is about to send for it, for people at a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.reports.console import err, out, table_of
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.learnt import study_ledger
from ppaurora.parties.study.parts import chosen_by_table
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import Share

FINGERPRINT_WIDTH = len(fingerprint(PublicKey(bytes(32), bytes(32))))


def show_study(study: Study) -> None:
    """The study with its hash, the keys' fingerprints, and what each party will learn."""
    console = out()
    console.print(f"study {study.id}  {study.title}")
    console.print(f"hash  {study.hash.hex()}")
    table = table_of("option", "choice", "what it is")
    for chosen in chosen_by_table(study.declared).values():
        for option, value in chosen:
            told = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            table.add_row(option.flag, told, option.title)
    console.print(table)
    keys = table_of("who", "does", "address")
    keys.add_column("fingerprint", no_wrap=True, min_width=FINGERPRINT_WIDTH)
    for server in study.servers:
        keys.add_row(server.operator, str(server.role), server.address, fingerprint(server.public))
    for participant in study.participants:
        does = ", ".join(
            verb
            for verb, true in (("uploads", participant.uploads), ("receives", participant.receives))
            if true
        )
        keys.add_row(participant.name, does, "", fingerprint(participant.public))
    console.print(keys)
    console.print("What each learns, beyond its own input and the result:")
    learned = study_ledger(study)
    for who, texts in learned.learns.items():
        for text in texts:
            console.print(f"  {who}: {text}")
    console.print(f"This holds where {learned.assumption}.")
    console.print(f"Beyond that, {learned.deviation}.")


def show_plan(
    study: Study,
    name: str,
    samples: int,
    shares: Mapping[Role, Sequence[Share]],
    keys: KeysInForce | None = None,
) -> None:
    """Print what an owner is about to send, and to whom, with the servers' keys of today."""
    keys = keys or KeysInForce()
    console = err()
    console.print(f"study {study.id} ({study.hash.hex()[:16]}): {', '.join(study.options.metrics)}")
    if study.period:
        opens, closes = (
            day(at(study.schedule.period(study.period)))
            for at in (study.schedule.opens, study.schedule.closes)
        )
        console.print(f"the release of {study.period}: open from {opens} until {closes}")
    console.print(f"you are {name}; your list has {samples} samples, which all parties will know")
    for one in study.extra:
        console.print(f"{one.naming().title}: {', '.join(one.columns)}")
    for role, own in shares.items():
        server = study.server(role)
        console.print(
            f"  to {role} ({server.operator}, {server.address}, "
            f"{' or '.join(map(fingerprint, keys.of_server(study, role)))}): "
            f"{'; '.join(one.described for one in own)}"
        )
