"""Commands that read reports: as pictures, as a table, one beside another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.bench import compare as comparing
from ppaurora.bench.measure.report import Report
from ppaurora.bench.papers.figures import drawn
from ppaurora.bench.shown import console, show


def figures_command(
    reports: Annotated[list[Path], typer.Argument(help="Reports of tables and scale.")],
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("figures"),
) -> None:
    """The paper's Figures 2a, 2b and 2c, bytes and phases, as PNG and SVG."""
    for path in drawn([Report.read(report) for report in reports], folder):
        console.print(str(path), soft_wrap=True)


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
    """What became slower, larger or wrong, by ratio; ends with 1 if anything did."""
    compared = comparing.compared(Report.read(old), Report.read(new), factor=factor)
    show(comparing.table(compared))
    if any(row.worse for row in compared):
        raise typer.Exit(1)
