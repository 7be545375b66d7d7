"""Groups of commands, and how their help texts are written: as plain text.

To load what draws frames around a help text takes as long as all else that a help text needs.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["Group", "group"]

WHOLE_SENTENCE = 1000
"""More letters than the first sentence of a help text has."""


class Group(TyperGroup):
    """Some commands; its help text tells the first sentence of each, however long."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands, and beside each what it does."""
        told = [
            (name, command.get_short_help_str(WHOLE_SENTENCE))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name))
        ]
        with formatter.section("Commands"):
            formatter.write_dl(told)


def group(help: str | None) -> typer.Typer:
    """An empty group of commands with this help text."""
    return typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help=help)
