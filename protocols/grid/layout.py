"""Where everything stands in an upload of a study on a grid.

The positives of each bin, the negatives of each, then the words of every sum that the study's
statistics ask for, and then the replicates of every resampling. The number of words follows from
the study alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.resampling import Resampling
from ppaurora.protocols.grid.sums import WORDS, Sum, limits, sums_of, to_words
from ppaurora.protocols.lists.encoding import decode

LARGEST_COUNT = (1 << 31) - 1
CODE = "unit"

Sums = Mapping[Sum, tuple[Shared, ...]]
"""The words of every sum, the high ones first."""
Replicates = Mapping[Resampling, Shared]
"""The words of every resampling."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The upload of a study with this grid, these cut points, sums and replicates."""

    grid: Grid
    cuts: Cuts
    sums: tuple[Sum, ...]
    resamplings: tuple[Resampling, ...] = ()

    def count(self, which: Sum) -> int:
        """How many numbers a sum has."""
        return self.cuts.parts if which is Sum.SCORES else 1

    @property
    def counts(self) -> int:
        """How many words are counts."""
        return 2 * self.grid.bins

    @property
    def words(self) -> int:
        """How many words an upload has."""
        return self._before_replicates + sum(one.words for one in self.resamplings)

    @property
    def _before_replicates(self) -> int:
        return self.counts + WORDS * sum(map(self.count, self.sums))

    def upload(self, keys: Words, secret: bytes) -> Words:
        """What the owner of these keys shares; replicates are drawn from its secret."""
        scores, labels = decode(keys, code=CODE, direction=self.grid.direction)
        counts = self.grid.counts(scores, labels)
        stream = Stream(secret)
        drawn = [one.drawn(counts, stream) for one in self.resamplings]
        if not self.sums:
            return np.concatenate([counts, *drawn])
        parts = self.cuts.part_of(self.grid.places(scores))
        more = [
            word
            for which in self.sums
            for word in to_words(
                sums_of(which, scores, labels, parts, self.count(which), self.grid.higher)
            )
        ]
        return np.concatenate([counts, np.array(more, np.uint64), *drawn])

    def limits(self, size: int) -> Words:
        """The largest word at each place of an upload of `size` samples."""
        more = [word for which in self.sums for word in limits(which, self.count(which), size)]
        counts = np.full(self.counts, LARGEST_COUNT, np.uint64)
        drawn = np.full(self.words - self._before_replicates, LARGEST_COUNT, np.uint64)
        return np.concatenate([counts, np.array(more, np.uint64), drawn])

    def sums_in(self, words: Shared) -> Sums:
        """The sums that stand in an upload."""
        found, start = {}, self.counts
        for which in self.sums:
            count = self.count(which)
            starts = range(start, start + WORDS * count, count)
            found[which] = tuple(words[place : place + count] for place in starts)
            start += WORDS * count
        return found

    def replicates_in(self, words: Shared) -> Replicates:
        """The replicates that stand in an upload."""
        found, start = {}, self._before_replicates
        for one in self.resamplings:
            found[one] = words[start : start + one.words]
            start += one.words
        return found
