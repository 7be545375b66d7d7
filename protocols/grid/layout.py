"""Layout of an upload of a study on a grid, and the private check that its numbers are sound.

The positives of each bin, the negatives of each, then the words of every sum that the study's
statistics ask for, the number of rows that the owner left out, if they ask for it, and then the
replicates of every resampling. The number of words follows from the study alone.

The proxies check privately that each upload counts as many samples as its owner stated: none of the
following may be negative: each word, the room above it (2^31 - 1 of a count and of the rows left
out, the most that so many samples can add up to of a sum), and the sum of all counts minus the
stated number, with either sign. While all counts are below 2^31 their sum does not wrap around, so
both differences are negative or zero only if the sum is as stated. Which word is wrong, and by how
much, stays hidden. How many rows were left out is as the owner says.

Of a bootstrap replicate the sum of all counts must be that of the list, or from `Resampling.least`
to `Resampling.most`; nobody can see whether it was drawn as it should be. 4 hops; two comparisons a
word, one or two a replicate, and two.

Of more than `FEW_COUNTS` the proxies take the lower 32 bits of every count first, and go on with
these (`low_half`): below 2^32 whatever the owner shared, so that only their sums are compared. This
takes 37 bytes a count in place of 146, of many 35 in place of 125, and 4 hops more, or 5. Nobody
learns anything in either way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import low_half
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.resampling import Resampling
from ppaurora.protocols.grid.sums import (
    WORDS,
    Numbers,
    Sum,
    limits,
    sums_of,
    sums_of_repeated,
    to_words,
)
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import MOST_CELLS, Resolution, Scale, decode
from ppaurora.protocols.lists.verdicts import Findings, check_negatives, check_negatives_cost

LARGEST_COUNT = (1 << 31) - 1
FEW_COUNTS = 4096
"""Counts of an upload up to which each is compared twice, which takes four hops fewer."""

Vector = TypeVar("Vector", Shared, Words)
Sums = Mapping[Sum, tuple[Shared, ...]]
"""The words of every sum, the high ones first."""
Replicates = Mapping[Resampling, Shared]
"""The words of every resampling."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The upload of a study with this grid, these cut points, sums and replicates."""

    scale: Scale
    grid: Grid
    cuts: Cuts
    sums: tuple[Sum, ...]
    resamplings: tuple[Resampling, ...] = ()
    left_out: bool = False

    def count(self, which: Sum) -> int:
        """The number of values that a sum consists of."""
        return self.cuts.parts if which is Sum.SCORES else 1

    @property
    def counts(self) -> int:
        """The number of words that are counts."""
        return 2 * len(self.grid)

    @property
    def words(self) -> int:
        """The number of words of an upload."""
        return self._before_replicates + self._drawn

    @property
    def form(self) -> UploadForm:
        """An upload as it travels: of counts that are lifted the lower halves alone."""
        sums = UploadForm.of_words(self._before_replicates - self.counts)
        cells, drawn = (
            UploadForm.of_keys(count, narrow=self.lifts) for count in (self.counts, self._drawn)
        )
        return cells + sums + drawn

    @property
    def lifts(self) -> bool:
        """True if the proxies compute with the lower halves of all counts, replicates too."""
        return self._drawn + self.counts > FEW_COUNTS

    @property
    def compared(self) -> slice:
        """The words of which each is compared with its limits."""
        return slice(self.counts, self._before_replicates) if self.lifts else slice(self.words)

    @property
    def lifted_words(self) -> int:
        """The number of words of which the lower half is taken."""
        return self.counts + self._drawn if self.lifts else 0

    @property
    def _drawn(self) -> int:
        return sum(resampling.words for resampling in self.resamplings)

    @property
    def _behind_sums(self) -> int:
        return self.counts + WORDS * sum(map(self.count, self.sums))

    @property
    def _before_replicates(self) -> int:
        return self._behind_sums + self.left_out

    def upload(
        self, keys: Words, secret: bytes, left_out: int, clusters: Words | None = None
    ) -> Words:
        """The words that the owner of these keys shares; replicates are drawn from its secret.

        `left_out` rows without a score or a label are not among them. Where clusters can be drawn,
        `clusters` are the numbers of those of its rows.
        """
        scores, labels = decode(keys, self.scale)
        needed = self.sums or clusters is not None
        places = self.grid.places(scores) if needed else np.zeros(0, np.int64)
        parts, higher = self.cuts.part_of(places), self.grid.higher
        sums = [
            sums_of(which, scores, labels, parts, self.count(which), higher) for which in self.sums
        ]
        counts = self.grid.counts(scores, labels)

        def drawn(resampling: Resampling) -> Words:
            stream = resampling.stream(secret)
            if clusters is None or not resampling.largest:
                return resampling.drawn(self.grid, counts, stream)
            return resampling.drawn_clusters(self.grid, places, labels, clusters, stream)

        return self._with(counts, sums, left_out, drawn)

    def of_counts(self, counts: Sequence[Numbers], secret: bytes, left_out: int) -> Words:
        """The same from the positives and the negatives in each cell of `counting_grid`.

        These begin with the cell of the lowest scores.
        """
        if not self.by_score:
            return self._of_cells(self.grid.arranged(*counts), [], secret, left_out)
        of_scores, cells = self.scale.cells, len(self.grid)
        ascending = np.arange(len(of_scores), dtype=np.uint64)
        codes = ascending if of_scores.higher else ascending[::-1]
        scores = self.scale.scores(codes)
        places = self.grid.places(scores)
        found = np.zeros((2, cells), np.int64)
        for own, of_class in zip(found, counts, strict=True):
            np.add.at(own, places, of_class)
        labels = np.repeat(np.array([1, 0], np.uint64), len(scores))
        times, parts = np.concatenate(counts), np.tile(self.cuts.part_of(places), 2)
        scores, higher = np.tile(scores, 2), self.grid.higher
        sums = [
            sums_of_repeated(which, scores, labels, times, parts, self.count(which), higher)
            for which in self.sums
        ]
        return self._of_cells(found.reshape(-1).astype(np.uint64), sums, secret, left_out)

    def _of_cells(
        self, counts: Words, sums: Sequence[Sequence[Fraction]], secret: bytes, left_out: int
    ) -> Words:
        """The words of an upload whose replicates are drawn from these counts."""

        def drawn(resampling: Resampling) -> Words:
            return resampling.drawn(self.grid, counts, resampling.stream(secret))

        return self._with(counts, sums, left_out, drawn)

    @property
    def by_score(self) -> bool:
        """True if there are so few scores that whoever counts can count each by itself."""
        return self.scale.kind is Resolution.DECIMALS and self.scale.top < MOST_CELLS

    @property
    def counting_grid(self) -> Grid | None:
        """The grid on which an owner may count its list in place of reading it; None if it may not.

        That is a cell for each score, where there are few scores. Else it is the grid of the
        layout, unless sums need the scores themselves, or scores must be checked to be of
        float32, which a database that counts does not do.
        """
        if self.by_score:
            return self.scale.cells
        return None if self.sums or self.scale.single else self.grid

    def _with(
        self,
        counts: Words,
        sums: Sequence[Sequence[Fraction]],
        left_out: int,
        drawn: Callable[[Resampling], Words],
    ) -> Words:
        """The words of an upload with these counts and sums, and the replicates that are drawn."""
        told = np.array([left_out] if self.left_out else [], np.uint64)
        more = [word for of_one in sums for word in to_words(of_one)]
        replicates = map(drawn, self.resamplings)
        return np.concatenate([counts, np.array(more, np.uint64), told, *replicates])

    def limits(self, size: int) -> Words:
        """The largest word at each place of an upload of `size` samples."""
        more = [word for which in self.sums for word in limits(which, self.count(which), size)]
        counts = np.full(self.counts, LARGEST_COUNT, np.uint64)
        behind = np.full(self.left_out + self._drawn, LARGEST_COUNT, np.uint64)
        return np.concatenate([counts, np.array(more, np.uint64), behind])

    def sums_in(self, words: Shared) -> Sums:
        """The sums that stand in an upload."""
        found, start = {}, self.counts
        for which in self.sums:
            count = self.count(which)
            starts = range(start, start + WORDS * count, count)
            found[which] = tuple(words[place : place + count] for place in starts)
            start += WORDS * count
        return found

    def left_out_in(self, words: Vector) -> Vector:
        """The number of rows left out that stands in an upload, if the study asks for it."""
        return words[self._behind_sums : self._before_replicates]

    def replicates_in(self, words: Shared) -> Replicates:
        """The replicates that stand in an upload."""
        found, start = {}, self._before_replicates
        for resampling in self.resamplings:
            found[resampling] = words[start : start + resampling.words]
            start += resampling.words
        return found


