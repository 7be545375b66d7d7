"""The pipeline of times to an event: owners count samples by time, score and event, unsorted.

An upload has two counts for each cell of a grid of times (`ppaurora.protocols.grid.time_grid`)
and, where a statistic needs the scores, for each cell of the study's resolution within it: how many
samples have their event there, and how many are censored there. It has as many words however long
the list is. What comes behind the horizon, the last edge of the grid, is not uploaded: such a
sample is censored behind it.

The cells stand time by time, the earliest first, and in each the scores, that which speaks most for
the event first. Events take the place of positives, censored samples that of negatives. The proxies
check the words and add up their shares, as they do with all counts
(`ppaurora.protocols.pipelines.histogram`). Nobody learns anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import MOST_BINS, Grid, Numbered
from ppaurora.protocols.grid.layout import Layout
from ppaurora.protocols.grid.least_cell import Priorities
from ppaurora.protocols.grid.least_interval import (
    shown_times,
    shown_times_cost,
    shown_times_plaintext,
)
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import decode
from ppaurora.protocols.pipelines.histogram import CountPipeline
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate
from ppaurora.protocols.ranking.binned import Binned, between
from ppaurora.protocols.ranking.survival_curve import (
    SurvivalCurve,
    survival_curve,
    survival_curve_cost,
)

TIME, EVENT = "time", "event"
"""The kinds of columns from which a sample's time and event follow."""
BY_SCORE = "by score"
"""A statistic may ask for the counts of each cell of scores within a cell of times."""


CURVE, GREENWOOD = "Kaplan-Meier", "Greenwood"
"""A statistic may ask for the Kaplan-Meier estimate, and for the sums of Greenwood's variance."""


@dataclass(frozen=True, slots=True)
class TimedCounts(Binned):
    """The counts with the Kaplan-Meier estimate, where a statistic asked for it."""

    survival: SurvivalCurve | None = None

    @property
    def curve(self) -> SurvivalCurve:
        if self.survival is None:
            raise LocalProtocolError("a statistic uses the estimate but did not ask for it")
        return self.survival

    def of_times(self, cells: Shared, times: int) -> Shared:
        """The sums of so many equal parts of cells, one for each time."""
        ends = (np.arange(times) + 1) * (len(cells) // times) - 1
        return between(cells.cumsum()[ends])


@dataclass(frozen=True, slots=True)
class ShownAtTimes(ABC):
    """The contract of a statistic that shows counts at some ends of cells of times."""

    @property
    @abstractmethod
    def shown_at(self) -> Sequence[Fraction]:
        """The ends of cells at which it shows them."""

    @property
    @abstractmethod
    def least(self) -> int:
        """The least cell of its study."""


@dataclass(frozen=True, slots=True)
class CountedTimes(CountPipeline):
    """Counts in cells of times, or of times and scores."""

    name: ClassVar[str] = "times"
    inputs: ClassVar[Inputs] = frozenset({BY_SCORE, CURVE, GREENWOOD})
    columns: ClassVar[tuple[str, ...]] = (TIME, EVENT)
    alone: ClassVar[bool] = True
    times: TimeGrid
    by_score: bool

    @classmethod
    def of(cls, choices: Choices) -> CountedTimes:
        return cls(cls.layout_of(choices), choices.times, BY_SCORE in choices.inputs)

    @classmethod
    def layout_of(cls, choices: Choices) -> Layout:
        scores = len(choices.scale.cells) if BY_SCORE in choices.inputs else 1
        count = len(choices.times) * scores
        if count > MOST_BINS:
            raise OptionRefused(
                "metrics",
                f"are of {len(choices.times)} cells of times with {scores} cells of scores in "
                f"each, and there may be {MOST_BINS} in all",
                advice="Take fewer bins or decimals of the scores, or a coarser grid of times.",
            )
        asking = [one for one in choices.asked if isinstance(one, ShownAtTimes)]
        ends = sorted({at for one in asking for at in one.shown_at})
        shown = [(choices.times.edges.index(at) + 1) * scores for at in ends]
        least = max((one.least for one in asking), default=1)
        cuts = Cuts((), tuple(shown), Priorities.of(shown, shown), least)
        return Layout(choices.scale, Numbered(count), cuts, ())

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        own, times, events = keys
        places = times.astype(np.int64)
        # what comes behind the horizon is not told
        seen = events.astype(np.int64) * (places < len(self.times.edges))
        if self.by_score:
            scores, _ = decode(own, self.layout.scale)
            cells = self.layout.scale.cells
            places = places * len(cells) + cells.places(scores)
        return self.layout.grid.counts(places.astype(np.float64), seen.astype(np.uint64))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> TimedCounts:
        counts = CountPipeline.prepare(self, party, uploads, sizes, inputs)
        found = TimedCounts(
            counts.positives,
            counts.negatives,
            counts.n,
            None,
            counts.grid,
            counts.cuts,
            counts.shown,
            {},
        )
        if CURVE not in inputs:
            return found
        with party.phase(CURVE):
            events, censored = (
                found.of_times(cells, len(self.times))
                for cells in (counts.positives, counts.negatives)
            )
            curve = survival_curve(party, events, censored, counts.n, greenwood=GREENWOOD in inputs)
        return replace(found, survival=curve)

    def at_hand(self) -> None:
        """The curve is what takes long, and statistics that are held read it as well."""
        return

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        phases = CountPipeline.preparing(self, sizes, inputs)
        if CURVE not in inputs:
            return phases
        cost = survival_curve_cost(len(self.times), greenwood=GREENWOOD in inputs)
        return (*phases, PhaseEstimate(CURVE, cost))

    def _shown(self, party: Party, between: Sequence[Sequence[Shared]]) -> Shared:
        return shown_times(party, between, self.cuts.order, self.cuts.least)

    def _shown_cost(self, owners: int) -> Cost:
        return shown_times_cost(self.cuts.order, owners)

    def _shown_plaintext(self, between: Sequence[Sequence[Sequence[int]]]) -> list[bool]:
        return shown_times_plaintext(between, self.cuts.order, self.cuts.least)

    @property
    def counting_grid(self) -> Grid | None:
        # an engine counts by score alone
        return None
