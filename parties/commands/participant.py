"""What a data owner or receiver does: outsource, compute, result."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.prompt import Confirm

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.commands.options import (
    SITE,
    DecimalCommaOption,
    DelimiterOption,
    EncodingOption,
    Format,
    GlobOption,
    OwnAgainstOption,
    PercentOption,
    ReportOption,
    SiteOption,
    StudyOption,
    ThousandsOption,
)
from ppaurora.parties.commands.report import write_pages
from ppaurora.parties.errors import ConfigurationError, DataError, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.console import err
from ppaurora.parties.reports.files import page_of_text, read_page
from ppaurora.parties.reports.result import Result, saved_session
from ppaurora.parties.reports.standing import computing_progress, upload_progress
from ppaurora.parties.reports.study_tables import show_plan
from ppaurora.parties.reports.terminal import (
    show_page,
    show_result,
)
from ppaurora.parties.site.site import Site
from ppaurora.parties.sources.columns.written import Written
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.reader import source_of
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study
from ppaurora.protocols.options import EXACT

FOREVER = 365 * 86400.0
WITHDRAWN = "Withdrawn: {} have deleted your upload."
NOTHING_TO_WITHDRAW = "No server has an upload of yours: there was nothing to withdraw."

FormatOption = Annotated[Format, typer.Option("--format", help="How stdout is written.")]


def outsource(
    site: SiteOption = SITE,
    file: Annotated[
        Path | None, typer.Argument(help="A CSV or Parquet file, or a folder of Parquet files.")
    ] = None,
    sql: Annotated[
        str,
        typer.Option(
            help="Instead of a file: one SELECT over the files named by --table, or in --database."
        ),
    ] = "",
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A file, and its name in --sql; repeatable."),
    ] = None,
    database: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where --sql runs, as postgresql://user@host/name; the password is in PGPASSWORD "
            "or ~/.pgpass.",
        ),
    ] = "",
    score: Annotated[str, typer.Option(help="The column of scores.")] = "score",
    label: Annotated[str, typer.Option(help="The column of labels.")] = "label",
    against: OwnAgainstOption = "",
    delimiter: DelimiterOption = "",
    encoding: EncodingOption = "utf-8",
    decimal_comma: DecimalCommaOption = False,
    percent: PercentOption = False,
    thousands: ThousandsOption = "",
    glob: GlobOption = False,
    study: StudyOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before sending.")] = False,
    check_only: Annotated[
        bool, typer.Option("--check-only", help="Check and show; send nothing.")
    ] = False,
    one_class: Annotated[
        bool, typer.Option("--one-class", help="All labels being equal is no mistake.")
    ] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Delete your upload at both proxies instead.")
    ] = False,
) -> None:
    """Check your list, show what will be sent, and send it to P0 and P1 in two shares."""
    with Participant.of(site, study) as owner:
        if withdraw:
            there = owner.withdraw()
            withdrawn = WITHDRAWN.format(_keepers(owner.study))
            err().print(withdrawn if there else NOTHING_TO_WITHDRAW)
            return
        written = Written(decimal_comma, percent, thousands)
        columns = Columns(score, label, delimiter, against, encoding, written)
        source = _source(file, sql, table or [], database, columns, glob=glob)
        err().print(f"reading {source.name} ({source.title}): {_told(source, owner.study)}")
        found = owner.take(source)
        for note in found.notes:
            err().print(f"note: {note}")
        if not len(found):
            raise DataError(
                f"{source.name} holds no rows, and an empty list cannot be uploaded",
                advice="Give a list with at least one sample; nothing was sent.",
            )
        if found.one_class and not one_class:
            raise DataError(
                f"All labels of this list are of one class ({source.name})",
                advice="Check --label and the study's positive label; "
                "if it is right, add --one-class.",
            )
        prepared = owner.prepare(found)
        show_plan(owner.study, owner.name, prepared.samples, prepared.at_servers)
        if prepared.folds:
            err().print(
                f"samples in each of {len(prepared.folds)} folds, which all parties will know: "
                f"{', '.join(map(str, prepared.folds))}"
            )
        if check_only:
            err().print("Checked; nothing was sent.")
            return
        if not yes:
            _ask_before_sending()
        with upload_progress() as report:
            owner.send(prepared, report)
    err().print(f"Stored by {_keepers(owner.study)}.")


def _keepers(study: Study) -> str:
    """Who keeps parts of an upload, in words."""
    return "all three servers" if len(holders(study)) == len(Role) else "both proxies"


def _told(source: Source, study: Study) -> str:
    """What leaves the place where the list lies, and what reading it costs."""
    options = study.options
    if options.pipeline.counting_grid is not None:
        return source.counting
    why = "" if options.mode == EXACT else "the study asks for sums of scores, so all are read; "
    return f"{why}{source.leaks}; {source.cost}"


def _ask_before_sending() -> None:
    """Let a person decide; without one at a terminal only --yes will do."""
    if not sys.stdin.isatty():
        raise PolicyRefusal(
            "Nobody can be asked here whether to send this list, so nothing was sent",
            advice="Add --yes to send it without being asked.",
        )
    if not Confirm.ask("Send it?", console=err()):
        raise PolicyRefusal("You said no; nothing was sent")


def _source(
    file: Path | None, sql: str, tables: list[str], database: str, columns: Columns, *, glob: bool
) -> Source:
    """The source that the command line names."""
    if (file is None) == (not sql) or (not sql and (tables or database)) or (tables and database):
        raise ConfigurationError(
            "Give either a file, or --sql with its --table options, or --sql with --database",
            advice="For example `ppaurora outsource scores.csv --site site.toml`.",
        )
    if glob and file is None:
        raise ConfigurationError(
            "--glob says that the file is a pattern, and there is no file",
            advice="Give the pattern, for example 'scores-*.csv', or leave out --glob.",
        )
    if file is not None:
        return GlobFiles(str(file), columns) if glob else source_of(file, columns)
    if database:
        from ppaurora.parties.sources.postgres import Postgres

        return Postgres(database, sql, columns)
    from ppaurora.parties.sources.query import Query, named_tables

    return Query(sql, named_tables(tables), columns)


def compute(
    site: SiteOption = SITE,
    study: StudyOption = None,
    wait: Annotated[bool, typer.Option(help="Watch until the result is there.")] = False,
) -> None:
    """Ask for the computation to start with the uploads that are there."""
    with Participant.of(site, study) as participant:
        participant.compute()
        err().print("Asked: P0 starts as soon as all three servers can, if it has not already.")
        if wait:
            with computing_progress() as watch:
                participant.result(FOREVER, watch)
            err().print("Computed; fetch it with `ppaurora result`.")


def result(
    site: SiteOption = SITE,
    study: StudyOption = None,
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for the result; -1: as long as it takes.")
    ] = 0.0,
    format: FormatOption = Format.table,
    output: Annotated[Path | None, typer.Option(help="Where to save it.")] = None,
    save: Annotated[bool, typer.Option(help="Keep the result as a JSON file.")] = True,
    report: ReportOption = None,
) -> None:
    """Fetch both shares of the result, put them together here, save and show it."""
    with Participant.of(site, study) as receiver:
        path = output or Site.load(site).results / f"{receiver.study.id}.json"
        try:
            with computing_progress() as watch:
                fetched = receiver.result(FOREVER if wait < 0 else wait, watch if wait else None)
        except AuroraError as error:
            _show_saved(receiver, path, format, error)
            if report is not None:
                write_pages(read_page(path), report)
            return
        if save:
            fetched.save(path)
            err().print(f"Saved as {path}")
        _print(fetched, format)
        if report is not None:
            write_pages(page_of_text(fetched.to_json()), report)
        # the values are on the disk and on the screen before any server may delete its share
        if save:
            sys.stdout.flush()
            receiver.saved(fetched.session)


def _show_saved(receiver: Participant, path: Path, format: Format, error: AuroraError) -> None:
    """Show what was saved before, where it cannot be fetched again; or else raise the error."""
    session = saved_session(receiver.study, path)
    if session is None:
        raise error
    err().print(f"The servers do not give the result again: {error}")
    err().print(f"It was fetched before, and is saved as {path}")
    if format is Format.json:
        sys.stdout.write(path.read_text(encoding="utf-8"))
        sys.stdout.flush()
    else:
        show_page(read_page(path))
    with contextlib.suppress(AuroraError):
        receiver.saved(session)


def _print(fetched: Result, format: Format) -> None:
    if format is Format.json:
        sys.stdout.write(fetched.to_json())
    else:
        show_result(fetched)
