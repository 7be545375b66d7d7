"""The pipeline of the histogram: owners count their samples on a public grid, nothing is sorted.

An upload has as many words however long the list is: for every bin the positives and the negatives.
The proxies check the counts privately and add up their shares, which takes no message. What is
computed from the bins is exact for the binned scores; scores of one bin count as tied.

Scores between 0 and 1 (`code = "unit"`). Where lower scores speak for the positive class, 1 - score
takes the place of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.check import check_counts, check_counts_cost
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.merging import surviving, surviving_cost, surviving_in_clear
from ppaurora.protocols.lists.encoding import decode
from ppaurora.protocols.pipelines.pipeline import Choices, Foreseen, Inputs, Pipeline
from ppaurora.protocols.ranking.binned import Binned, PooledBins

CODE = "unit"


@dataclass(frozen=True, slots=True)
class Histogram(Pipeline[Binned, PooledBins]):
    """The sum of all owners' histograms."""

    name: ClassVar[str] = "histogram"
    mode: ClassVar[str] = "grid"
    sound: ClassVar[str] = "made of counts that add up to the stated number of samples"
    inputs: ClassVar[Inputs] = frozenset()
    grid: Grid
    cuts: Cuts

    @classmethod
    def of(cls, choices: Choices) -> Histogram:
        if choices.code != CODE:
            raise OptionRefused(
                "code",
                f'is "{choices.code}", but a grid is over scores from 0 to 1',
                advice=f'Use code = "{CODE}", with scores that all owners map to [0, 1] alike.',
            )
        grid = Grid(choices.bins)
        return cls(grid, Cuts.of(choices.statistics, grid))

    def upload(self, keys: Words, direction: str) -> Words:
        return self.grid.counts(*decode(keys, code=CODE, direction=direction), direction)

    def words(self, samples: int) -> int:
        return 2 * self.grid.bins

    def places(self, samples: int) -> int:
        return self.grid.bins

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> list[bool]:
        return check_counts(party, uploads, sizes)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Binned:
        total, bins, places = reduce(add, uploads), self.grid.bins, self.cuts.places
        survived = Shared.public(party.role, np.ones(len(places), np.uint64))
        if self.cuts.merge:
            with party.phase("merge"):
                survived = surviving(party, self._between_cuts(uploads), self.cuts.least)
        return Binned(total[:bins], total[bins:], sum(sizes), places, survived)

    def _between_cuts(self, uploads: Sequence[Shared]) -> list[list[Shared]]:
        """For each class that must be enough: every owner's counts between the cut points."""
        bins = self.grid.bins
        halves = [(one[:bins], one[bins:]) for one in uploads]
        if self.cuts.both_classes:
            return [[_between(one[place], self.cuts) for one in halves] for place in (0, 1)]
        return [[_between(positives + negatives, self.cuts) for positives, negatives in halves]]

    def in_clear(self, uploads: Sequence[Words]) -> PooledBins:
        bins, cuts = self.grid.bins, self.cuts
        histograms = [one.astype(np.int64).reshape(2, bins) for one in uploads]
        positives, negatives = sum(histograms, np.zeros((2, bins), np.int64))
        survived = [True] * len(cuts.places)
        if cuts.merge:
            starts = np.array([0, *cuts.places])
            between = [np.add.reduceat(one, starts, axis=1) for one in histograms]
            classes = (0, 1) if cuts.both_classes else (slice(None),)
            counted = [
                [np.atleast_2d(one[kind]).sum(0).tolist() for one in between] for kind in classes
            ]
            survived = surviving_in_clear(counted, cuts.least)
        return PooledBins(
            tuple(positives.tolist()),
            tuple(negatives.tolist()),
            frozenset(place for place, fine in zip(cuts.places, survived, strict=True) if fine),
        )

    def foreseen(self, sizes: Sequence[int], inputs: Inputs) -> tuple[Foreseen, ...]:
        check = Foreseen("check", check_counts_cost([self.words(size) for size in sizes]))
        if not self.cuts.merge:
            return (check,)
        rows = len(sizes) * (1 + self.cuts.both_classes)
        return check, Foreseen("merge", surviving_cost(len(self.cuts.places) + 1, rows))

    def proxies_learn(self) -> tuple[str, ...]:
        return ()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return ()


def _between(counts: Shared, cuts: Cuts) -> Shared:
    """The sums of the counts above the first cut point, between the first two, and so on."""
    up_to = counts.cumsum()[np.array([*cuts.places, len(counts)]) - 1]
    return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])
