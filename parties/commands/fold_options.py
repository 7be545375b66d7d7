"""Options of a study of folds: how many, and by what rows come into them."""

from __future__ import annotations

from typing import Annotated

import typer

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.parts import FoldBy
from ppaurora.protocols.lists.folds import FORMS

__all__ = [
    "FoldByOption",
    "FoldCutsOption",
    "FoldFormOption",
    "FoldLeastOption",
    "FoldsOption",
    "folded_by",
]

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
