"""`ppaurora audit`: whether a server's audit log is whole, and what stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.printable import printable
from ppaurora.parties.commands.options import SITE
from ppaurora.parties.errors import AuditBroken, ConfigurationError
from ppaurora.parties.evidence.audit_chain import Entry, entries
from ppaurora.parties.evidence.statement import checked
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import read_text
from ppaurora.parties.reports.verification import released, verified
from ppaurora.parties.server.keeping.audit_log import NAME, Head, differing, known_head
from ppaurora.parties.site.key_files import public_of
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study


def audit(
    site: Annotated[Path, typer.Option(help="The site file of the server.")] = SITE,
    log: Annotated[
        Path | None, typer.Option(help="Another file than the one in the server's state folder.")
    ] = None,
    result: Annotated[
        Path | None, typer.Option(help="A saved result: hold the log against what was signed.")
    ] = None,
    study: Annotated[Path | None, typer.Option(help="The study file of that result.")] = None,
    show: Annotated[bool, typer.Option(help="Show every line.")] = True,
) -> None:
    """Check every line of a server's audit log, and show it.

    Lines that were changed, taken out or put in are found. Lines cut off at the end are found by
    what the server's records in its state folder know; in a copy elsewhere up to the last session
    whose saved result is given.
    """
    own = Site.load(site)
    path = log or own.server.state / NAME
    # the server may run: what is known to be the last line now is in the log by the time it is read
    known = None if log else known_head(own.server.state)
    entries = list(_read(path)) if path.exists() or known is None else []
    for entry in entries if show else ():
        facts = ", ".join(f"{name} {value}" for name, value in entry.facts.items())
        out().print(printable(f"{entry.number}  {entry.time}  {entry.event}: {facts}", 400))
    err().print(f"{path}: {len(entries)} lines, each follows from the one before")
    _hold_against_records(path, entries, known)
    if result is not None:
        if study is None:
            raise ConfigurationError("A result is given without its study", advice="Add --study.")
        _hold_against(entries, result, released(read_text(result), Study.load(study)), own)


def _read(path: Path) -> Iterator[Entry]:
    try:
        with path.open("rb") as file:
            yield from entries(file)
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error.strerror}",
            advice="Give the site file of a server that has run, or the log with --log.",
        ) from None


def _hold_against_records(path: Path, entries: list[Entry], known: Head | None) -> None:
    """The log must hold the line that the server's records know as its last one."""
    if known is None:
        err().print("No records of the server lie beside it: lines cut off at the end are not seen")
    elif known not in [(entry.number, entry.digest) for entry in entries]:
        raise AuditBroken(
            differing(path, len(entries), known),
            advice="Lines were cut off, or the file was removed or put back from a copy. A server "
            "that starts with it sets it aside and says so.",
        )


def _hold_against(entries: list[Entry], result: Path, study: Study, own: Site) -> None:
    """The log must hold the line that this server signed as its last one in that session."""
    in_force = Keyring(own.keys).in_force()
    keys = in_force.ever_of_servers(study)
    proof = verified(read_text(result), study, keys)
    role = in_force.role_of(study, public_of(own.key))
    if role is None:
        raise ConfigurationError(f"{own.key} is no server's key in study {study.id}")
    head = checked(proof.evidence.statements, StudyRun(study), keys)[role].audit
    at = next((entry for entry in entries if entry.digest == head), None)
    if at is None:
        raise AuditBroken(
            f"The log does not hold the line that {role} signed as its last in that session",
            advice="Lines were cut off, or the log was begun anew.",
        )
    err().print(f"It holds line {at.number}, which {role} signed in session {proof.agreed.session}")
