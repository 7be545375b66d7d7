"""Options that several commands share, each described once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.sources.text.text_file import ENCODINGS
from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.statistics.registry import statistics

__all__ = [
    "SITE",
    "AgainstOption",
    "BinsOption",
    "CodeOption",
    "DecimalCommaOption",
    "DecimalsOption",
    "DelimiterOption",
    "DeltaOption",
    "EncodingOption",
    "Format",
    "GlobOption",
    "MergeOption",
    "MetricOption",
    "ModeOption",
    "OwnAgainstOption",
    "PercentOption",
    "ReportOption",
    "SiteOption",
    "StudyOption",
    "ThousandsOption",
    "TiesOption",
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
AgainstOption = Annotated[
    str,
    typer.Option(
        help="The column of second scores, where a metric compares two; the metrics of one score "
        "are of the first ones."
    ),
]
OwnAgainstOption = Annotated[
    str,
    typer.Option("--against", help="The column of second scores, if the study calls it otherwise."),
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help=f"{', '.join(statistics())}; one --metric for each. "
        "`ppaurora statistics` tells what they are.",
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Also a report for people, as one HTML file."),
]
DecimalsOption = Annotated[int, typer.Option(help="Decimals that are released.")]
CodeOption = Annotated[
    str, typer.Option(help="; ".join(f"{name}: {code.holds}" for name, code in CODES.items()))
]
MergeOption = Annotated[
    str, typer.Option(help="; ".join(f"{name}: {sort.title}" for name, sort in SORTS.items()))
]
DeltaOption = Annotated[int, typer.Option(help="The delta merge's odd parameter.")]
ModeOption = Annotated[
    str, typer.Option(help="exact: all scores are sorted; grid: they are counted in bins, any n.")
]
BinsOption = Annotated[
    int, typer.Option(help="With --mode grid: bins from 0 to 1, a power of two.")
]
TiesOption = Annotated[str, typer.Option(help=f"How ties are found: {' or '.join(WAYS)}.")]


class Format(StrEnum):
    """How an answer is written to stdout."""

    table = "table"
    json = "json"
