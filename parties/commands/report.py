"""`ppaurora report`: a saved result as one HTML file, and on request as CSV, SVG and PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.parties.reports.console import err

if TYPE_CHECKING:
    from ppaurora.parties.reports.model import Page


def report(
    result: Annotated[Path, typer.Argument(help="The file that `ppaurora result` saved.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The HTML file; else beside RESULT, ending in .html."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Also each table as a CSV file, in this folder.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Also each curve as an SVG file, in this folder.")
    ] = None,
    pdf: Annotated[
        Path | None, typer.Option(help="Also a PDF, printed by a browser of this machine.")
    ] = None,
) -> None:
    """Make a report of a result, for people: one HTML file that fetches nothing."""
    from ppaurora.parties.reports.files import read_page

    html = output or result.with_suffix(".html")
    write_pages(read_page(result), html, csv, svg, pdf)


def write_pages(
    page: Page,
    html: Path | None,
    csv: Path | None = None,
    svg: Path | None = None,
    pdf: Path | None = None,
) -> None:
    """Write a report as the files that are asked for, and name each."""
    from ppaurora.parties.reports.files import write_report

    for path in write_report(page, html=html, csv=csv, svg=svg, pdf=pdf):
        err().print(f"Written: {path}")
