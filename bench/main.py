"""`ppaurora bench`: the paper's experiments and this system's own figures, measured for real.

Every command writes a JSON report and prints it as a table. What was measured is kept by row and
run: an interrupted benchmark goes on where it was, and more runs are added to those there are.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.bench import crossover
from ppaurora.bench.measure import alone, primitives, scale
from ppaurora.bench.measure.round_trip import bits_per_second, median_round_trip
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means
from ppaurora.bench.papers import drawing, registry, running, tables
from ppaurora.bench.papers.experiment import Experiment, Results
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import as_table, page
from ppaurora.bench.peers import side_by_side
from ppaurora.bench.reading import compare_command, figures_command, show_command
from ppaurora.bench.shown import (
    Bandwidth,
    Check,
    Fresh,
    MeansOption,
    NetworkName,
    Out,
    Plain,
    RoundTrip,
    Runs,
    console,
    err_console,
    measure,
    names,
    numbers,
    opened,
    show,
)
from ppaurora.bench.sources import measuring as sources
from ppaurora.bench.sources import outsourcing
from ppaurora.bench.studies import many
from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands.exit_codes import ExitCode, exit_code
from ppaurora.protocols.options import COVERT, Options

app = typer.Typer(
    name="bench",
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
HERE = networks.one_host(networks.LOOPBACK, Means.LOOPBACK)


@app.callback()
def bench() -> None:
    """A signal that ends this process interrupts it instead, so that all is cleared away."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


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
    chosen = tables.chosen(names(rows))
    with networks.laid(networks.named(network, rtt, bandwidth), means) as hosts:
        to_measure = tables.rows_to_measure(
            chosen, names(metrics), names(merges), hosts, plain=plain
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
    chosen = registry.chosen(names(only))
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
    dealings: Annotated[
        int, typer.Option(help="Of one run of a covert study: what its helper commits to.")
    ] = 0,
    runs: Runs = 3,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Time, bytes, hops and memory against samples and owners."""
    report = opened("scale", out, fresh)
    options = Options(metrics=names(metrics), merge=merge)
    if dealings:
        options = replace(options, assurance=COVERT, dealings=dealings)
    with networks.laid(networks.named(network, rtt, bandwidth), means) as hosts:
        options = replace(options, conditions=hosts.network.conditions)
        to_measure = list(
            scale.rows_to_measure(
                numbers(owners), numbers(samples), options, hosts, plain=plain, check=check
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
    to_measure = primitives.rows_to_measure(names(only), numbers(lengths), names(channels), HERE)
    measure(report, to_measure, runs, primitives.table)


@app.command("threads")
def threads_command(
    only: Annotated[str, typer.Option(help="Primitives, with commas.")] = "compare-exchange",
    lengths: Annotated[str, typer.Option(help="Elements, with commas.")] = "1000000",
    threads: Annotated[str, typer.Option(help="Numbers of threads, with commas.")] = ",".join(
        map(str, alone.THREADS)
    ),
    runs: Runs = 1,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """One party's own work on one thread and on several, its peers' frames at hand."""
    report = opened("threads", out, fresh)
    to_measure = alone.rows_to_measure(names(only), numbers(lengths), numbers(threads))
    measure(report, to_measure, runs, alone.table)


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
        names(layouts),
        names(only, ";"),
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
    asked = sources.chosen(names(only, ";"))
    with (
        sources.laid_out() as places,
        networks.laid(networks.named(network, rtt, bandwidth), means) as hosts,
    ):
        to_measure = [
            *sources.rows_to_measure(asked, bins, places),
            *(sources.servers_row(rows, bins, hosts) for rows in numbers(servers)),
        ]
        measure(report, to_measure, runs, sources.table, hosts)


@app.command("studies")
def studies_command(
    studies: Annotated[int, typer.Option(help="How many.")] = 20,
    sessions: Annotated[str, typer.Option(help="Sessions at once, with commas.")] = "1,2,4",
    rows: Annotated[int, typer.Option(help="Rows of each of the three owners.")] = 1000,
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.")] = "auroc",
    network: NetworkName = "wan",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
    runs: Runs = 3,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Many studies on three servers, several sessions at once against one after the other."""
    report = opened("studies", out, fresh)
    options = Options(metrics=names(metrics))
    with networks.unshaped(networks.named(network, rtt, bandwidth), means) as hosts:
        to_measure = many.rows_to_measure(studies, numbers(sessions), rows, options, hosts)
        measure(report, to_measure, runs, many.table, hosts)


@app.command("outsource")
def outsource_command(
    rows: Annotated[str, typer.Option(help="Numbers of rows, with commas.")] = "5000000",
    formats: Annotated[str, typer.Option(help="Formats, with commas.")] = ",".join(
        outsourcing.FORMATS
    ),
    network: NetworkName = "loopback",
    rtt: RoundTrip = None,
    bandwidth: Bandwidth = None,
    means: MeansOption = Means.AUTO,
    runs: Runs = 1,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """An owner's part: reading a list, encoding and splitting it, sending it to real servers.

    Over a network the owner sits beside P0, and sends what it has for P1 to another host.
    """
    report = opened("outsource", out, fresh)
    asked = networks.named(network, rtt, bandwidth)
    with networks.unshaped(asked, means) as hosts, outsourcing.laid_out(hosts) as site:
        to_measure = outsourcing.rows_to_measure(names(formats), numbers(rows), site)
        measure(report, to_measure, runs, outsourcing.table, hosts)


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


app.command("figures")(figures_command)
app.command("show")(show_command)
app.command("compare")(compare_command)


def main() -> None:
    """Run; an expected error is one line and its exit code."""
    try:
        app()
    except AuroraError as error:
        err_console.print(str(error), soft_wrap=True, highlight=False)
        sys.exit(exit_code(type(error)))
