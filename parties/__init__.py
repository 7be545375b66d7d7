"""The three servers, owners and receivers, the study: everything around the protocols."""

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
