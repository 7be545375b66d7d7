"""The predicted cost of a computation: hops and payload bytes of each phase, from public sizes."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.cost import Spent
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pipeline import Foreseen

STATISTICS_PHASE = "statistics"


def foreseen(options: Options, sizes: Sequence[int]) -> tuple[Foreseen, ...]:
    """What each phase of `evaluate` costs for lists of these sizes, in order.

    The statistics share their hops: theirs are those of the longest.

    >>> [one.phase for one in foreseen(Options(), [10, 20])]
    ['check', 'sort', 'ties', 'statistics']
    """
    pipeline, beside = options.pipeline, Spent()
    for one in options.statistics:
        beside |= one.cost_of(pipeline.vectors(sizes), options.decimals)
    phases = pipeline.foreseen(sizes, options.inputs)
    return (*phases, Foreseen(STATISTICS_PHASE, beside))
