"""Options of several commands of `ppaurora bench`, and the display of their reports."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.box import MARKDOWN
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.report import Report
from ppaurora.bench.measure.rows import Row, measure_rows
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Hosts, Means, ServerNetwork
from ppaurora.parties.commands.declared_options import OptionGroup
from ppaurora.parties.commands.exit_codes import ExitCode, exit_code

console = Console()
err_console = Console(stderr=True)

# A report is as wide as it must be where nobody looks at it on a terminal.
WIDE = 220

Plain = Annotated[bool, typer.Option("--plain", help="No encryption, to see what it costs.")]
Check = Annotated[bool, typer.Option("--check", help="With the proxies' check of the lists.")]


@dataclass(frozen=True, slots=True)
class ReportOptions(OptionGroup):
    """The report of a command, and the number of runs in it."""

    runs: Annotated[int, typer.Option(help="The number of times every row is measured.", min=1)] = 1
    out: Annotated[
        Path | None, typer.Option(help="The report; else results/bench-COMMAND.json.")
    ] = None
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure anew what is there already.")] = (
        False
    )

    def opened(self, bench: str) -> Report:
        """The report of the command `bench`."""
        path = self.out or Path("results", f"bench-{bench}.json")
        return Report.resumed(bench, path, shlex.join(sys.argv[1:]), fresh=self.fresh)


@dataclass(frozen=True, slots=True)
class NetworkOptions(OptionGroup):
    """The network between the hosts, and the means that make it."""

    network: Annotated[str, typer.Option("--network", help="loopback, lan or wan.")] = "loopback"
    rtt: Annotated[float | None, typer.Option("--rtt", help="Round trip in milliseconds.")] = None
    bandwidth: Annotated[
        float | None, typer.Option(help="The most that one host may send, in Mbit/s.")
    ] = None
    means: Annotated[Means, typer.Option("--means", help="The means that make the delay.")] = (
        Means.AUTO
    )

    @property
    def named(self) -> ServerNetwork:
        """The network that these options name."""
        return networks.named(self.network, self.rtt, self.bandwidth)


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
        for upright in _row_by_row(table):
            console.print(upright)
    else:
        console.print(table)


def _row_by_row(table: Table) -> Iterator[Table]:
    """Each row as a table of two columns: the names, and what stands under them."""
    names = [column.header for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        upright = Table(show_header=False, title=table.title)
        for name, cell in zip(names, cells, strict=True):
            upright.add_row(name, cell)
        yield upright


def described(hosts: Hosts) -> dict[str, object]:
    """The network as it stands in a report."""
    return {
        "name": hosts.network.name,
        "round_trip_seconds": hosts.network.round_trip,
        "bandwidth": hosts.network.bandwidth,
        "means": str(hosts.means),
        "refused": list(hosts.refused),
    }


def names(text: str, separator: str = ",") -> tuple[str, ...]:
    """The parts of an option that lists several."""
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def numbers(text: str) -> tuple[int, ...]:
    """The numbers of an option that lists several."""
    return tuple(int(part) for part in names(text))
