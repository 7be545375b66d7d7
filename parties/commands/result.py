"""The commands for a study whose lists are there: compute, result."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import (
    ALL,
    SITE,
    ExplainOption,
    Format,
    FormatOption,
    ReleaseOption,
    SiteOption,
    StudyOption,
)
from ppaurora.parties.commands.report import NO_FILES, ReportFiles
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err

if TYPE_CHECKING:
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.model import Page
    from ppaurora.parties.reports.result import Result

FOREVER = 365 * 86400.0


def compute(
    site: SiteOption = SITE,
    study: StudyOption = None,
    release: ReleaseOption = "",
    wait: Annotated[bool, typer.Option(help="Watch until the result is there.")] = False,
) -> None:
    """Ask for the computation to start with the uploads that are there."""
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.study_status import computing_progress

    with Participant.of(site, study, release) as participant:
        participant.compute()
        err().print("Asked: P0 starts as soon as all three servers can, if it has not already.")
        if wait:
            with computing_progress() as watch:
                participant.result(FOREVER, watch)
            err().print("Computed; fetch it with `ppaurora result`.")


@with_declared_options()
def result(
    site: SiteOption = SITE,
    study: StudyOption = None,
    release: Annotated[
        str,
        typer.Option(
            metavar="PERIOD",
            help="Which release of a study with a schedule, such as 2026-03; else the open one; "
            f"{ALL}: every one that has opened, with the trend.",
        ),
    ] = "",
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for the result; -1: as long as it takes.")
    ] = 0.0,
    format: FormatOption = Format.table,
    output: Annotated[Path | None, typer.Option(help="Where to save it.")] = None,
    save: Annotated[bool, typer.Option(help="Keep the result as a JSON file.")] = True,
    explain: ExplainOption = False,
    files: ReportFiles = NO_FILES,
) -> None:
    """Fetch both shares of the result, put them together here, save and show it."""
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.files import page_of_text
    from ppaurora.parties.reports.study_status import computing_progress
    from ppaurora.parties.site.site import Site

    if release == ALL:
        _all_releases(site, study, format, files, save=save, named=output)
        return
    with Participant.of(site, study, release) as receiver:
        path = output or Site.load(site).results / f"{receiver.study.id}.json"
        try:
            with computing_progress() as watch:
                fetched = receiver.result(FOREVER if wait < 0 else wait, watch if wait else None)
        except AuroraError as error:
            page, text = _show_saved(receiver, path, format, error)
            files.write(page, text, receiver.study)
            return
        if save:
            fetched.save(path)
            err().print(f"Saved as {path}")
        _print(fetched, format, explain=explain)
        text = fetched.to_json()
        files.write(page_of_text(text), text, receiver.study)
        # the values are on the disk and on the screen before any server may delete its share
        if save:
            sys.stdout.flush()
            receiver.saved(fetched.session)


def _all_releases(
    site: Path,
    study: Path | None,
    format: Format,
    files: ReportFiles,
    *,
    save: bool,
    named: Path | None,
) -> None:
    """Fetch and save every release that has opened, and show what has changed between them."""
    from ppaurora.parties.participant.all_releases import AllReleases
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.terminal import show_page
    from ppaurora.parties.site.site import Site
    from ppaurora.parties.study.study import Study

    own = Site.load(site)
    agreed = Study.load(study or own.only_study)
    if not agreed.scheduled or named is not None or not save:
        raise ConfigurationError(
            "All releases are those of a study with a schedule, and each is saved under its name"
            if agreed.scheduled
            else f"Study {agreed.id} has no schedule",
            advice=f"Leave out {'--output and --no-save' if agreed.scheduled else '--release'}.",
        )
    found = AllReleases.fetched(
        agreed, time.time(), own.results, partial(Participant.of, site, study), err().print
    )
    page = found.trend
    if format is Format.json:
        documents = [json.loads(text) for text in found.texts.values()]
        sys.stdout.write(json.dumps(documents) + "\n")
    else:
        show_page(page)
    files.write(page, "", None)


def _show_saved(
    receiver: Participant, path: Path, format: Format, error: AuroraError
) -> tuple[Page, str]:
    """Show what was saved before, where it cannot be fetched again; or else raise the error.

    It is verified like any saved result: somebody may have changed it since.
    """
    from ppaurora.parties.reports.files import page_of_file
    from ppaurora.parties.reports.terminal import show_page
    from ppaurora.parties.reports.verification import saved_before

    found = saved_before(receiver.study, path, receiver.keys)
    if found is None:
        raise error
    session, text = found
    page = page_of_file(path, text)
    err().print(f"The servers do not give the result again: {error}")
    err().print(f"It was fetched before, and is saved as {path}")
    if format is Format.json:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        show_page(page)
    with contextlib.suppress(AuroraError):
        receiver.saved(session)
    return page, text


def _print(fetched: Result, format: Format, *, explain: bool) -> None:
    if format is Format.json:
        sys.stdout.write(fetched.to_json())
    else:
        from ppaurora.parties.reports.files import page_of_text
        from ppaurora.parties.reports.terminal import show_page

        show_page(page_of_text(fetched.to_json()), explain=explain)
