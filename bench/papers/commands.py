"""Commands of the papers' experiments: `tables`, `papers`, `crossover` and `figures`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks import networks
from ppaurora.bench.papers import crossover, drawing, figures, registry, running, tables
from ppaurora.bench.papers.experiment import Experiment, Results
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import as_table, page
from ppaurora.bench.shown import (
    NetworkOptions,
    Plain,
    ReportOptions,
    console,
    err_console,
    measure,
    names,
    show,
)
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.exit_codes import ExitCode

app = typer.Typer()


@app.command("tables")
@with_declared_options()
def tables_command(
    rows: Annotated[
        str, typer.Option(help="Rows such as 8x1000 or 8x1000@5, with commas; else all.")
    ] = "",
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.")] = ",".join(tables.METRICS),
    merges: Annotated[str, typer.Option(help="Merges, with commas.")] = ",".join(tables.MERGES),
    over: NetworkOptions = NetworkOptions("wan"),
    plain: Plain = False,
    record: ReportOptions = ReportOptions(),
) -> None:
    """Tables 1 and 2 of the paper beside this system, cheap rows first."""
    report = record.opened("tables")
    chosen = tables.chosen(names(rows))
    with networks.laid(over.named, over.means) as hosts:
        to_measure = tables.rows_to_measure(
            chosen, names(metrics), names(merges), hosts, plain=plain
        )
        measure(report, to_measure, record.runs, tables.table, hosts)


@app.command("papers")
def papers_command(
    only: Annotated[
        str, typer.Option(help="Experiments or papers, with commas; else all of them.")
    ] = "",
    listed: Annotated[bool, typer.Option("--list", help="Name the experiments.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions, to try it out.")] = False,
    out: Annotated[
        Path, typer.Option(help="Where computed cells, figures and the page are kept.")
    ] = Path("results", "papers"),
    at: Annotated[Path | None, typer.Option("--page", help="The page; else OUT/PAPERS.md.")] = None,
    again: Annotated[
        str,
        typer.Option(help="Compute kept cells again whose names hold this text, and compare."),
    ] = "",
) -> None:
    """All five papers' tables and figures, computed again: cells, figures and a page of them.

    What is there already is kept; an interrupted run goes on where it was. How long it takes is
    said before it begins. A name holds the experiment, its settings, the part and the repetitions;
    with --list those that --again would compute are named.
    """
    chosen = registry.chosen(names(only))
    if listed:
        show(registry.cells_table(chosen, again) if again else registry.table(chosen))
        return
    if again:
        same = running.compute_again(chosen, out, again, console=err_console)
        cells = "1 cell" if same == 1 else f"{same:,} cells"
        console.print(f"{cells} computed again, equal to what is kept")
        return
    err_console.print(running.announced(chosen, out, quick=quick))
    finished = running.compute_missing(chosen, out, quick=quick, console=err_console)
    for experiment in chosen:
        shown(experiment, out, quick=quick)
    written = at or out / "PAPERS.md"
    told = page(list(registry.experiments().values()), out, written, quick=quick)
    written.write_text(told, encoding="utf-8")
    finish(written, finished=finished)


def shown(experiment: Experiment, out: Path, *, quick: bool = False) -> Results:
    """Print its tables and the names of its figures; gives its results."""
    results = experiment.gathered(Kept(out, experiment).found(), quick=quick)
    if results:
        for sheet in experiment.sheets(results):
            show(as_table(sheet))
        for path in drawing.drawn(experiment, results, out):
            console.print(str(path), soft_wrap=True)
    return results


def finish(page: Path, *, finished: bool) -> None:
    """Name the page, and say whether everything is on it."""
    console.print(f"page: {page}", soft_wrap=True)
    if not finished:
        err_console.print("interrupted; the same command goes on from here")
        raise typer.Exit(ExitCode.INTERRUPTED)


@app.command("crossover")
def crossover_command(
    out: Annotated[Path, typer.Option(help="Where rows and figures go; the page above.")] = Path(
        "results", "crossover"
    ),
) -> None:
    """Find where `shuffled` overtakes `network`, and how far behind the better one `auto` is."""
    chosen = list(crossover.EXPERIMENTS)
    finished = running.compute_missing(chosen, out, quick=False, console=err_console)
    for experiment in chosen:
        shown(experiment, out)
    written = out.parent / "CROSSOVER.md"
    written.write_text(crossover.page(out, written), encoding="utf-8")
    finish(written, finished=finished)


@app.command("figures")
def figures_command(
    reports: Annotated[list[Path], typer.Argument(help="Reports of tables and scale.")],
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("figures"),
) -> None:
    """The paper's Figures 2a, 2b and 2c, bytes and phases, as PNG and SVG."""
    for path in figures.drawn([Report.read(report) for report in reports], folder):
        console.print(str(path), soft_wrap=True)
