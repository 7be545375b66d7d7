"""Options that several commands share, each described once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["SITE", "Format", "SiteOption", "StudyOption"]

SITE = Path("site.toml")

SiteOption = Annotated[
    Path, typer.Option("--site", "-s", envvar="PPAURORA_SITE", help="Your private site file.")
]
StudyOption = Annotated[
    Path | None,
    typer.Option("--study", help="Which study, if your site file names several."),
]


class Format(StrEnum):
    """How an answer is written to stdout."""

    table = "table"
    json = "json"
