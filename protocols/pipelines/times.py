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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import MOST_BINS, Grid, Numbered
from ppaurora.protocols.grid.layout import Layout
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import decode
from ppaurora.protocols.pipelines.histogram import CountPipeline
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs

TIME, EVENT = "time", "event"
"""The kinds of columns from which a sample's time and event follow."""
BY_SCORE = "by score"
"""A statistic may ask for the counts of each cell of scores within a cell of times."""


@dataclass(frozen=True, slots=True)
class Times(CountPipeline):
    """Counts in cells of times, or of times and scores."""

    name: ClassVar[str] = "times"
    inputs: ClassVar[Inputs] = frozenset({BY_SCORE})
    columns: ClassVar[tuple[str, ...]] = (TIME, EVENT)
    alone: ClassVar[bool] = True
    times: TimeGrid
    by_score: bool

    @classmethod
    def of(cls, choices: Choices) -> Times:
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
        return Layout(choices.scale, Numbered(count), Cuts(), ())

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

    @property
    def counting_grid(self) -> Grid | None:
        # an engine counts by score alone
        return None
