"""The command of the comparison with other programs: `peers`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means
from ppaurora.bench.peers import page, side_by_side
from ppaurora.bench.shown import ReportOptions, measure, names
from ppaurora.parties.commands.declared_options import with_declared_options

app = typer.Typer()


@app.command("peers")
@with_declared_options()
def peers_command(
    layouts: Annotated[str, typer.Option(help="Layouts, with commas.")] = "3x64,8x1000",
    only: Annotated[str, typer.Option(help="Contestants, with semicolons; else all.")] = "",
    install: Annotated[
        bool, typer.Option("--install", help="Make the environments that are missing.")
    ] = False,
    patience: Annotated[float, typer.Option(help="Seconds before a peer is given up.")] = 600.0,
    at: Annotated[
        Path | None, typer.Option("--page", help="Write the section Peers of this page.")
    ] = None,
    record: ReportOptions = ReportOptions(runs=3),
) -> None:
    """The same AUROC by SPU, MPyC, PP-AUC and scikit-learn, side by side on this machine."""
    report = record.opened("peers")
    present, absent = side_by_side.environments(install=install)
    report.head |= {"absent": absent, "layouts": list(names(layouts))}
    to_measure = side_by_side.rows_to_measure(
        names(layouts),
        names(only, ";"),
        present,
        networks.one_host(networks.LOOPBACK, Means.LOOPBACK),
        patience=patience,
    )
    measure(report, to_measure, record.runs, page.table)
    if at is not None:
        page.write(report, at)
