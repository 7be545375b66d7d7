"""The ledger: what each role and the receivers learn, for the chosen options and sizes.

Machine-readable (plain lists, dicts and texts, ready for JSON); every result carries it. What is
not listed here nobody learns, against one corrupted server that follows the protocol, together with
any number of data owners.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ppaurora.protocols.disclosure.class_counts import least_candidates
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.ties import dummies
from ppaurora.protocols.statistics.catalogue import METRICS, metrics_named

ASSUMPTION = (
    "the three servers follow the protocol and at most one of them, together with any number of "
    "data owners, looks at what it sees"
)
FEW_SAMPLES = 200
OF_RECALL = ("aupr", "average_precision")


def ledger(
    options: Options, sizes: Sequence[int], *, refused: Sequence[int] = ()
) -> dict[str, Any]:
    """The statement for lists of these public sizes, of which some may have been refused."""
    counted = [size for index, size in enumerate(sizes) if index not in set(refused)]
    n = sum(counted)
    return {
        "assumption": ASSUMPTION,
        "public": {
            "samples": n,
            "sizes": list(sizes),
            "refused": list(refused),
            "metrics": list(options.metrics),
            "decimals": options.decimals,
            "merge": options.merge,
            "delta": options.delta,
            "ties": options.ties,
            "code": options.code,
        },
        "learns": {
            "P0": _proxy(options),
            "P1": _proxy(options),
            "helper": _helper(options, n),
            "receivers": [f"{metric.name}: {metric.leaks}" for metric in _metrics(options)],
            "owners": ["which lists were refused"],
        },
        "warnings": warnings(options, counted),
    }


def _metrics(options: Options) -> list[Any]:
    return list(metrics_named(options.metrics))


def _both(options: Options) -> list[str]:
    return [
        "the number of samples of each list",
        "for each list one bit: whether it is sorted and in range",
    ]


def _proxy(options: Options) -> list[str]:
    learned = _both(options)
    if options.merge == "delta" and options.delta > 1:
        learned.append(
            f"in each merge, after every shuffle up to {options.delta - 1} comparisons of the two "
            "lists' tops: how the shuffled lists interleave"
        )
    return learned


def _helper(options: Options, n: int) -> list[str]:
    learned = _both(options)
    if options.merge == "delta" and options.delta > 1:
        learned.append(
            "how many elements are compared in each step of a merge, which depends on how the "
            "shuffled lists interleave"
        )
    if options.needs_ties and options.ties == "helper" and n > 1:
        learned.append(
            "the number of neighbours with tied scores plus a number drawn uniformly from 0 to "
            f"{dummies(n - 1)}"
        )
    return learned


def warnings(options: Options, sizes: Sequence[int]) -> list[str]:
    """Where the public sizes make a released number tell more than it seems to."""
    n = sum(sizes)
    found = []
    if n > 1:
        found += [_pinned(options, name, n) for name in options.metrics if name not in OF_RECALL]
    if 1 < n < FEW_SAMPLES:
        found += [
            f"{name}: what it tells of {n} samples is not bounded here; count on the number of "
            "positives becoming known"
            for name in options.metrics
            if name in OF_RECALL
        ]
    if len(options.metrics) > 1 and any(found):
        found.append("several metrics of the same samples tell more together than each by itself")
    if 1 <= sum(size > 0 for size in sizes) <= 2:
        found.append(
            "with fewer than three lists, an owner who reads the result can relate it to the rest"
        )
    return [text for text in found if text]


def _pinned(options: Options, name: str, n: int) -> str:
    """The warning about the class counts, empty where half of them or more always fit."""
    left = least_candidates(n, options.decimals, ties=METRICS[name].needs_ties)
    if 2 * left >= n - 1:
        return ""
    about = f"{name} of {n} samples to {options.decimals} decimals"
    if left <= 2:
        return (
            f"{about} may tell the class counts, up to which class is which; "
            "release fewer decimals or gather more samples"
        )
    return (
        f"{about} may leave only {left} of the {n - 1} possible class counts; "
        "release fewer decimals or gather more samples"
    )
