"""The public names of the package, which `import ppaurora` offers."""

from __future__ import annotations

from ppaurora.parties.columns.cluster import ClusterBy
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.columns.weight import WeightBy
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.result import Result
from ppaurora.parties.server.server import Server
from ppaurora.parties.simulation.simulate import Simulation, simulate
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.postgres import Postgres
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores, Study
from ppaurora.protocols.options import Options

__all__ = [
    "ClusterBy",
    "Columns",
    "Counted",
    "DatabaseQuery",
    "FoldBy",
    "GlobFiles",
    "GroupBy",
    "JoinBy",
    "Labelled",
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
    "WeightBy",
    "read",
    "simulate",
]
