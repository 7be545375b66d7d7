"""`ppaurora completion`: what a shell needs to complete commands and options at a TAB."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from ppaurora.parties.commands import PROGRAM


class Shell(StrEnum):
    """The shells that are known."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(help="Your shell.")],
) -> None:
    """Print the completion script of a shell: `eval "$(ppaurora completion bash)"`."""
    variable = f"_{PROGRAM.upper()}_COMPLETE"
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=variable, shell=shell.value))
