"""The papers' protocols: sorting, ties, AUROC, AUPR, and what is released and declared.

Knows nothing of sockets, files or the command line.
"""

from ppaurora.protocols.bounds import check_bounds, most_samples
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.encoding import encode
from ppaurora.protocols.lists.outsourcing import SeedShare, WordShare, descending, received, split
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.decimals import Released, release
from ppaurora.protocols.statistics.catalogue import METRICS, Metric

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
    "descending",
    "encode",
    "evaluate",
    "ledger",
    "most_samples",
    "received",
    "release",
    "split",
]
