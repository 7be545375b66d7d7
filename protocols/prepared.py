"""The data of each statistic: its part of what the study's pipeline has prepared.

Sums of what owners have counted are at hand once the uploads are checked, and what is computed from
them alone runs while scores are sorted, as does what waits for the least cell alone.

Where the study has a least cell, the cuts that statistics read by rank or rate are found here for
all of them together, and which of them may be shown beside the study's thresholds
(`ppaurora.protocols.grid.hidden_cuts`): of all samples and of each group. Those that one of these
keeps back are kept back in all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import accumulate, pairwise
from operator import or_
from typing import Any

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.grid.hidden_cuts import (
    Corners,
    Cut,
    Reading,
    shown_beside,
    shown_beside_cost,
    shown_beside_plaintext,
)
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.groups import product_cost, product_of
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs, PhaseEstimate, Pipeline
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.statistics.in_group import of_any_group, shows_cuts
from ppaurora.protocols.statistics.reading import AtCorners
from ppaurora.protocols.statistics.registry import AnyStatistic

READINGS_PHASE = "rank and rate cuts"


@dataclass(frozen=True, slots=True)
class Branch:
    """Statistics of a study that run side by side, and the pipeline that prepares their data."""

    pipeline: Pipeline[Any, Any]
    statistics: tuple[AnyStatistic, ...]

    @property
    def inputs(self) -> Inputs:
        """The inputs that they ask of the pipeline."""
        return frozenset().union(*(one.inputs for one in self.statistics))

    def data(self, data: Any) -> list[Any]:
        """The data of each of them, of what the pipeline has prepared."""
        return [one.data_in(self.pipeline, data) for one in self.statistics]

    def cost_of(self, sizes: Sequence[int], decimals: int) -> Cost:
        """The cost of the statistics by themselves, for lists of these sizes."""
        costs = (
            one.cost_of(one.vectors_in(self.pipeline, sizes), decimals) for one in self.statistics
        )
        return reduce(or_, costs, Cost())


def branches(options: Options) -> tuple[Branch, ...]:
    """The branches of a study, which run side by side.

    First come the statistics of a sort, then those at cuts of which the least cell says whether
    they are shown, then those whose data are at hand. Where the least cell holds ranks and rates as
    well, its cuts belong to the first branch.
    """
    pipeline, at_hand = options.pipeline, options.pipeline.at_hand()
    first: list[AnyStatistic] = []
    at_cuts: list[AnyStatistic] = []
    early: list[AnyStatistic] = []
    beside_ranks = bool(_readings(options)) and bool(_thresholds(options))
    for one in options.statistics:
        if pipeline.member(one.pipeline).at_hand() is None:
            first.append(one)
        elif shows_cuts(one):
            (first if beside_ranks else at_cuts).append(one)
        else:
            early.append(one)
    waiting = [own for own in (first, at_cuts) if own]
    if at_hand is None or not waiting:
        return (Branch(pipeline, options.statistics),)
    found = [Branch(pipeline.of_only({one.pipeline for one in own}), tuple(own)) for own in waiting]
    return (*found, Branch(at_hand, tuple(early))) if early else tuple(found)


def data_of(party: Party, options: Options, branch: Branch, data: Any) -> list[Any]:
    """The data of each statistic of the first branch."""
    readings = _readings(options)
    found: dict[AnyStatistic, Reading] = {}
    if readings:
        with party.phase(READINGS_PHASE):
            programs = [
                partial(_read, options=options, asked=asked, data=data, group=group)
                for group, asked in readings.items()
            ]
            found = _together(party, reduce(or_, side_by_side(party, programs)))
    return [
        _with(own, reading=found.get(one))
        for one, own in zip(branch.statistics, branch.data(data), strict=True)
    ]


def data_of_plaintext(options: Options, data: Any) -> list[Any]:
    """The same in the clear."""
    pipeline = options.pipeline
    found: dict[AnyStatistic, Sequence[bool]] = {}
    for group, asked in _readings(options).items():
        found |= _read_plaintext(options, asked, data, group)
    found = {
        one: [all(of) for of in zip(*(found[each] for each in _alike(one, found)), strict=True)]
        for one in found
    }
    return [_with(one.data_in(pipeline, data), shown=found.get(one)) for one in options.statistics]


def readings_cost(options: Options, sizes: Sequence[int]) -> tuple[PhaseEstimate, ...]:
    """The cost of `data_of`, for lists of these sizes."""
    pipeline = options.pipeline
    spent = []
    for group, asked in _readings(options).items():
        # a list of no samples has none of the places that a part of counts has
        if not sum(pipeline.owners(sizes, group)):
            continue
        [n] = pipeline.member(asked[0].pipeline).vectors(sizes, group)
        corners = reduce(or_, (_of(one).corners_cost(n) for one in asked))
        cuts = [_of(one).cuts for one in asked for _ in _of(one).given]
        spent.append(corners + shown_beside_cost(cuts, _thresholds(options)))
    if not spent:
        return ()
    count = sum(len(_of(one).given) for one in next(iter(_readings(options).values())))
    together = product_cost(len(spent), count)
    return (PhaseEstimate(READINGS_PHASE, reduce(or_, spent) + together),)


def _alike(one: AnyStatistic, found: Collection[AnyStatistic]) -> list[AnyStatistic]:
    """The same statistic of all samples and of each group that has some."""
    return [other for other in found if _of(other) == _of(one)]


def _together(party: Party, found: dict[AnyStatistic, Reading]) -> dict[AnyStatistic, Reading]:
    """The readings with what may be shown of all samples and of every group.

    Otherwise the difference between the whole and the other groups would tell what a group does
    not.
    """
    groups = list(dict.fromkeys(one.group for one in found))
    each = [
        concatenate(reading.shown for one, reading in found.items() if one.group == group)
        for group in groups
    ]
    shown = product_of(party, each)
    counts = accumulate((len(one.shown) for one in found.values()), initial=0)
    starts = dict(zip(found, counts, strict=False))
    length = len(shown)
    return {
        one: Reading(
            reading.corners,
            shown[starts[one] % length : starts[one] % length + len(reading.shown)],
        )
        for one, reading in found.items()
    }


def _readings(options: Options) -> Mapping[str, Sequence[AnyStatistic]]:
    """The statistics that the least cell holds at ranks and rates, by their groups."""
    found: dict[str, list[AnyStatistic]] = {}
    for one in options.statistics if options.least_cell > 1 else ():
        if isinstance(of_any_group(one), AtCorners):
            found.setdefault(one.group, []).append(one)
    return found


def _of(one: AnyStatistic) -> AtCorners:
    found = of_any_group(one)
    assert isinstance(found, AtCorners)
    return found


def _with(data: Any, **more: Any) -> Any:
    """The data of a statistic with what the least cell says of its readings, if it has any."""
    [value] = more.values()
    return data if value is None else replace(data, **more)


def _thresholds(options: Options) -> int:
    """The number of thresholds that the least cell holds."""
    if OwnersSums not in options.parts:
        return 0
    return len(OwnersSums.of(options).cuts.shown)


def _read(
    party: Party, options: Options, asked: Sequence[AnyStatistic], data: Any, group: str
) -> dict[AnyStatistic, Reading]:
    """The readings of one group, or of all samples: none where there are no samples."""
    pipeline = options.pipeline
    own: Ranked | None = pipeline.part(asked[0].pipeline, data, group)
    if own is None:
        return {}
    programs: list[Callable[[Party], Corners]] = [
        partial(_of(one).corners, data=own) for one in asked
    ]
    corners = side_by_side(party, programs)
    thresholds = None
    if _thresholds(options):
        thresholds = _shown_thresholds(pipeline.part(OwnersSums, data, group))
    shown = shown_beside(
        party,
        corners,
        [_of(one).cuts for one in asked],
        thresholds,
        Corners(own.P, own.N),
        options.least_cell,
    )
    counts = accumulate((len(_of(one).given) for one in asked), initial=0)
    parts = [shown[start:stop] for start, stop in pairwise(counts)]
    return {one: Reading(of, part) for one, of, part in zip(asked, corners, parts, strict=True)}


def _shown_thresholds(counts: Binned) -> Reading:
    """The thresholds of the study, and which of them are shown."""
    ends = [place - 1 for place in counts.cuts.shown]
    TP, FP = counts.TP, counts.FP
    corners = Corners(
        concatenate(TP[end : end + 1] for end in ends),
        concatenate(FP[end : end + 1] for end in ends),
    )
    return Reading(corners, counts.shown[: len(ends)])


def _read_plaintext(
    options: Options, asked: Sequence[AnyStatistic], data: Any, group: str
) -> dict[AnyStatistic, Sequence[bool]]:
    pipeline = options.pipeline
    own = pipeline.part(asked[0].pipeline, data, group)
    if own is None:
        return {}
    cuts = [_of(one).corners_in(own) for one in asked]
    thresholds: list[Cut] = []
    if _thresholds(options):
        counts: PooledBins = pipeline.part(OwnersSums, data, group)
        thresholds = [
            (sum(counts.positives[:place]), sum(counts.negatives[:place]))
            for place in counts.cuts.shown
            if place in counts.shown
        ]
    everything = (own.P, own.N)
    readings = [cut for of in cuts for cut in of]
    shown = shown_beside_plaintext(readings, thresholds, everything, options.least_cell)
    ends = accumulate(map(len, cuts), initial=0)
    parts = [shown[start:stop] for start, stop in pairwise(ends)]
    return dict(zip(asked, parts, strict=True))
