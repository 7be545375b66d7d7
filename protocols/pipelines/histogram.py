"""The pipelines of counts: owners count their samples between public cut points, nothing is sorted.

An upload has as many words however long the list is. The proxies check the words privately and add
up their shares, which takes no message.

- `Histogram` counts in cells that cover the range, from which curves are computed: one for each
  score that the study's resolution has, or bins, of which the scores of one count as tied.
- `OwnersSums` counts between the thresholds at which the study's statistics read, and has beside
  these counts the sums of scores and the bootstrap replicates that they ask for: exact for the
  scores themselves. Where the study has a least cell, which of the cut points may be shown is found
  once for all.

Where scores are taken as probabilities and lower ones speak for the positive class, 1 - score takes
the place of the score.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.cuts import Cuts, Cutting
from ppaurora.protocols.grid.grid import Grid, Thresholds
from ppaurora.protocols.grid.layout import (
    Layout,
    check_uploads,
    check_uploads_cost,
    lifted,
    lifting_cost,
)
from ppaurora.protocols.grid.least_cell import shown, shown_cost, shown_plaintext
from ppaurora.protocols.grid.resampling import Resampling, resamplings
from ppaurora.protocols.grid.sums import MOST_UPLOADS, WORDS, Numbers, Sum, real
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.lists.verdicts import Findings
from ppaurora.protocols.pipelines.pipeline import (
    ANY_NUMBER,
    Choices,
    Inputs,
    OwnersNumbers,
    PhaseEstimate,
    Pipeline,
)
from ppaurora.protocols.ranking.binned import Binned, Counts, PooledBins, between

PAIRS = "pairs"
"""A statistic may ask for P·N, beside the sums."""
LEFT_OUT = "rows left out"
"""A statistic may ask how many rows without a score or a label the owners left out."""


@dataclass(frozen=True, slots=True)
class CountPipeline(OwnersNumbers[Binned, PooledBins]):
    """The sum of all owners' counts on a grid."""

    adds: ClassVar[bool] = True
    layout: Layout

    @classmethod
    def of(cls, choices: Choices) -> Self:
        return cls(cls.layout_of(choices))

    @classmethod
    @abstractmethod
    def layout_of(cls, choices: Choices) -> Layout:
        """The layout of an upload in a study of these choices."""

    @property
    def sound(self) -> str:
        return "made of counts that add up to the stated number of samples"

    @property
    def cuts(self) -> Cuts:
        return self.layout.cuts

    def upload(self, keys: Sequence[Words]) -> Words:
        return self.repeatable(keys, os.urandom(KEY_BYTES))

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        return self.layout.upload(keys[0], secret, left_out)

    @property
    def counting_grid(self) -> Grid | None:
        return self.layout.counting_grid

    def of_counts(self, counts: Sequence[Numbers], secret: bytes, left_out: int = 0) -> Words:
        return self.layout.of_counts(counts, secret, left_out)

    def form(self, samples: int) -> UploadForm:
        return self.layout.form

    def places(self, samples: int) -> int:
        return len(self.layout.grid)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return concatenate(upload[: len(self.layout.grid)].sum() for upload in uploads)

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        return lifted(party, uploads, self.layout)

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        return lifting_cost(len(sizes), self.layout)

    @property
    def most_uploads(self) -> int:
        return MOST_UPLOADS if self.layout.sums else ANY_NUMBER

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        self.check_addable(len(uploads))
        return check_uploads(party, uploads, sizes, self.layout)

    def check_addable(self, uploads: int) -> None:
        """Refuse more uploads than there are whose sums can be added."""
        if self.layout.sums and uploads > MOST_UPLOADS:
            raise BoundExceeded(
                f"sums of scores of {uploads} uploads, of which {MOST_UPLOADS} can be added",
                advice="Ask for statistics of counts, or let owners join their lists.",
            )

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_uploads_cost(len(sizes), self.layout)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Binned:
        total, bins, cuts = reduce(add, uploads), len(self.layout.grid), self.cuts
        fine = self.shown_cuts(party, uploads)
        positives, negatives = total[:bins], total[bins : 2 * bins]
        pairs = None
        if PAIRS in inputs:
            with party.phase(PAIRS):
                pairs = multiply(party, positives.sum(), negatives.sum())
        sums = self.layout.sums_in(total)
        drawn = self.layout.replicates_in(total)
        left_out = self.layout.left_out_in(total)
        return Binned(
            positives,
            negatives,
            sum(sizes),
            pairs,
            self.layout.grid,
            cuts,
            fine,
            sums,
            drawn,
            left_out,
        )

    def shown_cuts(self, party: Party, uploads: Sequence[Shared]) -> Shared:
        """1 for each cut point at which something may be released, and once more if anything may.

        Uploads begin with the counts of their rows.
        """
        cuts = self.cuts
        if not cuts.withhold:
            return Shared.public(party.role, np.ones(len(cuts.shown) + 1, np.uint64))
        with party.phase("least cell"):
            return self._shown(party, self._between_cuts(uploads))

    def _shown(self, party: Party, between: Sequence[Sequence[Shared]]) -> Shared:
        """1 for each cut point that may be shown, and then once more if anything may."""
        return shown(party, between, self.cuts.order, self.cuts.least)

    def _shown_cost(self, owners: int) -> Cost:
        """The cost of `_shown`."""
        return shown_cost(self.cuts.order, 2 * owners)

    def _shown_plaintext(self, between: Sequence[Sequence[Sequence[int]]]) -> list[bool]:
        """The same from counts in the clear."""
        return shown_plaintext(between, self.cuts.order, self.cuts.least)

    def _between_cuts(self, uploads: Sequence[Shared]) -> list[list[Shared]]:
        """For each class every owner's counts between the cut points."""
        bins = len(self.layout.grid)
        ends = np.array([*self.cuts.shown, bins]) - 1
        kinds = ([one[:bins] for one in uploads], [one[bins : 2 * bins] for one in uploads])
        return [[between(one.cumsum()[ends]) for one in kind] for kind in kinds]

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledBins:
        layout = self.layout
        positives, negatives = sum(
            map(self._counted, uploads), np.zeros((2, len(layout.grid)), np.int64)
        )
        return PooledBins(
            tuple(positives.tolist()),
            tuple(negatives.tolist()),
            layout.grid,
            self.cuts,
            self.shown_plaintext(uploads),
            self.plaintext_sums(uploads, layout.counts),
            self._plaintext_replicates(uploads),
            sum(int(number) for upload in uploads for number in layout.left_out_in(upload)),
        )

    def _counted(self, upload: Words) -> NDArray[np.int64]:
        """The positives and the negatives of each cell."""
        counts = upload[: self.layout.counts].astype(np.int64)
        return counts.reshape(2, len(self.layout.grid))

    def shown_plaintext(self, uploads: Sequence[Words]) -> frozenset[int]:
        """The cut points that may be shown, all cells among them if there are samples enough."""
        cuts = self.cuts
        ends = (*cuts.shown, len(self.layout.grid))
        if not cuts.withhold:
            return frozenset(ends)
        starts = np.array([0, *cuts.shown])
        parts = [np.add.reduceat(self._counted(one), starts, axis=1) for one in uploads]
        of_classes = [[one[kind].tolist() for one in parts] for kind in (0, 1)]
        fine = self._shown_plaintext(of_classes)
        return frozenset(end for end, seen in zip(ends, fine, strict=True) if seen)

    def plaintext_sums(self, uploads: Sequence[Words], start: int) -> dict[Sum, list[Fraction]]:
        """The sums of all owners, whose words begin at this place of an upload."""
        found = {}
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

    def at_hand(self) -> Self | None:
        # without cuts that are shown none of them can be read
        cuts = replace(self.cuts, shown=(), least=1)
        return replace(self, layout=replace(self.layout, cuts=cuts))

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        phases = []
        if self.cuts.withhold:
            phases.append(PhaseEstimate("least cell", self._shown_cost(len(sizes))))
        if PAIRS in inputs:
            phases.append(PhaseEstimate(PAIRS, multiply.cost().of(1)))
        return tuple(phases)


