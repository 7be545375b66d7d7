"""The predicted cost of a computation: hops and payload bytes of each phase, from public sizes."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.committed import RUNS, commitment_cost
from ppaurora.mpc.cost import Cost
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pipeline import PhaseEstimate
from ppaurora.protocols.prepared import branches, readings_cost
from ppaurora.protocols.sorting.auto import WORK
from ppaurora.protocols.sorting.sort import SCANNING

STATISTICS_PHASE = "statistics"


def phase_estimates(options: Options, sizes: Sequence[int]) -> tuple[PhaseEstimate, ...]:
    """The cost of each phase of `evaluate` for lists of these sizes, in order.

    The statistics share their hops: theirs are those of the longest. Those that need not wait for
    what is prepared begin with it (`branches`), and all that they send is counted at the end.

    >>> [one.phase for one in phase_estimates(Options(), [10, 20])]
    ['check', 'sort', 'ties', 'statistics']
    """
    first, *others = branches(options)
    check, *phases = first.pipeline.phase_estimates(sizes, first.inputs)
    phases += readings_cost(options, sizes)
    before = sum(one.spent.hops for one in phases)
    statistics = first.cost_of(sizes, options.decimals)
    for branch in others:
        prepared = (one.spent for one in branch.pipeline.preparing(sizes, branch.inputs))
        spent = sum(prepared, branch.cost_of(sizes, options.decimals))
        statistics |= Cost(max(0, spent.hops - before), spent.payload)
    return (check, *phases, PhaseEstimate(STATISTICS_PHASE, statistics))


def total_cost(options: Options, sizes: Sequence[int]) -> Cost:
    """The cost of all phases together, in a covert study of all runs with their commitments.

    A covert helper computes its part of a run once for each dealing and once more, and a proxy all
    but one of these, beside its own part.

    >>> total_cost(Options(merge="network"), [10, 20]).hops
    46
    >>> total_cost(Options(assurance="covert"), [10, 20]).hops
    156
    """
    run = sum((phase.spent for phase in phase_estimates(options, sizes)), Cost())
    if not options.covert:
        return run
    run += commitment_cost(options.dealings)
    return Cost(RUNS * run.hops, RUNS * run.payload)


def expected_seconds(options: Options, sizes: Sequence[int]) -> float:
    """The time of all phases under the options' conditions, predicted as `auto` predicts a sort's.

    Of a covert study it is the least: dealings that are computed again take their time as well.

    >>> round(expected_seconds(Options(merge="network"), [1000] * 8), 2)
    1.1
    """
    sorting = WORK.get(options.decided(sizes).merge, SCANNING)
    run = sum(
        options.conditions.nanoseconds(one.spent, sorting if one.phase == "sort" else SCANNING)
        for one in phase_estimates(options, sizes)
    )
    if options.covert:
        run += options.conditions.nanoseconds(commitment_cost(options.dealings), SCANNING)
        run *= RUNS
    return run / 1e9
