"""Options of those who have a study already, each described once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "SITE",
    "DelimiterOption",
    "Format",
    "OwnAgainstOption",
    "ReportOption",
    "SiteOption",
    "StudyOption",
]

SITE = Path("site.toml")

SiteOption = Annotated[
    Path, typer.Option("--site", "-s", envvar="PPAURORA_SITE", help="Your private site file.")
]
StudyOption = Annotated[
    Path | None,
    typer.Option("--study", help="Which study, if your site file names several."),
]
DelimiterOption = Annotated[
    str,
    typer.Option(
        "--delimiter", help=", or ; or | or tab: for texts whose header shows none or several."
    ),
]
OwnAgainstOption = Annotated[
    str,
    typer.Option("--against", help="The column of second scores, if the study calls it otherwise."),
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also a report for people, as one HTML file."),
]


class Format(StrEnum):
    """How an answer is written to stdout."""

    table = "table"
    json = "json"
