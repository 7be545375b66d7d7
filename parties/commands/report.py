"""`ppaurora report`: a saved result as one HTML file, and on request as CSV, SVG and PDF."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.parties.commands.declared_options import OptionGroup, with_declared_options
from ppaurora.parties.commands.options import ChangeOption
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err
from ppaurora.parties.study.key_statements import load_statement
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.study import Study

if TYPE_CHECKING:
    from ppaurora.parties.reports.model import Page


@dataclass(frozen=True, slots=True)
class ReportFiles(OptionGroup):
    """The files that a report is written as."""

    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also a report for people, as one HTML file."),
    ] = None
    csv: Annotated[
        Path | None, typer.Option(help="Also each table as a CSV file, in this folder.")
    ] = None
    svg: Annotated[
        Path | None, typer.Option(help="Also each curve as an SVG file, in this folder.")
    ] = None
    pdf: Annotated[
        Path | None, typer.Option(help="Also a PDF, printed by a browser of this machine.")
    ] = None
    bundle: Annotated[
        Path | None,
        typer.Option(
            help="Also a ZIP for a journal: result, study, report, tables, and how to verify them."
        ),
    ] = None

    def write(self, page: Page, text: str, study: Study | None) -> None:
        """Write what is asked for, and name each file; `text` is the result's document."""
        from ppaurora.parties.reports.files import write_bundle, write_report

        for path in write_report(page, html=self.report, csv=self.csv, svg=self.svg, pdf=self.pdf):
            err().print(f"Written: {path}")
        if self.bundle is None:
            return
        if study is None:
            raise ConfigurationError(
                "A bundle is of one verified result", advice="Give it with its study, by --study."
            )
        write_bundle(self.bundle, page, text, study)
        err().print(f"Written: {self.bundle}")


NO_FILES = ReportFiles()


@with_declared_options("report")
def report(
    result: Annotated[
        list[Path],
        typer.Argument(
            help="The file that `ppaurora result` saved; several of one schedule make a trend."
        ),
    ],
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
    also: ReportFiles = NO_FILES,
) -> None:
    """Make a report of a result, for people: one HTML file that fetches nothing.

    The result is verified before, as `ppaurora verify` does; without the study file only with
    --unverified, and then the report warns its readers. The results of several releases of one
    schedule make a report of the trend; --study is then the agreement.
    """
    from ppaurora.parties.reports.files import page_of_file, read_text, trend_of_texts

    if (study is None) is not unverified:
        raise ConfigurationError(
            "A report is of a verified result, or says that it is not",
            advice="Give the study file with --study, or say --unverified.",
        )
    texts, agreed_on, periods = {path: read_text(path) for path in result}, None, []
    if study is not None:
        from ppaurora.parties.reports.verification import released, verified

        agreed = Study.load(study)
        keys = KeysInForce(KeyStatements.of(map(load_statement, change or ())))
        for text in texts.values():
            agreed_on = released(text, agreed)
            verified(text, agreed_on, keys.ever_of_servers(agreed_on))
        periods = _up_to_the_last(agreed, texts.values())
    first = result[0]
    if len(result) > 1:
        page, text, agreed_on = (
            trend_of_texts(texts, periods, verified=study is not None),
            "",
            None,
        )
    else:
        text = texts[first]
        page = page_of_file(first, text, verified=study is not None)
    files = replace(also, report=output or first.with_suffix(".html"))
    files.write(page, text, agreed_on)


def _up_to_the_last(agreed: Study, texts: Iterable[str]) -> list[str]:
    """The periods of a schedule up to the last one of which there is one of these results."""
    from ppaurora.parties.reports.verification import released

    found = {released(text, agreed).period for text in texts}
    names = [period.name for period in agreed.schedule.periods]
    return names[: max((names.index(one) for one in found if one in names), default=-1) + 1]
