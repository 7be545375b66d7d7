"""Options of several commands, each described once."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.site.site import Site
from ppaurora.parties.sources.source import Columns

SITE = Path("site.toml")
COLUMNS = Columns()
"""A list that is written as a study says."""
ALL = "all"
"""Said of a release: every one that has opened."""

SiteOption = Annotated[
    Path, typer.Option("--site", "-s", envvar="PPAURORA_SITE", help="Your private site file.")
]
StudyOption = Annotated[
    Path | None,
    typer.Option("--study", help="Which study, if your site file names several."),
]
ReleaseOption = Annotated[
    str,
    typer.Option(
        "--release",
        metavar="PERIOD",
        help="Which release of a study with a schedule, such as 2026-03; else the open one.",
    ),
]
GlobOption = Annotated[
    bool,
    typer.Option("--glob", help="The file is a pattern; all files that fit it are one list."),
]
ChangeOption = Annotated[
    list[Path] | None,
    typer.Option("--change", help="A change or revocation of a key; once for each file."),
]


ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Also what each number tells beyond itself.")
]


def is_named(context: typer.Context, flag: str) -> bool:
    """Return whether the command line of this command names an option."""
    source = context.get_parameter_source(flag.replace("-", "_"))
    return source is not None and source.name == "COMMANDLINE"


class Format(StrEnum):
    """The format of an answer on stdout."""

    table = "table"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="The format of stdout.")]


def of_site(context: typer.Context, site: Path, given: Columns) -> Columns:
    """The form of the site's list, with what this command line says instead."""
    named = {
        name: getattr(given, name)
        for name, one in Columns.options().items()
        if is_named(context, one.flag)
    }
    return replace(Site.load(site).columns, **named)
