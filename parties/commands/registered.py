"""Commands by name: the program's own, and those that other packages add by their entry points.

A package names a Typer app in its own pyproject.toml, under the name that the command shall have:

    [project.entry-points."ppaurora.commands"]
    survey = "their_package.commands:app"

The module of a command is imported when the command is called, and not for the list of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

import typer

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.group import Group

GROUP = f"{PROGRAM}.commands"


class Own(NamedTuple):
    """A command of the program: its place, "module:function" or "module:app", and a summary."""

    place: str
    summary: str


class Commands(Group):
    """The program's own commands, and behind them those that packages have registered."""

    own: ClassVar[Mapping[str, Own]]

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all of them, in the order of the help text."""
        return [*self.own, *sorted(name for name in _registered() if name not in self.own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        if cmd_name in self.own:
            return _imported(cmd_name, self.own[cmd_name].place)
        entry = _registered().get(cmd_name)
        if entry is not None:
            return _stand_in(entry)
        _refuse_unregistered_part(cmd_name)
        return None

    def summary(self, ctx: Any, name: str) -> str:
        """The summary of a command; of the program's own ones without importing it."""
        return self.own[name].summary if name in self.own else super().summary(ctx, name)


def _imported(name: str, place: str) -> Any:
    """The command itself, from its module in this room."""
    module, _, attribute = place.partition(":")
    command = getattr(import_module(f"{__package__}.{module}"), attribute)
    if isinstance(command, typer.Typer):
        # `get_command` would add options that complete this one group only
        return typer.main.get_group(command)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(command)
    return typer.main.get_command(alone)


def _registered() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _stand_in(entry: EntryPoint) -> Any:
    """A command that hands all its arguments to the registered app, `--help` among them."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command(
        entry.name,
        help=f"Added by {entry.module}; `{PROGRAM} {entry.name} --help` tells more.",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        add_help_option=False,
    )
    def call(context: typer.Context) -> None:
        entry.load()(context.args, prog_name=f"{PROGRAM} {entry.name}")

    return typer.main.get_command(app)


def _refuse_unregistered_part(name: str) -> None:
    """Say how to run a part of this package that has a program and is not registered."""
    from ppaurora.parties.errors import ConfigurationError

    part = f"{PROGRAM}.{name}"
    if name.isidentifier() and find_spec(part) and find_spec(f"{part}.__main__"):
        raise ConfigurationError(
            f"The command {name} is not registered: this copy of {PROGRAM} is not installed, "
            "or was before the command came to it",
            advice=f"Run `python -m {part}` instead, or install it anew "
            "(in a checkout: `pip install --editable .`).",
        )
