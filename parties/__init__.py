"""The three servers, the data owners, the study: everything around the protocols.

from ppaurora import Participant, Server, Site, simulate

simulate([Path("a.csv"), Path("b.csv")]).result.values
"""

from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.result import Result
from ppaurora.parties.server.server import Server
from ppaurora.parties.simulation.simulate import Simulation, simulate
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.reader import Labelled, Source, read
from ppaurora.parties.study.study import Scores, Study
from ppaurora.protocols.options import Options

__all__ = [
    "Labelled",
    "Options",
    "Participant",
    "Policy",
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
