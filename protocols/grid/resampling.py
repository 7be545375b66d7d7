"""Bootstrap replicates of an owner's counts, drawn where the counts are known.

Every sample enters a replicate as often as a Poisson variable of mean 1 says. A count c of a part
of the grid then becomes a Poisson variable of mean c, so that an owner draws one number for each
count and replicate and not for each sample. The classes are drawn on their own and their sizes vary
from one replicate to the next: no owner knows the pooled sizes, which a stratified draw would keep.

The owner draws from a secret of its own, the same again when an upload is repeated. The replicates
are shared like the counts and stay shared; the proxies add them up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import Grid

REACH = 12
"""Standard deviations around the mean; what lies beyond is rarer than a millionth of 2^-64."""


@dataclass(frozen=True, slots=True, order=True)
class Resampling:
    """Bootstrap replicates of the counts between these thresholds."""

    replicates: int
    thresholds: tuple[Fraction, ...]

    @property
    def parts(self) -> int:
        """The number of counts of each class."""
        return len(self.thresholds) + 1

    @property
    def words(self) -> int:
        """The number of words in an upload: for each replicate both classes' counts."""
        return 2 * self.replicates * self.parts

    @staticmethod
    def most(size: int) -> int:
        """The largest total of a replicate of `size` samples."""
        return 2 * size + 64

    def drawn(self, grid: Grid, counts: Words, stream: Stream) -> Words:
        """The replicates of the positives and then the negatives of each part.

        `counts` are those of each cell of a grid that has all cut points between the parts.
        """
        places = (grid.cut(threshold) for threshold in self.thresholds)
        starts = [0, *sorted(place for place in places if place is not None)]
        parts = np.add.reduceat(counts.reshape(2, len(grid)), starts, axis=1).reshape(-1)
        return poisson(parts, self.replicates, stream).reshape(-1)

    def totals(self, words: Shared) -> Shared:
        """The number of samples in each replicate."""
        ends = np.arange(1, self.replicates + 1) * (2 * self.parts) - 1
        up_to = words.cumsum()[ends]
        return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])


class Resampled(ABC):
    """The contract of a statistic that needs bootstrap replicates."""

    __slots__ = ()

    @property
    @abstractmethod
    def resampling(self) -> Resampling:
        """The replicates that it needs."""


def resamplings(statistics: Sequence[object]) -> tuple[Resampling, ...]:
    """The replicates that the statistics of a study need together, each once."""
    asked = [statistic for statistic in statistics if isinstance(statistic, Resampled)]
    return tuple(sorted({statistic.resampling for statistic in asked}))


def poisson(means: Words, draws: int, stream: Stream) -> Words:
    """A row of Poisson variables with these whole means for each draw.

    >>> poisson(np.array([0, 9], np.uint64), 3, Stream(bytes(16)))[:, 0].tolist()
    [0, 0, 0]
    """
    chances = stream.array((draws, means.size)) >> np.uint64(1)
    found = np.zeros((draws, means.size), np.uint64)
    for mean in np.unique(means[means > 0]).tolist():
        columns = means == mean
        least, below = _distribution(mean)
        found[:, columns] = least + np.searchsorted(below, chances[:, columns], side="right")
    return found


def _distribution(mean: int) -> tuple[int, NDArray[np.uint64]]:
    """The least value k, and 2^63 times the probabilities to be at most k, k + 1, ..."""
    around = ceil(REACH * sqrt(mean)) + 3 * REACH
    least = max(0, mean - around)
    k = np.arange(least + 1, mean + around + 1)
    first = least * log(mean) - mean - lgamma(least + 1)
    chances = np.exp(first + np.concatenate([[0.0], np.cumsum(log(mean) - np.log(k))]))
    below = np.minimum(np.cumsum(chances), 1.0) * 2.0**63
    return least, below.astype(np.uint64)
