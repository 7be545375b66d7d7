"""The pipeline of the histogram: owners count their samples on a public grid, nothing is sorted.

An upload has as many words however long the list is: for every bin the positives and the negatives,
and the sums and bootstrap replicates that the study's statistics ask for. The proxies check the
words privately and add up their shares, which takes no message; where a statistic asks for a least
count, the cut points of all are merged once. What is computed from the bins is exact for the binned
scores; scores of one bin count as tied.

Scores between 0 and 1 (`code = "unit"`). Where lower scores speak for the positive class, 1 - score
takes the place of the score.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.layout import CODE, Layout, check_uploads, check_uploads_cost
from ppaurora.protocols.grid.merging import surviving, surviving_cost, surviving_plaintext
from ppaurora.protocols.grid.resampling import Resampling, resamplings
from ppaurora.protocols.grid.sums import MOST_UPLOADS, WORDS, Sum, real
from ppaurora.protocols.lists.verdicts import Findings
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, Mode, PhaseEstimate, Pipeline
from ppaurora.protocols.ranking.binned import Binned, Counts, PooledBins, between

PAIRS = "pairs"
"""A statistic may ask for P·N, beside the sums."""


@dataclass(frozen=True, slots=True)
class Histogram(Pipeline[Binned, PooledBins]):
    """The sum of all owners' histograms."""

    name: ClassVar[str] = "histogram"
    mode: ClassVar[Mode] = Mode.GRID
    sound: ClassVar[str] = "made of counts that add up to the stated number of samples"
    inputs: ClassVar[Inputs] = frozenset({*Sum, PAIRS})
    layout: Layout

    @classmethod
    def of(cls, choices: Choices) -> Histogram:
        if choices.code != CODE:
            raise OptionRefused(
                "code",
                f'is "{choices.code}", but a grid is over scores from 0 to 1',
                advice=f'Use code = "{CODE}", with scores that all owners map to [0, 1] alike.',
            )
        grid = Grid(choices.bins, choices.direction)
        sums = tuple(one for one in Sum if one in choices.inputs)
        drawn = resamplings(choices.statistics, grid.bins)
        return cls(Layout(grid, Cuts.of(choices.statistics, grid), sums, drawn))

    @property
    def cuts(self) -> Cuts:
        return self.layout.cuts

    def upload(self, keys: Sequence[Words]) -> Words:
        return self.repeatable(keys, os.urandom(KEY_BYTES))

    def repeatable(self, keys: Sequence[Words], secret: bytes) -> Words:
        [column] = keys
        return self.layout.upload(column, secret)

    @property
    def counting_grid(self) -> Grid | None:
        # sums are of the scores as they are, which counts do not tell
        return None if self.layout.sums or self.layout.resamplings else self.layout.grid

    def words(self, samples: int) -> int:
        return self.layout.words

    def places(self, samples: int) -> int:
        return self.layout.grid.bins

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        if self.layout.sums and len(uploads) > MOST_UPLOADS:
            raise BoundExceeded(
                f"sums of scores of {len(uploads)} uploads, of which {MOST_UPLOADS} can be added",
                advice="Ask for statistics of counts, or let owners join their lists.",
            )
        return check_uploads(party, uploads, sizes, self.layout)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Binned:
        total, bins, cuts = reduce(add, uploads), self.layout.grid.bins, self.cuts
        survived = Shared.public(party.role, np.ones(len(cuts.shown) + 1, np.uint64))
        if cuts.merge:
            with party.phase("merge"):
                survived = surviving(party, self._between_cuts(uploads), cuts.least)
        positives, negatives = total[:bins], total[bins : 2 * bins]
        pairs = None
        if PAIRS in inputs:
            with party.phase(PAIRS):
                pairs = multiply(party, positives.sum(), negatives.sum())
        sums = self.layout.sums_in(total)
        drawn = self.layout.replicates_in(total)
        return Binned(positives, negatives, sum(sizes), cuts, survived, sums, pairs, drawn)

    def _between_cuts(self, uploads: Sequence[Shared]) -> list[list[Shared]]:
        """For each class that must be enough: every owner's counts between the cut points."""
        bins = self.layout.grid.bins
        ends = np.array([*self.cuts.shown, bins]) - 1
        halves = [(upload[:bins], upload[bins : 2 * bins]) for upload in uploads]
        kinds = (
            zip(*halves, strict=True) if self.cuts.both_classes else [[a + b for a, b in halves]]
        )
        return [[between(one.cumsum()[ends]) for one in kind] for kind in kinds]

    def plaintext(self, uploads: Sequence[Words]) -> PooledBins:
        layout, cuts = self.layout, self.cuts
        counts = [
            upload[: layout.counts].astype(np.int64).reshape(2, layout.grid.bins)
            for upload in uploads
        ]
        positives, negatives = sum(counts, np.zeros((2, layout.grid.bins), np.int64))
        survived = [True] * (len(cuts.shown) + 1)
        if cuts.merge:
            starts = np.array([0, *cuts.shown])
            between = [np.add.reduceat(count, starts, axis=1) for count in counts]
            kinds = ((0,), (1,)) if cuts.both_classes else ((0, 1),)
            of_classes = [[one[list(kind)].sum(0).tolist() for one in between] for kind in kinds]
            survived = surviving_plaintext(of_classes, cuts.least)
        ends = (*cuts.shown, layout.grid.bins)
        return PooledBins(
            tuple(positives.tolist()),
            tuple(negatives.tolist()),
            cuts,
            frozenset(end for end, fine in zip(ends, survived, strict=True) if fine),
            self._plaintext_sums(uploads),
            self._plaintext_replicates(uploads),
        )

    def _plaintext_sums(self, uploads: Sequence[Words]) -> dict[Sum, list[Fraction]]:
        found, start = {}, self.layout.counts
        for which in self.layout.sums:
            end = start + WORDS * self.layout.count(which)
            owners = [real(upload[start:end].tolist()) for upload in uploads]
            found[which] = [sum(of_one, Fraction(0)) for of_one in zip(*owners, strict=True)]
            start = end
        return found

    def _plaintext_replicates(self, uploads: Sequence[Words]) -> dict[Resampling, list[Counts]]:
        found, end = {}, self.layout.words
        for resampling in reversed(self.layout.resamplings):
            drawn = [upload[end - resampling.words : end].astype(np.int64) for upload in uploads]
            total = sum(drawn, np.zeros(resampling.words, np.int64))
            rows = np.reshape(total, (resampling.replicates, 2, resampling.parts)).tolist()
            found[resampling] = [
                (tuple(positives), tuple(negatives)) for positives, negatives in rows
            ]
            end -= resampling.words
        return found

    def phase_estimates(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        phases = [PhaseEstimate("check", check_uploads_cost(len(sizes), self.layout))]
        if self.cuts.merge:
            rows = len(sizes) * (1 + self.cuts.both_classes)
            phases.append(PhaseEstimate("merge", surviving_cost(len(self.cuts.shown) + 1, rows)))
        if PAIRS in inputs:
            phases.append(PhaseEstimate(PAIRS, multiply.cost().of(1)))
        return tuple(phases)

    def proxies_learn(self) -> tuple[str, ...]:
        return ()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return ()

    def helper_only_deals(self) -> bool:
        return True
