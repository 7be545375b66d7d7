"""Groups of commands, and how their help texts are written: as plain text."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup

WHOLE_SENTENCE = 1000
"""More letters than the first sentence of a help text has."""


class Group(TyperGroup):
    """Some commands; its help text tells the first sentence of each, however long."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name; for one that is close to another, which."""
        name = args[0]
        if not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            close = get_close_matches(name, self.list_commands(ctx), n=1)
            if close:
                ctx.fail(f"No such command '{name}'. Did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands, and beside each what it does."""
        summaries = [(name, self.summary(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(summaries)

    def summary(self, ctx: Any, name: str) -> str:
        """The first sentence of a command's help text."""
        command = self.get_command(ctx, name)
        return command.get_short_help_str(WHOLE_SENTENCE) if command else ""


def group(help: str | None) -> typer.Typer:
    """An empty group of commands with this help text."""
    return typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help=help)
