"""Exact statistics of a classifier over several data owners, without showing a score or a label.

The public names are those of `ppaurora.public`. It is imported when one of them is first used, so
that a part of the package, such as `ppaurora.mpc`, loads nothing of the others.

>>> import ppaurora
>>> ppaurora.Options(metrics=("auroc", "aupr"), decimals=6).decimals
6
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout the floors stand beside this folder, in an installation inside it.
if not Path(__file__).with_name("mpc").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

if TYPE_CHECKING:
    from ppaurora.public import *  # noqa: F403

    __version__: str
    __all__: list[str]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    # a floor is no attribute yet while it is being imported
    if f"{__name__}.{name}" not in sys.modules and (name == "__all__" or name[0] != "_"):
        public = import_module("ppaurora.public")
        if name == "__all__":
            return [*public.__all__, "__version__"]
        if name in public.__all__:
            return getattr(public, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})


def _version() -> str:
    """The installed version; a checkout that nobody installed says so."""
    try:
        return version("ppaurora")
    except PackageNotFoundError:
        return "0+uninstalled"
