"""Exact statistics of a classifier over several data owners, without showing a score or a label.

The names below are the public face. Each is imported when it is first used, so that
`import ppaurora.mpc` loads the runtime and nothing else.

>>> import ppaurora
>>> ppaurora.Options(("auroc", "aupr"), decimals=6).decimals
6
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ppaurora.parties import (
        Columns,
        Labelled,
        Participant,
        Policy,
        Query,
        Result,
        Scores,
        Server,
        Simulation,
        Site,
        Source,
        Study,
        read,
        simulate,
    )
    from ppaurora.protocols.options import Options

    __version__: str

_HOMES = {
    "Columns": "ppaurora.parties",
    "Labelled": "ppaurora.parties",
    "Options": "ppaurora.protocols.options",
    "Participant": "ppaurora.parties",
    "Policy": "ppaurora.parties",
    "Query": "ppaurora.parties",
    "Result": "ppaurora.parties",
    "Scores": "ppaurora.parties",
    "Server": "ppaurora.parties",
    "Simulation": "ppaurora.parties",
    "Site": "ppaurora.parties",
    "Source": "ppaurora.parties",
    "Study": "ppaurora.parties",
    "read": "ppaurora.parties",
    "simulate": "ppaurora.parties",
}

__all__ = [
    "Columns",
    "Labelled",
    "Options",
    "Participant",
    "Policy",
    "Query",
    "Result",
    "Scores",
    "Server",
    "Simulation",
    "Site",
    "Source",
    "Study",
    "__version__",
    "read",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'ppaurora' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    """The installed version; a checkout that nobody installed says so."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ppaurora")
    except PackageNotFoundError:
        return "0+uninstalled"
