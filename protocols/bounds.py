"""What the arithmetic holds exactly: sizes beyond it are refused before anything runs.

Words live mod 2^64 and comparisons need |x| < 2^63. TP and list positions are small; what binds is
the division, whose differences reach 21·D, and for the precision-recall metrics the error of the
reciprocals, at most a hundredth of the last released decimal.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.catalogue import metrics_named

MOST_SAMPLES = (1 << 31) - 1


def most_samples(options: Options) -> int:
    """The most samples for which every metric of the study holds."""
    return min(
        MOST_SAMPLES,
        *(metric.most_samples(options.decimals) for metric in metrics_named(options.metrics)),
    )


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
    for metric in metrics_named(options.metrics):
        if n and not metric.holds(n, options.decimals):
            most = metric.most_samples(options.decimals)
            raise BoundExceeded(
                f"{n} samples in all are more than the {most} for which {metric.name} can be "
                f"released correctly to {options.decimals} decimals",
                advice="Release fewer decimals, leave this metric out, or evaluate fewer samples.",
            )
