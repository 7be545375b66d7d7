"""The papers' protocols: sorting, ties, AUROC, AUPR, and what is released and declared.

Knows nothing of sockets, files or the command line.
"""

from ppaurora.protocols.bounds import check_bounds, most_samples
from ppaurora.protocols.catalogue import METRICS, Metric
from ppaurora.protocols.encoding import encode
from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.outsourcing import SeedShare, WordShare, received, split
from ppaurora.protocols.release import Released, release

__all__ = [
    "METRICS",
    "DataRefused",
    "Evaluation",
    "Metric",
    "OptionRefused",
    "Options",
    "Released",
    "SeedShare",
    "WordShare",
    "check_bounds",
    "encode",
    "evaluate",
    "ledger",
    "most_samples",
    "received",
    "release",
    "split",
]
