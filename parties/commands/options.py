"""Options that several commands share, each described once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.parts import FoldBy
from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.lists.folds import FORMS
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.statistics.registry import statistics

__all__ = [
    "SITE",
    "AgainstOption",
    "BinsOption",
    "CodeOption",
    "DecimalsOption",
    "DelimiterOption",
    "DeltaOption",
    "FoldByOption",
    "FoldCutsOption",
    "FoldFormOption",
    "FoldLeastOption",
    "FoldsOption",
    "Format",
    "MergeOption",
    "MetricOption",
    "ModeOption",
    "OwnAgainstOption",
    "ReportOption",
    "SiteOption",
    "StudyOption",
    "TiesOption",
    "folded_by",
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


FoldsOption = Annotated[
    int, typer.Option(help="Folds of a cross-validation, for the metrics that end in _folds.")
]
FoldByOption = Annotated[
    str,
    typer.Option(
        "--fold-by", help="The column of identifiers; all rows of one identifier are in one fold."
    ),
]
FoldFormOption = Annotated[
    str, typer.Option("--fold-form", help=f"How identifiers are written: {' or '.join(FORMS)}.")
]
FoldCutsOption = Annotated[
    str,
    typer.Option(
        "--fold-cuts",
        help="Instead of the owners' key: public cut points of the identifiers, 1950-01-01/1970-"
        "01-01 or 300/600, one fewer than folds.",
    ),
]
FoldLeastOption = Annotated[int, typer.Option(help="Fewest samples of a fold in all.")]


def folded_by(
    folds: int, column: str, form: str, cuts: str, key: str = "", least: int = 0
) -> FoldBy | None:
    """By what rows come into folds, as these options say it; None without folds."""
    if not folds:
        if column:
            raise ConfigurationError(
                "--fold-by is given without --folds", advice="Say how many folds: --folds 5."
            )
        return None
    if not column:
        raise ConfigurationError(
            "--folds is given without --fold-by",
            advice="Name the column of the patients' identifiers or birth dates.",
        )
    points = tuple(cuts.split("/")) if cuts else ()
    return FoldBy(column, form, "" if points else key, points, least)


class Format(StrEnum):
    """How an answer is written to stdout."""

    table = "table"
    json = "json"
