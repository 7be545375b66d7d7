"""Exact statistics of a classifier over several data owners, without showing a score or a label.

The names below are the public face. Each is imported when it is first used, so that
`import ppaurora.mpc` loads the runtime and nothing else.

>>> import ppaurora
>>> ppaurora.Options(metrics=("auroc", "aupr"), decimals=6).decimals
6
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout the floors stand beside this folder, in an installation inside it.
if not Path(__file__).with_name("mpc").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

if TYPE_CHECKING:
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.result import Result
    from ppaurora.parties.server.server import Server
    from ppaurora.parties.simulation.simulate import Simulation, simulate
    from ppaurora.parties.site.site import Policy, Site
    from ppaurora.parties.sources.columns.numbers import NumberFormat
    from ppaurora.parties.sources.counted import Counted
    from ppaurora.parties.sources.database import DatabaseQuery
    from ppaurora.parties.sources.glob_files import GlobFiles
    from ppaurora.parties.sources.labelled import Labelled
    from ppaurora.parties.sources.postgres import Postgres
    from ppaurora.parties.sources.query import Query
    from ppaurora.parties.sources.reader import read
    from ppaurora.parties.sources.source import Columns, Source
    from ppaurora.parties.study.study import FoldBy, Scores, Study
    from ppaurora.protocols.options import Options

    __version__: str

_HOMES = {
    "Columns": "ppaurora.parties.sources.source",
    "Counted": "ppaurora.parties.sources.counted",
    "DatabaseQuery": "ppaurora.parties.sources.database",
    "FoldBy": "ppaurora.parties.study.study",
    "GlobFiles": "ppaurora.parties.sources.glob_files",
    "Labelled": "ppaurora.parties.sources.labelled",
    "Options": "ppaurora.protocols.options",
    "Participant": "ppaurora.parties.participant.participant",
    "Policy": "ppaurora.parties.site.site",
    "Postgres": "ppaurora.parties.sources.postgres",
    "Query": "ppaurora.parties.sources.query",
    "Result": "ppaurora.parties.reports.result",
    "Scores": "ppaurora.parties.study.study",
    "Server": "ppaurora.parties.server.server",
    "Simulation": "ppaurora.parties.simulation.simulate",
    "Site": "ppaurora.parties.site.site",
    "Source": "ppaurora.parties.sources.source",
    "Study": "ppaurora.parties.study.study",
    "NumberFormat": "ppaurora.parties.sources.columns.numbers",
    "read": "ppaurora.parties.sources.reader",
    "simulate": "ppaurora.parties.simulation.simulate",
}

__all__ = [
    "Columns",
    "Counted",
    "DatabaseQuery",
    "FoldBy",
    "GlobFiles",
    "Labelled",
    "NumberFormat",
    "Options",
    "Participant",
    "Policy",
    "Postgres",
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
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    """The installed version; a checkout that nobody installed says so."""
    try:
        return version("ppaurora")
    except PackageNotFoundError:
        return "0+uninstalled"
