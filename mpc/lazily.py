"""What is imported when it is first used: a package's public names, whole modules, functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

__all__ = ["Called", "Later", "import_all", "lazily", "when_called"]


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are found in these modules.

    Whoever needs one module of the package does not wait for all that it exports.
    """

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return found


class Later(ModuleType):
    """A module that is imported when something of it is first used.

    From then on it has all that the imported one had at that moment, and is as fast to ask.
    """

    def __getattr__(self, name: str) -> Any:
        found = import_module(self.__name__)
        vars(self).update(vars(found))
        self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(found, name)


class Called:
    """A function of a module that is imported when it is first called, or asked for what it has."""

    def __init__(self, module: str, name: str) -> None:
        self._place = (module, name)

    @cached_property
    def _function(self) -> Any:
        module, name = self._place
        return getattr(import_module(module), name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """What the function returns."""
        return self._function(*given, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        """The function's own."""
        found: str | None = self._function.__doc__
        return found


class _Room(ModuleType):
    """A package of functions in files, some of which are called by the name of their file."""

    functions: Mapping[str, str]
    """The file of each function."""

    def __setattr__(self, name: str, value: Any) -> None:
        """When a file is imported its functions take their places, and the file takes no name."""
        if isinstance(value, ModuleType) and name in self.functions.values():
            for function, file in self.functions.items():
                if file == name:
                    super().__setattr__(function, getattr(value, function))
        if not isinstance(value, ModuleType) or name not in self.functions:
            super().__setattr__(name, value)


def when_called(package: str, functions: Mapping[str, str]) -> None:
    """Give a package the functions of its files, each imported when it is first called.

    Whoever imports such a name has a stand-in, which costs less than a microsecond a call.
    """
    room = sys.modules[package]
    vars(room).update({name: Called(f"{package}.{file}", name) for name, file in functions.items()})
    vars(room)["functions"] = functions
    room.__class__ = _Room


def import_all(package: ModuleType) -> None:
    """Import all files of a package, but for those whose names begin with an underscore."""
    for file in iter_modules(package.__path__):
        if not file.name.startswith("_"):
            import_module(f"{package.__name__}.{file.name}")
