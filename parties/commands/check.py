"""`ppaurora check`: what a list looks like, before there is a study."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from math import ceil, floor
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import COLUMNS, Format, FormatOption
from ppaurora.parties.errors import DataError
from ppaurora.parties.reports.console import out
from ppaurora.parties.sources.form import form_of, options_text
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import ANY, Scale, narrowest

WIDEST = 1_000_000
"""Scores beyond it have a range without ends proposed."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A list as it was found, and the scores that a study would have to allow for it."""

    columns: Columns
    rows: int
    positives: int
    lowest: float
    highest: float
    range: tuple[float | str, ...]
    resolution: str
    notes: tuple[str, ...]

    @classmethod
    def at(cls, file: Path, stated: Columns, scores: Scores) -> Looked:
        """The list at `file`, read as it looks."""
        columns = form_of(file, stated, scores)
        table = read(file, columns, scores, range=(ANY,))
        if not len(table):
            raise DataError(f"{file} holds no rows", advice="Give a list with samples.")
        lowest, highest = float(table.scores.min()), float(table.scores.max())
        ends = _range(lowest, highest)
        return cls(
            columns,
            len(table),
            int(table.labels.sum()),
            lowest,
            highest,
            ends,
            narrowest(table.scores, Scale.of("full", ends)),
            table.notes,
        )

    @property
    def classes(self) -> str:
        """The rows of each class, in words."""
        share = self.positives / self.rows
        return f"{self.positives} positive, {self.rows - self.positives} negative ({share:.1%})"


def _range(lowest: float, highest: float) -> tuple[float | str, ...]:
    """Between which numbers such scores lie, as a study would say it."""
    if lowest >= 0 and highest <= 1:
        return (0, 1)
    low, high = min(0, floor(lowest)), max(0, ceil(highest))
    return (low, high) if max(-low, high) <= WIDEST else (ANY,)


@with_declared_options("column")
def check(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a folder of them.")],
    columns: Columns = COLUMNS,
    format: FormatOption = Format.table,
) -> None:
    """Look at a list before there is a study: how it is written, and what scores it has."""
    scores = Scores()
    found = Looked.at(file, columns, scores)
    ends = ",".join(map(str, found.range))
    said = options_text(found.columns)
    if format is Format.json:
        told = asdict(replace(found, columns=Columns()))
        told["columns"] = {one.key: value for one, value in found.columns.chosen}
        out().print_json(json.dumps(told))
        return
    words = found.columns.words(scores)
    out().print(f"{file}: {found.rows} rows")
    out().print(
        f"  scores      column {found.columns.score}, from {found.lowest:g} to {found.highest:g}"
    )
    out().print(
        f"  labels      column {found.columns.label}: {words.positive} is positive, "
        f"{words.negative} negative; {found.classes}"
    )
    out().print(
        f"  a study     resolution = {found.resolution}, range = {ends} (`study new --like {file}`)"
    )
    for note in found.notes:
        out().print(f"  note        {note}")
    if not said:
        out().print("It is read without any option.")
        return
    out().print(f"Read with   {said}")
    out().print("Say so to `outsource`, or once in your site file:")
    out().print("[list]")
    for one, value in found.columns.stated:
        out().print(f"{one.key} = {json.dumps(value, ensure_ascii=False)}", markup=False)
