"""Commands that read reports: as a table, one beside another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.bench import compare as comparing
from ppaurora.bench.measure.report import Report
from ppaurora.bench.shown import show


def show_command(
    report: Annotated[Path, typer.Argument(help="A report.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="For a document.")] = False,
) -> None:
    """A report as a table."""
    show(comparing.table_of(Report.read(report)), markdown=markdown)


def compare_command(
    old: Annotated[Path, typer.Argument(help="The earlier report.")],
    new: Annotated[Path, typer.Argument(help="The later report.")],
    factor: Annotated[float, typer.Option(help="What counts as slower.")] = 1.15,
) -> None:
    """Print what became slower, larger or wrong, by ratio; ends with 1 if anything did."""
    compared = comparing.compared(Report.read(old), Report.read(new), factor=factor)
    show(comparing.table(compared))
    if any(row.worse for row in compared):
        raise typer.Exit(1)
