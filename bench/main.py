"""`ppaurora bench`: the paper's experiments and this system's own figures, measured for real.

Every command writes a JSON report and prints it as a table. What was measured is kept by row and
run: an interrupted benchmark goes on where it was, and more runs are added to those there are.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.box import MARKDOWN
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from ppaurora.bench import compare as comparing
from ppaurora.bench import crossover
from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure import primitives, scale
from ppaurora.bench.measure.report import Report
from ppaurora.bench.measure.round_trip import bits_per_second, median_round_trip
from ppaurora.bench.measure.rows import Row, measure_rows
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Hosts, Means
from ppaurora.bench.papers import drawing, registry, running, tables
from ppaurora.bench.papers.experiment import Experiment, Results
from ppaurora.bench.papers.figures import drawn
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import as_table, page
from ppaurora.bench.peers import side_by_side
from ppaurora.bench.shown import described, row_by_row
from ppaurora.bench.sources import measuring as sources
from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands.exit_codes import ExitCode, exit_code
from ppaurora.protocols.options import Options

app = typer.Typer(
    name="bench",
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
console = Console()
err_console = Console(stderr=True)

HERE = networks.one_host(networks.LOOPBACK, Means.LOOPBACK)
# A report is as wide as it must be where nobody looks at it on a terminal.
WIDE = 220

Runs = Annotated[int, typer.Option(help="How often every row is measured.", min=1)]
Out = Annotated[Path | None, typer.Option(help="The report; else results/bench-COMMAND.json.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure anew what is there already.")]
NetworkName = Annotated[str, typer.Option("--network", help="loopback, lan or wan.")]
RoundTrip = Annotated[float | None, typer.Option("--rtt", help="Round trip in milliseconds.")]
Bandwidth = Annotated[float | None, typer.Option(help="What one host may send, in Mbit/s.")]
MeansOption = Annotated[Means, typer.Option("--means", help="What makes the delay.")]
Plain = Annotated[bool, typer.Option("--plain", help="No encryption, to see what it costs.")]
Check = Annotated[bool, typer.Option("--check", help="With the proxies' check of the lists.")]


@app.callback()
def bench() -> None:
    """A signal that ends this process interrupts it instead, so that all is cleared away."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def measure(
    report: Report,
    rows: Iterable[Row],
    runs: int,
    table: Callable[[Report], Table],
    hosts: Hosts | None = None,
) -> None:
    """Measure what is missing, show the table, and say where the report is."""
    if hosts is not None:
        report.head["network"] = described(hosts)
    outcome = measure_rows(report, list(rows), runs=runs, console=err_console)
    show(table(report))
    for refused in hosts.refused if hosts is not None else ():
        console.print(f"not used: {refused}", soft_wrap=True)
    console.print(f"report: {report.path}", soft_wrap=True)
    for failure in outcome.failures:
        err_console.print(f"failed: {failure}", soft_wrap=True)
    if outcome.interrupted:
        err_console.print("interrupted; the same command goes on from here")
        raise typer.Exit(ExitCode.INTERRUPTED)
    if outcome.failures:
        raise typer.Exit(exit_code(RunFailed))


def show(table: Table, *, markdown: bool = False) -> None:
    """Print it without cutting anything: on a terminal that is too narrow, row by row."""
    if markdown:
        table.box, table.title = MARKDOWN, None
    needed = Measurement.get(console, console.options.update(width=WIDE), table).maximum
    if not console.is_terminal or markdown:
        Console(width=WIDE).print(table)
    elif needed > console.width:
        for upright in row_by_row(table):
            console.print(upright)
    else:
        console.print(table)


def opened(bench: str, out: Path | None, fresh: bool) -> Report:
    """The report of a command."""
    path = out or Path("results", f"bench-{bench}.json")
    return Report.resumed(bench, path, " ".join(sys.argv[1:]), fresh=fresh)


