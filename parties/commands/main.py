"""`ppaurora`: one command for operators, data owners and researchers.

An error is one sentence and what to do next, on stderr; `exit_codes` says which code it ends with.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from typer._completion_classes import completion_init

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.program import app

INTERRUPTED = 130
INTERRUPTION = "Interrupted. What was acknowledged is kept; run it again to go on."
COMPLETING = f"_{PROGRAM.upper()}_COMPLETE"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; leaves with the exit code that the outcome has."""
    if COMPLETING in os.environ:
        completion_init()
    try:
        app(arguments, prog_name=PROGRAM)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            sys.stderr.write(f"{PROGRAM}: {INTERRUPTION}\n")
        raise
    except BaseException as error:
        _leave(error)


def _leave(error: BaseException) -> NoReturn:
    """Say what happened in a sentence, and leave with the code of the error."""
    from ppaurora.parties.commands.exit_codes import exit_code
    from ppaurora.parties.errors import sentence_of

    if os.environ.get("PPAURORA_DEBUG"):
        raise error
    text = INTERRUPTION if isinstance(error, KeyboardInterrupt) else sentence_of(error)
    sys.stderr.write(f"{PROGRAM}: {text}\n")
    sys.exit(exit_code(type(error)))
