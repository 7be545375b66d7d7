"""The command of a data owner: outsource."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.parties.commands.consent import ask_before
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import (
    COLUMNS,
    SITE,
    GlobOption,
    ReleaseOption,
    SiteOption,
    StudyOption,
    of_site,
)
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err
from ppaurora.parties.sources.source import Columns

if TYPE_CHECKING:
    from ppaurora.parties.sources.source import Source


@with_declared_options()
def outsource(
    context: typer.Context,
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
    columns: Columns = COLUMNS,
    glob: GlobOption = False,
    study: StudyOption = None,
    release: ReleaseOption = "",
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
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.participant.ready import keepers, ready, withdrawal
    from ppaurora.parties.reports.study_status import upload_progress

    with Participant.of(site, study, release) as owner:
        if withdraw:
            err().print(withdrawal(owner))
            return
        source = _source(
            file, sql, table or [], database, of_site(context, site, columns), glob=glob
        )
        prepared = ready(owner, source, err().print, one_class=one_class)
        if check_only:
            err().print("Checked; nothing was sent.")
            return
        if not yes:
            ask_before("send", "this list", "sent")
        with upload_progress() as report:
            owner.send(prepared, report)
    err().print(f"Stored by {keepers(owner.study)}.")


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
        from ppaurora.parties.sources.glob_files import GlobFiles
        from ppaurora.parties.sources.reader import source_of

        return GlobFiles(str(file), columns) if glob else source_of(file, columns)
    if database:
        from ppaurora.parties.sources.postgres import Postgres

        return Postgres(database, sql, columns)
    from ppaurora.parties.sources.query import Query, named_tables

    return Query(sql, named_tables(tables), columns)
