"""Options of several commands, each described once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.parties.commands.declared_options import OptionGroup
from ppaurora.parties.sources.text.text_file import ENCODINGS

if TYPE_CHECKING:
    from ppaurora.parties.sources.source import Columns

__all__ = [
    "SITE",
    "ChangeOption",
    "ColumnOptions",
    "DelimiterOption",
    "Format",
    "FormatOption",
    "GlobOption",
    "LabelOption",
    "OwnColumnOptions",
    "ReportOption",
    "ScoreOption",
    "SiteOption",
    "StudyOption",
    "metrics_are_named",
]

SITE = Path("site.toml")

SiteOption = Annotated[
    Path, typer.Option("--site", "-s", envvar="PPAURORA_SITE", help="Your private site file.")
]
StudyOption = Annotated[
    Path | None,
    typer.Option("--study", help="Which study, if your site file names several."),
]
ScoreOption = Annotated[str, typer.Option("--score", help="The column of scores.")]
LabelOption = Annotated[str, typer.Option("--label", help="The column of labels.")]
DelimiterOption = Annotated[
    str,
    typer.Option(
        "--delimiter", help=", or ; or | or tab: for texts whose header shows none or several."
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
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also a report for people, as one HTML file."),
]


def metrics_are_named(context: typer.Context) -> bool:
    """Return whether the command line of this command names a metric."""
    source = context.get_parameter_source("metric")
    return source is not None and source.name == "COMMANDLINE"


class Format(StrEnum):
    """The format of an answer on stdout."""

    table = "table"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="The format of stdout.")]


@dataclass(frozen=True, slots=True)
class ColumnOptions(OptionGroup):
    """The columns of a list, and the format of a text."""

    score: ScoreOption = "score"
    label: LabelOption = "label"
    delimiter: DelimiterOption = ""
    encoding: Annotated[
        str, typer.Option("--encoding", help=f"The encoding of a text: {', '.join(ENCODINGS)}.")
    ] = ENCODINGS[0]
    decimal_comma: Annotated[
        bool, typer.Option("--decimal-comma", help="Scores in a text have a comma: 0,25.")
    ] = False
    percent: Annotated[
        bool, typer.Option("--percent", help="Scores in a text are percentages: 25 or 25 %.")
    ] = False
    thousands: Annotated[
        str, typer.Option("--thousands", help=", or . or ' or a blank between thousands in a text.")
    ] = ""

    def columns(self, against: str = "") -> Columns:
        """The columns that these options name."""
        from ppaurora.parties.sources.columns.numbers import NumberFormat
        from ppaurora.parties.sources.source import Columns

        number_format = NumberFormat(self.decimal_comma, self.percent, self.thousands)
        return Columns(
            self.score, self.label, self.delimiter, against, self.encoding, number_format
        )


@dataclass(frozen=True, slots=True)
class OwnColumnOptions(ColumnOptions):
    """The same for a site with a study, which names the column of second scores."""

    against: Annotated[
        str,
        typer.Option("--against", help="The column of second scores, if the study names another."),
    ] = ""

    def columns(self, against: str = "") -> Columns:
        """The columns that these options name."""
        return ColumnOptions.columns(self, against or self.against)
