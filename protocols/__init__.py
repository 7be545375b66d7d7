"""The papers' protocols: sorting, ties, statistics, and what is released and declared.

Knows nothing of sockets, files or the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import lazily

if TYPE_CHECKING:
    from ppaurora.protocols.bounds import check_bounds, most_samples
    from ppaurora.protocols.cost import foreseen
    from ppaurora.protocols.disclosure.ledger import Ledger, ledger
    from ppaurora.protocols.errors import DataRefused, OptionRefused
    from ppaurora.protocols.evaluate import Evaluation, evaluate
    from ppaurora.protocols.lists.encoding import encode
    from ppaurora.protocols.lists.outsourcing import (
        SeedShare,
        WordShare,
        descending,
        received,
        split,
    )
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
    "foreseen",
    "ledger",
    "most_samples",
    "received",
    "split",
    "statistic",
    "statistics",
]

__getattr__ = lazily(
    __name__,
    {
        "DataRefused": "ppaurora.protocols.errors",
        "Decision": "ppaurora.protocols.release.values",
        "Evaluation": "ppaurora.protocols.evaluate",
        "Interval": "ppaurora.protocols.release.values",
        "Ledger": "ppaurora.protocols.disclosure.ledger",
        "OptionRefused": "ppaurora.protocols.errors",
        "Options": "ppaurora.protocols.options",
        "Released": "ppaurora.protocols.release.values",
        "Scalar": "ppaurora.protocols.release.values",
        "SeedShare": "ppaurora.protocols.lists.outsourcing",
        "Table": "ppaurora.protocols.release.values",
        "WordShare": "ppaurora.protocols.lists.outsourcing",
        "check_bounds": "ppaurora.protocols.bounds",
        "descending": "ppaurora.protocols.lists.outsourcing",
        "encode": "ppaurora.protocols.lists.encoding",
        "evaluate": "ppaurora.protocols.evaluate",
        "foreseen": "ppaurora.protocols.cost",
        "ledger": "ppaurora.protocols.disclosure.ledger",
        "most_samples": "ppaurora.protocols.bounds",
        "received": "ppaurora.protocols.lists.outsourcing",
        "split": "ppaurora.protocols.lists.outsourcing",
        "statistic": "ppaurora.protocols.statistics.registry",
        "statistics": "ppaurora.protocols.statistics.registry",
    },
)
