"""Counts in cells as statistics of the curve see them, on shares and in the clear.

The first cell is the one that speaks most for the positive class. Cells are those of a grid, or one
for each row of a sorted list whose rows count with secret numbers
(`ppaurora.protocols.ranking.weighted_rows`). How many samples are in all cells together is a share;
only a bound of it is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.layout import Replicates, Sums
from ppaurora.protocols.grid.resampling import Resampling
from ppaurora.protocols.grid.sums import OF_OWNERS, Sum, Unit
from ppaurora.protocols.ranking.curve import Pieces, Steps
from ppaurora.protocols.ranking.rows import cumulated, summed

Counts = tuple[tuple[int, ...], tuple[int, ...]]
"""The positives and the negatives of each bin."""


@dataclass(frozen=True, slots=True)
class CellCounts:
    """The positives and the negatives of each cell, and P·N, `pairs`, where it was asked for.

    All of them together are at most `n`, which is public. They may be of several sets of counts, as
    many cells of each in `rows` one behind the other: then classes, pairs and curves have an
    element or a piece for each, and `n` samples at most.
    """

    positives: Shared
    negatives: Shared
    n: int
    pairs: Shared | None
    rows: int = field(default=1, kw_only=True)

    @property
    def PN(self) -> Shared:
        if self.pairs is None:
            raise LocalProtocolError("a statistic uses P·N but did not ask for it")
        return self.pairs

    @property
    def wide(self) -> bool:
        """Yes: cells hold up to 2^31 - 1 samples."""
        return True

    @property
    def pieces(self) -> Pieces:
        """The pieces of the ROC curve: each cell is one."""
        F1, T1 = self.FP, self.TP
        return Pieces(F1 - self.negatives, F1, T1 - self.positives, T1, self.P, self.N)

    @property
    def bins(self) -> int:
        return len(self.positives)

    @property
    def P(self) -> Shared:
        return summed(self.positives, self.rows)

    @property
    def N(self) -> Shared:
        return summed(self.negatives, self.rows)

    @property
    def TP(self) -> Shared:
        """The positives up to the end of each cell."""
        return cumulated(self.positives, self.rows)

    @property
    def FP(self) -> Shared:
        """The negatives up to the end of each cell."""
        return cumulated(self.negatives, self.rows)


@dataclass(frozen=True, slots=True)
class Binned(CellCounts):
    """The cells of a grid; `n`, how many samples there are, is public.

    `shown` is 1 for each cut point at which something may be released, and then once more if
    anything may; `sums` are those that the study's statistics asked for, as are the `replicates`
    and the number of rows that the owners `left_out`. Words of sums are in their `units`, or as
    owners upload them. Of lists that are joined `joined` is how many rows are, enough for the study
    or not.
    """

    grid: Grid
    cuts: Cuts
    shown: Shared
    sums: Sums
    replicates: Replicates = field(default_factory=dict)
    left_out: Shared | None = None
    units: Mapping[Sum, Unit] = field(default_factory=dict, kw_only=True)
    joined: Shared | None = field(default=None, kw_only=True)

    def unit(self, which: Sum) -> Unit:
        """The unit of the words of a sum."""
        return self.units.get(which, OF_OWNERS)

    def coarsened(self, parts: int) -> tuple[Shared, Shared]:
        """The positives and the negatives of so many equal parts of the grid; no message."""
        ends = np.arange(1, parts + 1) * (self.bins // parts) - 1
        return between(self.TP[ends]), between(self.FP[ends])

    def above(self, thresholds: Sequence[Fraction]) -> AtCuts:
        """The counts above cut points of the study."""
        places = places_of(self.grid, thresholds)
        ends = np.array(places) - 1
        return AtCuts(
            self.TP[ends],
            self.FP[ends],
            self.P.repeat(ends.size),
            self.N.repeat(ends.size),
            self.shown[np.array([self.cuts.shown.index(place) for place in places])],
        )

    def up_to(self, thresholds: Sequence[Fraction]) -> tuple[Shared, Shared]:
        """The positives and all samples above each cut point, and then all of them.

        The cut point that speaks most for the positive class comes first.
        """
        ends = np.array([*sorted(places_of(self.grid, thresholds)), self.bins]) - 1
        return self.TP[ends], (self.TP + self.FP)[ends]

    def between(self, thresholds: Sequence[Fraction]) -> tuple[Shared, Shared]:
        """The positives and the negatives above the first of them, between the first two, ..."""
        positives, samples = map(between, self.up_to(thresholds))
        return positives, samples - positives

    def scores_up_to(self, thresholds: Sequence[Fraction]) -> tuple[Shared, ...]:
        """The scores up to the same places, as the words of their sums."""
        places = sorted(places_of(self.grid, thresholds))
        ends = np.array([*map(self.cuts.places.index, places), len(self.cuts.places)])
        return tuple(words.cumsum()[ends] for words in self.sums[Sum.SCORES])


def places_of(grid: Grid, thresholds: Sequence[Fraction]) -> list[int]:
    """The number of cells above each threshold, all of which are cut points of the grid."""
    places = [grid.cut(threshold) for threshold in thresholds]
    return [place for place in places if place is not None]


def between(up_to: Shared) -> Shared:
    """Differences of cumulative sums: above the first cut point, between the first two, ..."""
    return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])


@dataclass(frozen=True, slots=True)
class AtCuts:
    """At each cut point: the positives and negatives above it, all, and whether it may be shown."""

    TP: Shared
    FP: Shared
    P: Shared
    N: Shared
    shown: Shared

    @property
    def FN(self) -> Shared:
        return self.P - self.TP

    @property
    def TN(self) -> Shared:
        return self.N - self.FP


@dataclass(frozen=True, slots=True, repr=False)
class PooledCounts:
    """The counts of all cells in the clear, for simulations and tests in one process."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]

    @property
    def P(self) -> int:
        return sum(self.positives)

    @property
    def N(self) -> int:
        return sum(self.negatives)

    @property
    def n(self) -> int:
        return self.P + self.N

    @property
    def steps(self) -> Steps:
        """The cells that are not empty, as groups of tied scores."""
        found, t, j = [], 0, 0
        for positives, negatives in zip(self.positives, self.negatives, strict=True):
            s, i = t, j
            t, j = t + positives, j + positives + negatives
            if j > i:
                found.append((s, t, i, j))
        return tuple(found)


