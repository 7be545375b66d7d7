"""Discovery of the classes that the modules of a room define: no list names them elsewhere."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

Contract = TypeVar("Contract")


def implementations(room: ModuleType, contract: type[Contract]) -> list[type[Contract]]:
    """The concrete classes of a contract that the room's own modules define, by their `name`.

    One that is not `listed` is another program of one that is. Two of one name are a programming
    error that shows when the room is loaded.
    """
    found: dict[str, type[Contract]] = {}
    for module in iter_modules(room.__path__):
        for value in defined_in(room, module.name, contract):
            name = _name(value)
            if name in found:
                raise TypeError(f"{value!r} and {found[name]!r} are both called {name}")
            found[name] = value
    return [found[name] for name in sorted(found)]


@cache
def implementation(room: ModuleType, name: str, contract: type[Contract]) -> type[Contract] | None:
    """The class of this name, if the file that defines it has the same name.

    No other file of the room is imported: a command that names one statistic would otherwise spend
    0.3 s of processor time on importing all of them.
    """
    if (
        not name.isidentifier()
        or name.startswith("_")
        or find_spec(f"{room.__name__}.{name}") is None
    ):
        return None
    defined = defined_in(room, name, contract)
    return next((kind for kind in defined if _name(kind) == name), None)


def defined_in(room: ModuleType, module: str, contract: type[Contract]) -> list[type[Contract]]:
    """The concrete, listed classes of a contract that one module of the room defines.

    A class with a name that no concrete one there has is unfinished: a programming error, too.
    """
    defined = import_module(f"{room.__name__}.{module}")
    of_contract = [
        value
        for value in vars(defined).values()
        if isinstance(value, type)
        and issubclass(value, contract)
        and value.__module__ == defined.__name__
    ]
    concrete = [value for value in of_contract if not inspect.isabstract(value)]
    names = {"", *map(_name, concrete)}
    for value in of_contract:
        if _name(value) not in names:
            missing = sorted(vars(value)["__abstractmethods__"])
            raise TypeError(f"{value!r} lacks what its contract asks for: {', '.join(missing)}")
    return [value for value in concrete if getattr(value, "listed", True)]


def _name(kind: type) -> str:
    name: object = getattr(kind, "name", "")
    return str(name)
