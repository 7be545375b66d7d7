"""`ppaurora doctor`: whether a site is ready, and what to do where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.exit_codes import exit_code
from ppaurora.parties.commands.options import (
    COLUMNS,
    SITE,
    Format,
    FormatOption,
    SiteOption,
    StudyOption,
    of_site,
)
from ppaurora.parties.participant.checkup import Verdict, checkup
from ppaurora.parties.reports.console import out
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
) -> None:
    """Check key, permissions, studies, policy, servers, clocks and your list; sends no list.

    The lines on the firewall are not checked: they say which connections it has to let through.

    Ends with 0 if nothing is wrong, else with the exit code of the first thing that is.
    """
    source = source_of(file, of_site(context, site, columns)) if file is not None else None
    errors, findings = [], []
    for finding in checkup(site, study, source):
        findings.append(
            {"about": finding.about, "verdict": str(finding.verdict), "seen": finding.seen}
        )
        if format is Format.table:
            out().print(f"{finding.verdict:<6}{finding.about}: {finding.seen}")
        if finding.verdict is Verdict.WRONG and finding.error is not None:
            errors.append(finding.error)
    if format is Format.json:
        out().print_json(json.dumps(findings))
    if errors:
        raise typer.Exit(exit_code(type(errors[0])))
