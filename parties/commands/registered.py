"""Commands that other packages add to `ppaurora`, found by their entry points.

A package names a Typer app in its own pyproject.toml, under the name that the command shall have:

    [project.entry-points."ppaurora.commands"]
    survey = "their_package.commands:app"

The app is imported when its command is called, never for a help text or for another command.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.deferred import Deferred
from ppaurora.parties.commands.garbage import collect_as_usual
from ppaurora.parties.commands.group import Group

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "Commands"]

GROUP = f"{PROGRAM}.commands"


class Commands(Group):
    """The program's own commands, and behind them those that packages have registered.

    `own` says where each of the program's own is, as `Deferred` reads it.
    """

    own: ClassVar[Mapping[str, str]]

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all of them, in the order of the help text."""
        return [*self.own, *sorted(name for name in _registered() if name not in self.own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; None if there is none."""
        if cmd_name in self.own:
            return Deferred(cmd_name, self.own[cmd_name])
        entry = _registered().get(cmd_name)
        if entry is not None:
            return _stand_in(entry)
        _refuse_unregistered_part(cmd_name)
        return None


def _registered() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

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
        collect_as_usual()
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
