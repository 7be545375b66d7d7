"""Options of those who have a study already, each described once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.sources.text.text_file import ENCODINGS

__all__ = [
    "SITE",
    "ChangeOption",
    "DecimalCommaOption",
    "DelimiterOption",
    "EncodingOption",
    "Format",
    "GlobOption",
    "OwnAgainstOption",
    "PercentOption",
    "ReportOption",
    "SiteOption",
    "StudyOption",
    "ThousandsOption",
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
EncodingOption = Annotated[
    str, typer.Option("--encoding", help=f"How a text is encoded: {', '.join(ENCODINGS)}.")
]
DecimalCommaOption = Annotated[
    bool, typer.Option("--decimal-comma", help="Scores in a text have a comma: 0,25.")
]
PercentOption = Annotated[
    bool, typer.Option("--percent", help="Scores in a text are percentages: 25 or 25 %.")
]
ThousandsOption = Annotated[
    str, typer.Option("--thousands", help=", or . or ' or a blank between thousands in a text.")
]
GlobOption = Annotated[
    bool,
    typer.Option("--glob", help="The file is a pattern; all files that fit it are one list."),
]
OwnAgainstOption = Annotated[
    str,
    typer.Option("--against", help="The column of second scores, if the study calls it otherwise."),
]
ChangeOption = Annotated[
    list[Path] | None,
    typer.Option("--change", help="A change or revocation of a key; once for each file."),
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also a report for people, as one HTML file."),
]


class Format(StrEnum):
    """The format of an answer on stdout."""

    table = "table"
    json = "json"
