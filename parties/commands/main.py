"""`ppaurora`: one command for operators, data owners and researchers.

An error is one sentence and what to do next, on stderr; `exit_codes` says which code it ends with.
What a command needs is imported when it is called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, ClassVar, NoReturn

import typer

import ppaurora
from ppaurora.parties.commands.garbage import collecting_rarely
from ppaurora.parties.commands.registered import PROGRAM, Commands

__all__ = ["app", "main"]

INTERRUPTED = 130
INTERRUPTION = "Interrupted. What was acknowledged is kept; run it again to go on."
COMPLETING = f"_{PROGRAM.upper()}_COMPLETE"


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

        typer.echo(f"{PROGRAM} {ppaurora.__version__}, {arithmetic_in_use()}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and what computes, and do nothing else.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """What stands before any command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; leaves with the exit code that the outcome has."""
    if COMPLETING in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    try:
        with collecting_rarely():
            app(arguments, prog_name=PROGRAM)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            sys.stderr.write(f"{PROGRAM}: {INTERRUPTION}\n")
        raise
    except BaseException as error:
        _leave(error)


def _leave(error: BaseException) -> NoReturn:
    """Say what happened in a sentence, and leave with the code of the error."""
    from ppaurora.mpc.errors import AuroraError
    from ppaurora.parties.commands.exit_codes import exit_code

    if os.environ.get("PPAURORA_DEBUG"):
        raise error
    match error:
        case AuroraError():
            text = str(error)
        case KeyboardInterrupt():
            text = INTERRUPTION
        case OSError():
            where = f" ({error.filename})" if error.filename else ""
            what = f"{error.strerror or type(error).__name__}{where}"
            text = f"{what}. Check that this place exists and is yours to use."
        case _:
            what = f"{PROGRAM} stumbled over an unexpected {type(error).__name__}"
            text = f"{what}. Set PPAURORA_DEBUG=1 to see where, and please report it"
    sys.stderr.write(f"{PROGRAM}: {text}\n")
    sys.exit(exit_code(type(error)))
