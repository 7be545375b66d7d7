"""Options of a study that is to be written, each described once."""

from __future__ import annotations

from typing import Annotated

import typer

from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.sorting import SORTS

__all__ = [
    "AgainstOption",
    "AssuranceOption",
    "BinsOption",
    "CodeOption",
    "DealingsOption",
    "DecimalsOption",
    "DeltaOption",
    "MergeOption",
    "MetricOption",
    "ModeOption",
    "TiesOption",
]

MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME[:KEY=VALUE,...]",
        help="One of those that `ppaurora statistics` lists, such as auroc or auroc_ci:level=0.9; "
        "one --metric for each. [default: auroc]",
    ),
]
AgainstOption = Annotated[
    str,
    typer.Option(
        help="The column of second scores, where a metric compares two; the metrics of one score "
        "are of the first ones."
    ),
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
AssuranceOption = Annotated[
    str,
    typer.Option(
        help="semi-honest: one run; covert: three runs with rotated roles, only equal results are "
        "accepted."
    ),
]
DealingsOption = Annotated[
    int,
    typer.Option(help="With --assurance covert: a wrong number is released once in so many tries."),
]
