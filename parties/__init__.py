"""The three servers, the data owner, the study: everything around the protocols.

from parties import Owner, Server, Site, simulate

simulate([Path("a.csv"), Path("b.csv")]).result.values
"""

from parties.owner import Owner
from parties.reader import Labelled, Source, read
from parties.result import Result
from parties.server import Server
from parties.simulate import Simulation, simulate
from parties.site import Policy, Site
from parties.study import Scores, Study
from protocols.options import Options

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