@app.command("tables")
def tables_command(
    rows: Annotated[
        str, typer.Option(help="Rows such as 8x1000 or 8x1000@5, with commas; else all.")
    ] = "",
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.")] = ",".join(tables.METRICS),
    merges: Annotated[str, typer.Option(help="Merges, with commas.")] = ",".join(tables.MERGES),
    network: NetworkName = "wan",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
    plain: Plain = False,
    runs: Runs = 1,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Tables 1 and 2 of the paper beside this system, cheap rows first."""
    report = opened("tables", out, fresh)
    chosen = tables.chosen(_names(rows))
    with networks.laid(networks.named(network, rtt, bandwidth), means) as hosts:
        to_measure = tables.rows_to_measure(
            chosen, _names(metrics), _names(merges), hosts, plain=plain
        )
        measure(report, to_measure, runs, tables.table, hosts)


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
) -> None:
    """All five papers' tables and figures, computed again: cells, figures and a page of them.

    What is there already is kept; an interrupted run goes on where it was.
    """
    chosen = registry.chosen(_names(only))
    if listed:
        show(registry.table(chosen))
        return
    finished = running.compute_missing(chosen, out, quick=quick, console=err_console)
    for experiment in chosen:
        shown(experiment, out, quick=quick)
    written = at or out / "PAPERS.md"
    told = page(list(registry.experiments().values()), out, written, quick=quick)
    written.write_text(told, encoding="utf-8")
    finish(written, finished=finished)


def shown(experiment: Experiment, out: Path, *, quick: bool = False) -> Results:
    """What is kept of it, after its tables and the names of its figures were printed."""
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
    """Where `shuffled` overtakes `network`, and how far behind the better one `auto` is."""
    experiment = crossover.Crossover()
    finished = running.compute_missing([experiment], out, quick=False, console=err_console)
    results = shown(experiment, out)
    written = out.parent / "CROSSOVER.md"
    written.write_text(crossover.page(experiment, results, out, written), encoding="utf-8")
    finish(written, finished=finished)


@app.command("scale")
def scale_command(
    owners: Annotated[str, typer.Option(help="Numbers of owners, with commas.")] = ",".join(
        map(str, scale.OWNERS)
    ),
    samples: Annotated[str, typer.Option(help="Numbers of samples, with commas.")] = ",".join(
        map(str, scale.SAMPLES)
    ),
    ten_million: Annotated[
        bool, typer.Option("--ten-million", help="And 10 million samples from 8 owners.")
    ] = False,
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.")] = "auroc",
    merge: Annotated[str, typer.Option(help="The sort.")] = "network",
    network: NetworkName = "loopback",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
    plain: Plain = False,
    check: Check = False,
    runs: Runs = 3,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Time, bytes, hops and memory against samples and owners."""
    report = opened("scale", out, fresh)
    options = Options(metrics=_names(metrics), merge=merge)
    with networks.laid(networks.named(network, rtt, bandwidth), means) as hosts:
        to_measure = list(
            scale.rows_to_measure(
                _numbers(owners), _numbers(samples), options, hosts, plain=plain, check=check
            )
        )
        if ten_million:
            to_measure += scale.rows_to_measure(
                [8], [scale.TEN_MILLION], options, hosts, plain=plain, check=check
            )
        measure(report, to_measure, runs, scale.table, hosts)


@app.command("primitives")
def primitives_command(
    only: Annotated[str, typer.Option(help="Primitives, with commas; else all.")] = "",
    lengths: Annotated[str, typer.Option(help="Elements, with commas.")] = ",".join(
        map(str, primitives.LENGTHS)
    ),
    channels: Annotated[str, typer.Option(help="memory, plain, curve.")] = ",".join(
        primitives.CHANNELS
    ),
    runs: Runs = 1,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Every primitive of the runtime by itself."""
    report = opened("primitives", out, fresh)
    to_measure = primitives.rows_to_measure(_names(only), _numbers(lengths), _names(channels), HERE)
    measure(report, to_measure, runs, primitives.table)


@app.command("peers")
def peers_command(
    layouts: Annotated[str, typer.Option(help="Layouts, with commas.")] = "3x64,8x1000",
    only: Annotated[str, typer.Option(help="Contestants, with semicolons; else all.")] = "",
    install: Annotated[
        bool, typer.Option("--install", help="Make the environments that are missing.")
    ] = False,
    patience: Annotated[float, typer.Option(help="Seconds before a peer is given up.")] = 600.0,
    runs: Runs = 3,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """The same AUROC by MPyC, SPU and scikit-learn, side by side on this machine."""
    report = opened("peers", out, fresh)
    present, absent = side_by_side.environments(install=install)
    report.head["absent"] = absent
    to_measure = side_by_side.rows_to_measure(
        _names(layouts),
        _names(only, ";"),
        present,
        HERE,
        patience=patience,
    )
    measure(report, to_measure, runs, lambda filled: side_by_side.table(filled, absent))


@app.command("sources")
def sources_command(
    only: Annotated[
        str, typer.Option(help="Such as PostgreSQL:counts:1e7, with semicolons.")
    ] = sources.USUAL,
    servers: Annotated[
        str, typer.Option(help="Rows behind the three servers' part, with commas.")
    ] = "",
    bins: Annotated[int, typer.Option(help="Bins of the grid.")] = 4096,
    network: NetworkName = "wan",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
    runs: Runs = 1,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Engines that count rows or give the list, and what is left to the servers."""
    report = opened("sources", out, fresh)
    asked = sources.chosen(_names(only, ";"))
    with (
        sources.laid_out() as places,
        networks.laid(networks.named(network, rtt, bandwidth), means) as hosts,
    ):
        to_measure = [
            *sources.rows_to_measure(asked, bins, places),
            *(sources.servers_row(rows, bins, hosts) for rows in _numbers(servers)),
        ]
        measure(report, to_measure, runs, sources.table, hosts)


@app.command("round-trip")
def round_trip_command(
    network: NetworkName = "wan",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
) -> None:
    """What was measured of what was asked for, by every means: round trip, and pace if bounded."""
    asked = networks.named(network, rtt, bandwidth)
    ways = [means] if means is not Means.AUTO else list(networks.ways(asked))
    for way in ways:
        try:
            with networks.laid(asked, way) as hosts:
                told = f"{1e3 * median_round_trip(hosts):.3f} of {1e3 * asked.round_trip:g} ms"
                if asked.bandwidth is not None:
                    pace = bits_per_second(hosts)
                    told += f", {pace / 1e6:.1f} of {asked.bandwidth / 1e6:g} Mbit/s"
        except AuroraError as error:
            told = str(error)
        console.print(f"{way}: {told}", soft_wrap=True)


@app.command("figures")
def figures_command(
    reports: Annotated[list[Path], typer.Argument(help="Reports of tables and scale.")],
    folder: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("figures"),
) -> None:
    """The paper's Figures 2a, 2b and 2c, bytes and phases, as PNG and SVG."""
    for path in drawn([Report.read(report) for report in reports], folder):
        console.print(str(path), soft_wrap=True)


@app.command("show")
def show_command(
    report: Annotated[Path, typer.Argument(help="A report.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="For a document.")] = False,
) -> None:
    """A report as a table."""
    show(comparing.table_of(Report.read(report)), markdown=markdown)


@app.command("compare")
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


def _names(text: str, separator: str = ",") -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _names(text))


def main() -> None:
    """Run; an expected error is one line and its exit code."""
    try:
        app()
    except AuroraError as error:
        err_console.print(str(error), soft_wrap=True, highlight=False)
        sys.exit(exit_code(type(error)))
