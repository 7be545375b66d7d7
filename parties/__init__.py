"""The three servers, the data owner, the study: everything around the protocols.

from ppaurora.parties import Owner, Server, Site, simulate

simulate([Path("a.csv"), Path("b.csv")]).result.values
"""

from ppaurora.parties.owner import Owner
from ppaurora.parties.reader import Labelled, Source, read
from ppaurora.parties.result import Result
from ppaurora.parties.server import Server
from ppaurora.parties.simulate import Simulation, simulate
from ppaurora.parties.site import Policy, Site
from ppaurora.parties.study import Scores, Study
from ppaurora.protocols.options import Options

__all__ = [
    "Labelled",
    "Options",
    "Owner",
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
