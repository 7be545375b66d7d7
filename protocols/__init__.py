"""The papers' protocols: sorting, ties, AUROC, AUPR, and what is released and declared.

Knows nothing of sockets, files or the command line.
"""

from protocols.bounds import check_bounds, most_samples
from protocols.catalogue import METRICS, Metric
from protocols.encoding import encode
from protocols.errors import DataRefused, OptionRefused
from protocols.evaluate import Evaluation, evaluate
from protocols.ledger import ledger
from protocols.options import Options
from protocols.outsourcing import SeedShare, WordShare, received, split
from protocols.release import Released, release

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
