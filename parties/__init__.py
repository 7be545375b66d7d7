"""The three servers, owners and receivers, the study: everything around the protocols.

Each name is imported when it is first used: a command that needs one of them does not wait for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import lazily

if TYPE_CHECKING:
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.result import Result
    from ppaurora.parties.server.server import Server
    from ppaurora.parties.simulation.simulate import Simulation, simulate
    from ppaurora.parties.site.site import Policy, Site
    from ppaurora.parties.sources.labelled import Labelled
    from ppaurora.parties.sources.query import Query
    from ppaurora.parties.sources.reader import read
    from ppaurora.parties.sources.source import Columns, Source
    from ppaurora.parties.study.study import Scores, Study
    from ppaurora.protocols.options import Options

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
    "read",
    "simulate",
]

__getattr__ = lazily(
    __name__,
    {
        "Columns": "ppaurora.parties.sources.source",
        "Labelled": "ppaurora.parties.sources.labelled",
        "Options": "ppaurora.protocols.options",
        "Participant": "ppaurora.parties.participant.participant",
        "Policy": "ppaurora.parties.site.site",
        "Query": "ppaurora.parties.sources.query",
        "Result": "ppaurora.parties.reports.result",
        "Scores": "ppaurora.parties.study.study",
        "Server": "ppaurora.parties.server.server",
        "Simulation": "ppaurora.parties.simulation.simulate",
        "Site": "ppaurora.parties.site.site",
        "Source": "ppaurora.parties.sources.source",
        "Study": "ppaurora.parties.study.study",
        "read": "ppaurora.parties.sources.reader",
        "simulate": "ppaurora.parties.simulation.simulate",
    },
)