@dataclass(frozen=True, slots=True, repr=False)
class PooledBins(PooledCounts):
    """The counts of all owners on a grid.

    `shown` are the numbers of cells above the cut points that may be shown, all cells among them if
    there are samples enough.
    """

    grid: Grid
    cuts: Cuts
    shown: frozenset[int]
    sums: Mapping[Sum, Sequence[Fraction]] = field(default_factory=dict)
    replicates: Mapping[Resampling, Sequence[Counts]] = field(default_factory=dict)
    left_out: int = 0
    joined: int | None = None

    def coarsened(self, parts: int) -> tuple[list[int], list[int]]:
        """The positives and the negatives of so many equal parts of the grid."""
        width = len(self.positives) // parts
        positives, negatives = (
            [sum(counts[start : start + width]) for start in range(0, len(counts), width)]
            for counts in (self.positives, self.negatives)
        )
        return positives, negatives

    def above(self, threshold: Fraction) -> Confusion | None:
        """The four counts at a cut point; None where it is withheld."""
        [place] = places_of(self.grid, [threshold])
        if place not in self.shown:
            return None
        tp, fp = sum(self.positives[:place]), sum(self.negatives[:place])
        return Confusion(tp, fp, self.P - tp, self.N - fp)

    def between(self, thresholds: Sequence[Fraction]) -> tuple[list[int], list[int]]:
        """The positives and the negatives above the first cut point, between the first two, ..."""
        ends = [0, *sorted(places_of(self.grid, thresholds)), len(self.positives)]
        positives, negatives = (
            [sum(counts[start:end]) for start, end in pairwise(ends)]
            for counts in (self.positives, self.negatives)
        )
        return positives, negatives

    def parts(self, thresholds: Sequence[Fraction]) -> list[Part]:
        """The same with the sums of their scores."""
        found = []
        places = sorted(places_of(self.grid, thresholds))
        for start, end in pairwise([0, *places, len(self.positives)]):
            inside = slice(start, end)
            positives, negatives = sum(self.positives[inside]), sum(self.negatives[inside])
            of_cuts = [0, *self.cuts.places, len(self.positives)]
            scores = self.sums[Sum.SCORES][of_cuts.index(start) : of_cuts.index(end)]
            found.append(Part(positives, positives + negatives, sum(scores, Fraction(0))))
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """The positives, all samples, and the sum of their scores."""

    positives: int
    samples: int
    scores: Fraction

    def __add__(self, other: Part) -> Part:
        return Part(
            self.positives + other.positives,
            self.samples + other.samples,
            self.scores + other.scores,
        )


@dataclass(frozen=True, slots=True)
class Confusion:
    """The confusion matrix: samples of each class that are called positive and negative."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn
