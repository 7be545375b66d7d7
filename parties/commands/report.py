"""`ppaurora report`: a saved result as one HTML file, and on request as CSV, SVG and PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.parties.commands.options import ChangeOption
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err
from ppaurora.parties.study.key_statements import load_statement
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.study import Study

if TYPE_CHECKING:
    from ppaurora.parties.reports.model import Page


def report(
    result: Annotated[Path, typer.Argument(help="The file that `ppaurora result` saved.")],
    study: Annotated[
        Path | None, typer.Option(help="The study file, by which its signatures are verified.")
    ] = None,
    change: ChangeOption = None,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Verify nothing; the report says so.")
    ] = False,
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
    """Make a report of a result, for people: one HTML file that fetches nothing.

    The result is verified before, as `ppaurora verify` does; without the study file only with
    --unverified, and then the report warns its readers.
    """
    from ppaurora.parties.reports.files import page_of_file, read_text

    if (study is None) is not unverified:
        raise ConfigurationError(
            "A report is of a verified result, or says that it is not",
            advice="Give the study file with --study, or say --unverified.",
        )
    text = read_text(result)
    if study is not None:
        from ppaurora.parties.reports.verification import verified

        agreed_on = Study.load(study)
        keys = KeysInForce(KeyStatements.of(map(load_statement, change or ())))
        verified(text, agreed_on, keys.ever_of_servers(agreed_on))
    page = page_of_file(result, text, verified=study is not None)
    write_pages(page, output or result.with_suffix(".html"), csv, svg, pdf)


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
