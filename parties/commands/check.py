"""`ppaurora check`: what a list looks like, before there is a study."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import COLUMNS, Format, FormatOption
from ppaurora.parties.reports.console import out
from ppaurora.parties.sources.form import options_text
from ppaurora.parties.sources.looked import Looked
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores


@with_declared_options("column")
def check(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a folder of them.")],
    columns: Columns = COLUMNS,
    format: FormatOption = Format.table,
) -> None:
    """Look at a list before there is a study: how it is written, and what scores it has."""
    scores = Scores()
    found = Looked.at(file, columns, scores)
    said = options_text(found.columns)
    if format is Format.json:
        told = asdict(replace(found, columns=Columns()))
        told["columns"] = {one.key: value for one, value in found.columns.chosen}
        out().print_json(json.dumps(told))
        return
    out().print(f"{file}: {found.rows} rows")
    for name, told_of_it in found.facts(scores):
        like = f" (`study new --like {file}`)" if name == "a study" else ""
        out().print(f"  {name:<11} {told_of_it}{like}")
    if not said:
        out().print("It is read without any option.")
        return
    out().print(f"Read with   {said}")
    out().print("Say so to `outsource`, or once in your site file:")
    out().print("[list]")
    for one, value in found.columns.stated:
        out().print(f"{one.key} = {json.dumps(value, ensure_ascii=False)}", markup=False)
