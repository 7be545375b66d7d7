"""`ppaurora server`: run one of the three servers, or on a single machine all of them."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.session import keep_freed_memory
from ppaurora.parties.commands.options import SITE
from ppaurora.parties.posix import check_servers_run_here
from ppaurora.parties.simulation.processes import servers


def server(
    sites: Annotated[
        list[Path] | None,
        typer.Argument(help="This server's private site file; several: a process for each."),
    ] = None,
) -> None:
    """Serve all studies of the site until SIGTERM; logs are JSON lines on stderr."""
    check_servers_run_here()
    from ppaurora.parties.server.server import run_server

    if sites is None or len(sites) < 2:
        keep_freed_memory()  # before the first thread
        run_server(sites[0] if sites else SITE)
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), servers(sites) as running:
        for process in running:
            process.wait()
