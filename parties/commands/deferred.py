"""A command that is imported when it is called: its help text is read from its source until then.

So the help text of `ppaurora`, a completion and a version take no time for what they do not use.
"""

from __future__ import annotations

import ast
import inspect
import os
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from ppaurora.parties.commands.garbage import kept_for_good

__all__ = ["Deferred"]

ROOM = "ppaurora.parties.commands"
GROUP = "app"
"""What a module calls its group of commands; the module's docstring is the help text of both."""


class Deferred(TyperCommand):
    """The command in `place`, which reads "module:function", or "module:app" for a group."""

    def __init__(self, name: str, place: str) -> None:
        module, _, self._object = place.partition(":")
        self._module = f"{ROOM}.{module}"
        super().__init__(name, help=self._docstring())

    @cached_property
    def loaded(self) -> Any:
        """The command itself.

        OpenBLAS would start a thread for each core as NumPy is imported, and there is no matrix of
        floats here to multiply.
        """
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        with kept_for_good():
            found = getattr(import_module(self._module), self._object)
        if self._object == GROUP:
            # `get_command` would add options that complete this one group only
            return typer.main.get_group(found)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.name)(found)
        return typer.main.get_command(alone)

    def make_context(self, *given: Any, **more: Any) -> Any:
        """The context of the command itself, which runs from here on."""
        return self.loaded.make_context(*given, **more)

    def _docstring(self) -> str:
        spec = find_spec(self._module)
        assert spec is not None
        assert spec.origin is not None
        tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        if self._object == GROUP:
            return inspect.cleandoc(ast.get_docstring(tree) or "")
        function = next(
            one
            for one in tree.body
            if isinstance(one, ast.FunctionDef) and one.name == self._object
        )
        return ast.get_docstring(function) or ""