def room(words: Shared, size: int, layout: Layout) -> Shared:
    """The numbers of an upload of `size` samples that must not be negative."""
    total = words[: layout.counts].sum()
    drawn = [one.room(own, size) for one, own in layout.replicates_in(words).items()]
    exact = [total - size, size - total]
    each, limits = words[layout.compared], layout.limits(size)[layout.compared]
    return concatenate([each, limits - each, *exact, *drawn])


def lifted(party: Party, uploads: Sequence[Shared], layout: Layout) -> list[Shared]:
    """The uploads as they are checked and computed with: many counts by their lower halves."""
    if not layout.lifts or not uploads:
        return list(uploads)
    between = layout.compared
    counts = [part for words in uploads for part in (words[: between.start], words[between.stop :])]
    ends = accumulate(map(len, counts), initial=0)
    halves = low_half(party, concatenate(counts))
    parts = [halves[start:stop] for start, stop in pairwise(ends)]
    return [
        concatenate([cells, words[between], drawn])
        for words, cells, drawn in zip(uploads, parts[::2], parts[1::2], strict=True)
    ]


def lifting_cost(uploads: int, layout: Layout) -> Cost:
    """The cost of `lifted` for so many uploads."""
    return low_half.cost().of(uploads * layout.lifted_words)


def check_uploads(
    party: Party, uploads: Sequence[Shared], sizes: Sequence[int], layout: Layout
) -> Findings:
    """The findings on uploads whose counts and sums must be sound."""
    pairs = zip(uploads, sizes, strict=True)
    return check_negatives(party, [room(words, size, layout) for words, size in pairs])


def check_uploads_cost(uploads: int, layout: Layout) -> Cost:
    """The cost of `check_uploads` for so many uploads."""
    replicates = sum(resampling.compared for resampling in layout.resamplings)
    compared = len(range(layout.words)[layout.compared])
    return check_negatives_cost([2 * compared + 2 + replicates] * uploads)
