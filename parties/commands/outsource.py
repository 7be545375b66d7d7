"""The command of a data owner: outsource."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.mpc.role import Role
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
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.reports.console import err
from ppaurora.parties.sources.source import Columns

if TYPE_CHECKING:
    from ppaurora.parties.sources.source import Source
    from ppaurora.parties.study.study import Study

WITHDRAWN = "Withdrawn: {} have deleted your upload."
NOTHING_TO_WITHDRAW = "No server has an upload of yours: there was nothing to withdraw."


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
    from ppaurora.parties.reports.study_status import upload_progress
    from ppaurora.parties.sources.labelled import Labelled
    from ppaurora.protocols.pipelines.histogram import LEFT_OUT

    with Participant.of(site, study, release) as owner:
        if withdraw:
            there = owner.withdraw()
            withdrawn = WITHDRAWN.format(_keepers(owner.study))
            err().print(withdrawn if there else NOTHING_TO_WITHDRAW)
            return
        from ppaurora.parties.reports.study_tables import show_plan

        source = _source(
            file, sql, table or [], database, of_site(context, site, columns), glob=glob
        )
        err().print(f"reading {source.name} ({source.title}): {_told(source, owner.study)}")
        rows_read = owner.take(source)
        for note in rows_read.notes:
            err().print(f"note: {note}")
        if not len(rows_read):
            raise DataError(
                f"{source.name} holds no rows, and an empty list cannot be uploaded",
                advice="Give a list with at least one sample; nothing was sent.",
            )
        if rows_read.one_class and not one_class:
            raise DataError(
                f"All labels of this list are of one class ({source.name})",
                advice="Check --label and the study's positive label; "
                "if it is right, add --one-class.",
            )
        prepared = owner.prepare(rows_read)
        show_plan(owner.study, owner.name, prepared.samples, prepared.at_servers, owner.keys)
        if prepared.folds:
            sizes = ", ".join(map(str, prepared.folds))
            err().print(
                f"samples in each of {len(prepared.folds)} {_lists(owner.study)}, "
                f"which all parties will know: {sizes}"
            )
        if LEFT_OUT in owner.study.options.inputs and isinstance(rows_read, Labelled):
            err().print(
                f"{rows_read.left_out} rows left out: the number goes along in two shares, and the "
                "result tells the sum over all owners"
            )
        if check_only:
            err().print("Checked; nothing was sent.")
            return
        if not yes:
            ask_before("send", "this list", "sent")
        with upload_progress() as report:
            owner.send(prepared, report)
    err().print(f"Stored by {_keepers(owner.study)}.")


def _lists(study: Study) -> str:
    """The lists of an upload, in a word: folds or groups, or what rows hold."""
    if study.options.least_join:
        return "kinds of rows (scores, labels, both)"
    groups = study.options.groups
    return f"groups ({', '.join(groups)})" if groups else "folds"


def _keepers(study: Study) -> str:
    """The servers that keep parts of an upload, in words."""
    from ppaurora.parties.study.runs import holders

    return "all three servers" if len(holders(study)) == len(Role) else "both proxies"


def _told(source: Source, study: Study) -> str:
    """A sentence: the data that leave the place of the list, and the cost of reading it."""
    options = study.options
    if options.pipeline.counting_grid is not None:
        return source.counting
    why = "" if options.pipeline.sorts else "the study asks for sums of scores, so all are read; "
    return f"{why}{source.leaks}; {source.cost}"


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