@dataclass(frozen=True, slots=True)
class Histogram(CountPipeline):
    """Counts in cells that cover the range of the scores."""

    name: ClassVar[str] = "histogram"
    inputs: ClassVar[Inputs] = frozenset({PAIRS})

    @classmethod
    def layout_of(cls, choices: Choices) -> Layout:
        scale = choices.scale
        return Layout(scale, scale.cells, Cuts(), ())


@dataclass(frozen=True, slots=True)
class OwnersSums(CountPipeline):
    """Counts between thresholds, and sums over each owner's own rows."""

    name: ClassVar[str] = "owners' sums"
    inputs: ClassVar[Inputs] = frozenset({*Sum, LEFT_OUT})

    @classmethod
    def layout_of(cls, choices: Choices) -> Layout:
        own = [one for one in choices.asked if issubclass(cls, getattr(one, "pipeline", Pipeline))]
        return cls.layout_for(choices, own)

    @staticmethod
    def layout_for(choices: Choices, own: Sequence[object]) -> Layout:
        """The layout of an upload for these statistics of the study."""
        return _layout_of_sums(choices.scale, tuple(own), choices.inputs)


@lru_cache(maxsize=16)
def _layout_of_sums(scale: Scale, own: tuple[object, ...], inputs: Inputs) -> Layout:
    """The layout, computed once for all who read the same study: its thresholds are hundreds."""
    cutting = (one for one in own if isinstance(one, Cutting))
    thresholds = {at for statistic in cutting for at in statistic.thresholds()}
    grid = Thresholds(tuple(sorted(thresholds)), scale.single, direction=scale.direction)
    sums = tuple(one for one in Sum if one in inputs)
    return Layout(scale, grid, Cuts.of(own, grid), sums, resamplings(own), LEFT_OUT in inputs)
