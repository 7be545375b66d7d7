"""`ppaurora bench`: the paper's experiments and this system's own figures, measured for real.

Every command writes a JSON report and prints it as a table. What was measured is kept by row and
run: an interrupted benchmark goes on where it was, and more runs are added to those there are.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated

import typer

from ppaurora.bench.checkout import ABSENT, ANY_ARGUMENTS, EXPERIMENTS, refuse_experiment
from ppaurora.bench.measure import alone, primitives, scale
from ppaurora.bench.measure.round_trip import bits_per_second, median_round_trip
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means
from ppaurora.bench.reading import compare_command, show_command
from ppaurora.bench.shown import (
    Check,
    NetworkOptions,
    Plain,
    ReportOptions,
    console,
    err_console,
    measure,
    names,
    numbers,
)
from ppaurora.bench.sources import measuring as sources
from ppaurora.bench.sources import outsourcing
from ppaurora.bench.studies import many
from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.exit_codes import exit_code
from ppaurora.protocols.analyses.analysis import analyses
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


@app.command("scale")
@with_declared_options()
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
    metrics: Annotated[
        str, typer.Option(help="Metrics, with commas; or the name of an analysis.")
    ] = "auroc",
    resolution: Annotated[
        str, typer.Option(help="What a score may be: full, float32, decimals:4, bins:1000.")
    ] = "full",
    table: Annotated[
        str, typer.Option(help="sorted, counted, or auto: counted where scores are few.")
    ] = "auto",
    merge: Annotated[str, typer.Option(help="The sort.")] = "network",
    over: NetworkOptions = NetworkOptions(),
    plain: Plain = False,
    check: Check = False,
    dealings: Annotated[
        int, typer.Option(help="Of one run of a covert study: what its helper commits to.")
    ] = 0,
    record: ReportOptions = ReportOptions(runs=3),
) -> None:
    """Time, bytes, hops and memory against samples and owners."""
    report = record.opened("scale")
    asked = {"analysis": metrics} if metrics in analyses() else {"metrics": names(metrics)}
    options = Options(**asked, resolution=resolution, table=table)
    if options.pipeline.merge([2, 2]) is not None:
        options = replace(options, merge=merge)
    if dealings:
        options = replace(options, assurance=COVERT, dealings=dealings)
    with networks.laid(over.named, over.means) as hosts:
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
        measure(report, to_measure, record.runs, scale.table, hosts)


@app.command("primitives")
@with_declared_options()
def primitives_command(
    only: Annotated[str, typer.Option(help="Primitives, with commas; else all.")] = "",
    lengths: Annotated[str, typer.Option(help="Elements, with commas.")] = ",".join(
        map(str, primitives.LENGTHS)
    ),
    channels: Annotated[str, typer.Option(help="memory, plain, curve.")] = ",".join(
        primitives.CHANNELS
    ),
    record: ReportOptions = ReportOptions(),
) -> None:
    """Every primitive of the runtime by itself."""
    report = record.opened("primitives")
    to_measure = primitives.rows_to_measure(names(only), numbers(lengths), names(channels), HERE)
    measure(report, to_measure, record.runs, primitives.table)


@app.command("threads")
@with_declared_options()
def threads_command(
    only: Annotated[str, typer.Option(help="Primitives, with commas.")] = "compare-exchange",
    lengths: Annotated[str, typer.Option(help="Elements, with commas.")] = "1000000",
    threads: Annotated[str, typer.Option(help="Numbers of threads, with commas.")] = ",".join(
        map(str, alone.THREADS)
    ),
    record: ReportOptions = ReportOptions(),
) -> None:
    """One party's own work on one thread and on several, its peers' frames at hand."""
    report = record.opened("threads")
    to_measure = alone.rows_to_measure(names(only), numbers(lengths), numbers(threads))
    measure(report, to_measure, record.runs, alone.table)


@app.command("sources")
@with_declared_options()
def sources_command(
    only: Annotated[
        str, typer.Option(help="Such as PostgreSQL:counts:1e7, with semicolons.")
    ] = sources.USUAL,
    servers: Annotated[
        str, typer.Option(help="Rows behind the three servers' part, with commas.")
    ] = "",
    bins: Annotated[int, typer.Option(help="Bins of the grid.")] = 4096,
    over: NetworkOptions = NetworkOptions("wan"),
    record: ReportOptions = ReportOptions(),
) -> None:
    """Engines that count rows or give the list, and what is left to the servers."""
    report = record.opened("sources")
    asked = sources.chosen(names(only, ";"))
    with (
        sources.laid_out() as places,
        networks.laid(over.named, over.means) as hosts,
    ):
        to_measure = [
            *sources.rows_to_measure(asked, bins, places),
            *(sources.servers_row(rows, bins, hosts) for rows in numbers(servers)),
        ]
        measure(report, to_measure, record.runs, sources.table, hosts)


@app.command("studies")
@with_declared_options()
def studies_command(
    studies: Annotated[int, typer.Option(help="How many.")] = 20,
    sessions: Annotated[str, typer.Option(help="Sessions at once, with commas.")] = "1,2,4",
    rows: Annotated[int, typer.Option(help="Rows of each of the three owners.")] = 1000,
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.")] = "auroc",
    over: NetworkOptions = NetworkOptions("wan"),
    record: ReportOptions = ReportOptions(runs=3),
) -> None:
    """Many studies on three servers, several sessions at once against one after the other."""
    report = record.opened("studies")
    options = Options(metrics=names(metrics))
    with networks.unshaped(over.named, over.means) as hosts:
        to_measure = many.rows_to_measure(studies, numbers(sessions), rows, options, hosts)
        measure(report, to_measure, record.runs, many.table, hosts)


@app.command("outsource")
@with_declared_options()
def outsource_command(
    rows: Annotated[str, typer.Option(help="Numbers of rows, with commas.")] = "5000000",
    formats: Annotated[str, typer.Option(help="Formats, with commas.")] = ",".join(
        outsourcing.FORMATS
    ),
    over: NetworkOptions = NetworkOptions(),
    record: ReportOptions = ReportOptions(),
) -> None:
    """An owner's part: reading a list, encoding and splitting it, sending it to real servers.

    Over a network the owner sits beside P0, and sends what it has for P1 to another host.
    """
    report = record.opened("outsource")
    asked = over.named
    with networks.unshaped(asked, over.means) as hosts, outsourcing.laid_out(hosts) as site:
        to_measure = outsourcing.rows_to_measure(names(formats), numbers(rows), site)
        measure(report, to_measure, record.runs, outsourcing.table, hosts)


@app.command("round-trip")
@with_declared_options()
def round_trip_command(
    over: NetworkOptions = NetworkOptions("wan"),
) -> None:
    """Measure round trip, and the pace if bounded, beside the values asked for, by all means."""
    asked = over.named
    ways = [over.means] if over.means is not Means.AUTO else list(networks.ways(asked))
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


app.command("show")(show_command)
app.command("compare")(compare_command)
if find_spec("ppaurora.bench.papers"):
    from ppaurora.bench.papers.commands import app as papers
    from ppaurora.bench.peers.commands import app as peers

    app.registered_commands += [*papers.registered_commands, *peers.registered_commands]
else:
    for experiment in EXPERIMENTS:
        app.command(experiment, help=ABSENT, **ANY_ARGUMENTS)(refuse_experiment)


def main() -> None:
    """Run; an expected error is one line and its exit code."""
    try:
        app()
    except AuroraError as error:
        err_console.print(str(error), soft_wrap=True, highlight=False)
        sys.exit(exit_code(type(error)))
