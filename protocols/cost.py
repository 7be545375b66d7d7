"""The predicted cost of a computation: hops and payload bytes of each phase, from public sizes."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.committed import RUNS, commitment_cost
from ppaurora.mpc.cost import Cost
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pipeline import Foreseen

STATISTICS_PHASE = "statistics"


def foreseen(options: Options, sizes: Sequence[int]) -> tuple[Foreseen, ...]:
    """What each phase of `evaluate` costs for lists of these sizes, in order.

    The statistics share their hops: theirs are those of the longest.

    >>> [one.phase for one in foreseen(Options(), [10, 20])]
    ['check', 'sort', 'ties', 'statistics']
    """
    pipeline, beside = options.pipeline, Cost()
    for one in options.statistics:
        beside |= one.cost_of(pipeline.vectors(sizes), options.decimals)
    phases = pipeline.foreseen(sizes, options.inputs)
    return (*phases, Foreseen(STATISTICS_PHASE, beside))


def in_all(options: Options, sizes: Sequence[int]) -> Cost:
    """What all phases cost together, and in a covert study all runs with their commitments.

    A covert helper computes its part of a run once for each dealing and once more, and a proxy all
    but one of these, beside its own part.

    >>> in_all(Options(merge="network"), [10, 20]).hops
    46
    >>> in_all(Options(assurance="covert"), [10, 20]).hops
    156
    """
    run = sum((one.spent for one in foreseen(options, sizes)), Cost())
    if not options.covert:
        return run
    run += commitment_cost(options.dealings)
    return Cost(RUNS * run.hops, RUNS * run.payload)
