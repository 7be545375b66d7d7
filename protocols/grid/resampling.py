"""Bootstrap replicates of an owner's counts, drawn where the counts are known.

A replicate has of each part of the grid as many positives and negatives as a draw of samples with
replacement gives it. Each owner draws from its own samples (`strata`):

    owner    as many as it has, so that the number of all samples stays and the classes vary;
    class    as many of each class as it has, so that both class counts stay, in all as well;
    none     each sample as often as a Poisson variable of mean 1 says, so that the number varies,
             too, as where the samples of all owners were drawn from together.

The owner draws from a secret of its own, the same again when an upload is repeated, and for each
resampling apart, so that one does not depend on what else a study asks for. The replicates
are shared like the counts and stay shared; the proxies add them up.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import Grid

OWNER, CLASS, NONE = "owner", "class", "none"
STRATA = (OWNER, CLASS, NONE)
SPARE = 64
REACH = 12
"""Standard deviations around the mean; what lies beyond is rarer than a millionth of 2^-64."""

DOMAIN = b"ppAURORA resampling 1\0"


@dataclass(frozen=True, slots=True, order=True)
class Resampling:
    """Bootstrap replicates of the counts between these thresholds."""

    replicates: int
    thresholds: tuple[Fraction, ...]
    strata: str = OWNER

    def stream(self, secret: bytes) -> Stream:
        """The stream from which an owner with this secret draws, whatever else a study asks for."""
        thresholds = "/".join(map(str, self.thresholds))
        named = f"{self.replicates} {self.strata} {thresholds}".encode()
        return Stream(hashlib.sha256(DOMAIN + secret + named).digest()[:KEY_BYTES])

    @property
    def parts(self) -> int:
        """The number of counts of each class."""
        return len(self.thresholds) + 1

    @property
    def words(self) -> int:
        """The number of words in an upload: for each replicate both classes' counts."""
        return 2 * self.replicates * self.parts

    @property
    def fixed(self) -> bool:
        """True if a replicate has as many samples as the list."""
        return self.strata != NONE

    def most(self, size: int) -> int:
        """The largest total of a replicate of `size` samples."""
        return size if self.fixed else 2 * size + SPARE

    def most_in_all(self, n: int) -> int:
        """The largest total of all owners, of n samples in all: each may have a single one."""
        return n if self.fixed else (2 + SPARE) * n

    def room(self, words: Shared, size: int) -> Shared:
        """The numbers of a list's replicates that must not be negative."""
        totals = self.totals(words)
        most = self.most(size) - totals
        return concatenate([most, totals - size]) if self.fixed else most

    @property
    def compared(self) -> int:
        """The length of `room`."""
        return self.replicates * (1 + self.fixed)

    def drawn(self, grid: Grid, counts: Words, stream: Stream) -> Words:
        """The replicates of the positives and then the negatives of each part.

        `counts` are those of each cell of a grid that has all cut points between the parts.
        """
        places = (grid.cut(threshold) for threshold in self.thresholds)
        starts = [0, *sorted(place for place in places if place is not None)]
        classes = np.add.reduceat(counts.reshape(2, len(grid)), starts, axis=1)
        return self.of_classes(classes[0], classes[1], stream).reshape(-1)

    def of_classes(self, positives: Words, negatives: Words, stream: Stream) -> Words:
        """A row for each replicate of counts of whatever kinds of positives, then of negatives."""
        match self.strata:
            case "none":
                return poisson(np.concatenate([positives, negatives]), self.replicates, stream)
            case "class":
                each = [redrawn(one, self.replicates, stream) for one in (positives, negatives)]
                return np.concatenate(each, axis=1)
            case _:
                return redrawn(np.concatenate([positives, negatives]), self.replicates, stream)

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


def redrawn(counts: Words, draws: int, stream: Stream) -> Words:
    """For each draw the counts of as many samples as there are, drawn from them with replacement.

    Each is one of n by a random fraction of 53 bits: no one is likelier than another by more than
    n/2^53 of its chance.

    >>> redrawn(np.array([3, 0, 5], np.uint64), 2, Stream(bytes(16))).sum(axis=1).tolist()
    [8, 8]
    """
    n = int(counts.sum())
    starts = np.concatenate([[0], np.cumsum(counts.astype(np.int64))])
    found = np.zeros((draws, counts.size), np.uint64)
    for row in found:
        fractions = (stream.array((n,)) >> np.uint64(11)) * 2.0**-53
        times = np.bincount((fractions * n).astype(np.int64), minlength=n)
        row[:] = np.diff(np.concatenate([[0], np.cumsum(times)])[starts])
    return found


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
