"""Limits of the exact arithmetic: studies whose sizes exceed them are refused before they run.

Words live mod 2^64 and comparisons need |x| < 2^63. Every statistic states what it holds; the
runtime itself holds positions below 2^31.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES


def most_samples(options: Options) -> int:
    """The most samples for which every statistic of the study holds.

    >>> most_samples(Options(metrics=("auroc",)))
    937238701
    """
    return min(statistic.most_samples(options.decimals) for statistic in options.statistics)


def check_bounds(options: Options, sizes: Sequence[int]) -> None:
    """Refuse sizes that the options cannot hold, naming the bound."""
    if any(size < 0 for size in sizes):
        raise BoundExceeded("a list has a negative size")
    n = sum(sizes)
    if n > MOST_SAMPLES:
        raise BoundExceeded(
            f"{n} samples in all are more than the {MOST_SAMPLES} that the runtime holds",
            advice="Evaluate fewer samples.",
        )
    for statistic in options.statistics:
        if n and not statistic.fits(n, options.decimals):
            most = statistic.most_samples(options.decimals)
            raise BoundExceeded(
                f"{n} samples in all are more than the {most} for which {statistic.text} can be "
                f"released correctly to {options.decimals} decimals",
                advice="Release fewer decimals, leave this metric out, or evaluate fewer samples.",
            )
