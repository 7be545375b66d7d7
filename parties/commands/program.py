"""The commands of `ppaurora`, and what stands before any of them.

What a command needs is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.registered import Commands

__all__ = ["OwnCommands", "app"]


class OwnCommands(Commands):
    """The commands of `ppaurora`, in the order of the help text."""

    own: ClassVar[Mapping[str, str]] = {
        "init": "init:init",
        "doctor": "doctor:doctor",
        "demo": "simulation:demo",
        "simulate": "simulation:simulate_command",
        "statistics": "statistics:statistics_command",
        "keys": "keys:app",
        "study": "study:app",
        "folds": "folds:app",
        "server": "server:server",
        "health": "health:health",
        "outsource": "outsource:outsource",
        "compute": "result:compute",
        "result": "result:result",
        "status": "status:status",
        "report": "report:report",
        "verify": "verify:verify",
        "audit": "audit:audit",
        "attack": "attack:app",
        "completion": "completion:completion",
    }


app = typer.Typer(
    name=PROGRAM,
    cls=OwnCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Exact AUROC, AUPR and their kin over several data owners, "
    "without showing a score or a label.",
)


def _show_version(asked: bool) -> None:
    if asked:
        from ppaurora.mpc.kernels import in_use as arithmetic_in_use
        from ppaurora.parties.build import build

        typer.echo(f"{PROGRAM} {build()}, {arithmetic_in_use()}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version, a digest of the sources, and what computes.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """What stands before any command."""
