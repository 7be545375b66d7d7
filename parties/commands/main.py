"""`ppaurora`: one command for operators, data owners and researchers.

An error is one sentence and what to do next, on stderr; `exit_codes` says which code it ends with.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import ppaurora
from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands import keys, participant, simulation, study
from ppaurora.parties.commands.exit_codes import ExitCode, exit_code
from ppaurora.parties.commands.registered import Commands
from ppaurora.parties.commands.report import report
from ppaurora.parties.commands.server import server
from ppaurora.parties.commands.statistics import statistics_command

__all__ = ["app", "main"]

INTERRUPTION = "Interrupted. What was acknowledged is kept; run it again to go on."

app = typer.Typer(
    name="ppaurora",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Exact AUROC, AUPR and their kin over several data owners, "
    "without showing a score or a label.",
)
app.command()(simulation.demo)
app.command("simulate")(simulation.simulate_command)
app.command("statistics")(statistics_command)
app.add_typer(keys.app, name="keys")
app.add_typer(study.app, name="study")
app.command()(server)
app.command()(participant.outsource)
app.command()(participant.compute)
app.command()(participant.result)
app.command()(participant.status)
app.command()(report)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"ppaurora {ppaurora.__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version, and do nothing else.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """What stands before any command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; leaves with the exit code that the outcome has."""
    try:
        app(arguments, prog_name="ppaurora")
    except SystemExit as leaving:
        if leaving.code == ExitCode.INTERRUPTED:
            sys.stderr.write(f"ppaurora: {INTERRUPTION}\n")
        raise
    except AuroraError as error:
        _leave(str(error), error)
    except KeyboardInterrupt as error:
        _leave(INTERRUPTION, error)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        what = f"{error.strerror or type(error).__name__}{where}"
        _leave(f"{what}. Check that this place exists and is yours to use.", error)
    except Exception as error:
        what = f"ppaurora stumbled over an unexpected {type(error).__name__}"
        _leave(f"{what}. Set PPAURORA_DEBUG=1 to see where, and please report it", error)


def _leave(text: str, error: BaseException) -> None:
    if os.environ.get("PPAURORA_DEBUG"):
        raise error
    sys.stderr.write(f"ppaurora: {text}\n")
    sys.exit(exit_code(type(error)))
