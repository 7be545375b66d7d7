"""The papers' protocols: sorting, ties, statistics, and what is released and declared.

Knows nothing of sockets, files or the command line.
"""

from __future__ import annotations

from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import Ledger, ledger
from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.evaluate import Evaluation, check_bounds, evaluate, most_samples
from ppaurora.protocols.lists.outsourcing import (
    SeedShare,
    WordShare,
    descending,
    received,
    split,
)
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Decision, Interval, Released, Scalar, Table
from ppaurora.protocols.statistics.registry import statistic, statistics

__all__ = [
    "DataRefused",
    "Decision",
    "Evaluation",
    "Interval",
    "Ledger",
    "OptionRefused",
    "Options",
    "Released",
    "Scalar",
    "SeedShare",
    "Table",
    "WordShare",
    "check_bounds",
    "descending",
    "encode",
    "evaluate",
    "ledger",
    "most_samples",
    "phase_estimates",
    "received",
    "split",
    "statistic",
    "statistics",
]
