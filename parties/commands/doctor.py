"""`ppaurora doctor`: whether a site is ready, and what to do where it is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.exit_codes import ExitCode, exit_code
from ppaurora.parties.commands.options import (
    COLUMNS,
    SITE,
    Format,
    FormatOption,
    SiteOption,
    StudyOption,
    of_site,
)
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.participant.checkup import Finding, Verdict, checkup
from ppaurora.parties.private_file import write_public
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import read_text
from ppaurora.parties.simulation.qualification import operation
from ppaurora.parties.simulation.signed_protocol import (
    Check,
    Qualification,
    qualification,
    read_protocol,
    signed_protocol,
)
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.site import Site
from ppaurora.parties.sources.reader import source_of
from ppaurora.parties.sources.source import Columns


@with_declared_options()
def doctor(
    context: typer.Context,
    site: SiteOption = SITE,
    file: Annotated[Path | None, typer.Argument(help="Also check this list of yours.")] = None,
    columns: Columns = COLUMNS,
    study: StudyOption = None,
    format: FormatOption = Format.table,
    qualify: Annotated[
        Path | None,
        typer.Option(help="Also compute known studies here; write a signed protocol of all."),
    ] = None,
    qualified: Annotated[
        Path | None, typer.Option(help="Instead show such a protocol, if its signature is right.")
    ] = None,
) -> None:
    """Check key, permissions, studies, policy, servers, clocks and your list; sends no list.

    The lines on the firewall are not checked: they say which connections it has to let through.

    With --qualify, three servers on this machine also compute studies of known lists, whose numbers
    must be the known ones, and lists and results that are wrong must be refused. The protocol says
    what was installed and what was seen, and is signed by the site's key.

    Ends with 0 if nothing is wrong, else with the exit code of the first thing that is.
    """
    if qualified is not None:
        _show_protocol(qualified)
        return
    if qualify is not None and qualify.exists():
        raise ConfigurationError(f"{qualify} exists", advice="Name a file that does not.")
    began = datetime.now(UTC)
    source = source_of(file, of_site(context, site, columns)) if file is not None else None
    # a passphrase is asked for once, for the checks and for the signature
    secret = cache(asked)
    findings: list[Finding] = []
    for finding in chain(checkup(site, study, source, secret), operation() if qualify else ()):
        findings.append(finding)
        if format is Format.table:
            out().print(f"{finding.verdict:<6}{finding.about}: {finding.seen}")
    if format is Format.json:
        out().print_json(json.dumps([Check.of(one).plain() for one in findings]))
    if qualify is not None:
        made = qualification(findings, began, datetime.now(UTC))
        identity = own_identity(Site.load(site), secret)
        write_public(qualify, signed_protocol(identity, made).encode())
        err().print(f"{_outcome(made)}: {qualify}, signed by {fingerprint(identity.public)}")
    errors = [one.error for one in findings if one.verdict is Verdict.WRONG and one.error]
    if errors:
        raise typer.Exit(exit_code(type(errors[0])))


def _outcome(made: Qualification) -> str:
    return "qualified" if made.passed else "not qualified"


def _show_protocol(path: Path) -> None:
    """A protocol in words, and whose key signed it; an error where it was changed."""
    made, public = read_protocol(read_text(path))
    for check in made.checks:
        out().print(f"{check.verdict:<6}{check.about}: {check.seen}")
    out().print(
        f"{_outcome(made)} on {made.ended:%Y-%m-%d %H:%M} UTC: {made.build}, {made.kernels}"
    )
    out().print(f"Python {made.python}, {made.system}")
    out().print(", ".join(f"{name} {version}" for name, version in made.libraries.items()))
    out().print(f"signed by {fingerprint(public)}: compare it with the site's")
    if not made.passed:
        raise typer.Exit(ExitCode.UNWELL)
