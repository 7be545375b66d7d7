"""Bootstrap replicates of an owner's counts, drawn where the counts are known.

A replicate has of each part of the grid as many positives and negatives as a draw of samples with
replacement gives it. Each owner draws from its own samples (`strata`):

    owner    as many as it has, so that the number of all samples stays and the classes vary;
    class    as many of each class as it has, so that both class counts stay, in all as well;
    none     each sample as often as a Poisson variable of mean 1 says, so that the number varies,
             too, as where the samples of all owners were drawn from together.

Where samples are in clusters, such as those of one patient, whole clusters can be drawn instead
(`largest` says of how many samples a cluster is at most): `owner` draws as many clusters as the
owner has, and `none` each cluster as often as a Poisson variable of mean 1 says. All samples of a
cluster enter a replicate equally often. How many samples a replicate has then varies: with n of
them in clusters of at most c it is less than n - 9·sqrt(c·n), or more than n + 9·sqrt(c·n) + 27·c,
with a chance of at most e^-40, by the inequalities of Maurer and of Bernstein, since the squares of
all sizes add up to at most c·n. The servers check that no replicate lies outside.

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
from math import ceil, isqrt, lgamma, log, sqrt
from typing import Any

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
AROUND, BEYOND = 9, 27
"""Standard deviations, and largest clusters, by which the sizes of replicates of clusters vary."""

DOMAIN = b"ppAURORA resampling 1\0"


@dataclass(frozen=True, slots=True, order=True)
class Resampling:
    """Bootstrap replicates of the counts between these thresholds.

    Clusters of at most `largest` samples are drawn, or where that is 0 single samples.
    """

    replicates: int
    thresholds: tuple[Fraction, ...]
    strata: str = OWNER
    largest: int = 0

    def stream(self, secret: bytes) -> Stream:
        """The stream from which an owner with this secret draws, whatever else a study asks for."""
        thresholds = "/".join(map(str, self.thresholds))
        clusters = f" {self.largest}" if self.largest else ""
        named = f"{self.replicates} {self.strata} {thresholds}{clusters}".encode()
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
        return self.strata != NONE and not self.largest

    def most(self, size: int) -> int:
        """The largest total of a replicate of `size` samples."""
        if self.largest:
            return size + self._around(size) + BEYOND * min(self.largest, size)
        return size if self.fixed else 2 * size + SPARE

    def least(self, size: int) -> int | None:
        """The smallest total of a replicate of `size` samples; None if it may have none."""
        if self.largest:
            return max(0, size - self._around(size))
        return size if self.fixed else None

    def _around(self, size: int) -> int:
        """9·sqrt(c·n) for n samples in clusters of at most c, which is at most 9·n."""
        return isqrt(AROUND**2 * min(self.largest, size) * size)

    def most_in_all(self, n: int) -> int:
        """The largest total of all owners, of n samples in all: each may have a single one."""
        if self.largest:
            return (1 + AROUND + BEYOND) * n
        return n if self.fixed else (2 + SPARE) * n

    def room(self, words: Shared, size: int) -> Shared:
        """The numbers of a list's replicates that must not be negative."""
        totals, least = self.totals(words), self.least(size)
        most = self.most(size) - totals
        return most if least is None else concatenate([most, totals - least])

    @property
    def compared(self) -> int:
        """The length of `room`."""
        return self.replicates * (2 if self.fixed or self.largest else 1)

    def drawn(self, grid: Grid, counts: Words, stream: Stream) -> Words:
        """The replicates of the positives and then the negatives of each part.

        `counts` are those of each cell of a grid that has all cut points between the parts.
        """
        classes = np.add.reduceat(counts.reshape(2, len(grid)), self._starts(grid), axis=1)
        return self.of_classes(classes[0], classes[1], stream).reshape(-1)

    def drawn_clusters(
        self,
        grid: Grid,
        places: NDArray[np.int64],
        labels: NDArray[np.integer[Any]],
        clusters: Words,
        stream: Stream,
    ) -> Words:
        """The same where clusters are drawn, from the cell, label and cluster of each row."""
        part = np.searchsorted(self._starts(grid), places, side="right") - 1
        cells = part + self.parts * (np.asarray(labels) == 0)
        known, rows = np.unique(clusters, return_inverse=True)
        once = np.ones(known.size, np.uint64)
        found = np.empty((self.replicates, 2 * self.parts), np.uint64)
        for row in found:
            times = poisson(once, 1, stream) if self.strata == NONE else redrawn(once, 1, stream)
            row[:] = np.bincount(cells, times[0][rows], minlength=row.size)
        return found.reshape(-1)

    def _starts(self, grid: Grid) -> list[int]:
        """The first cell of each part, of a grid that has all cut points between the parts."""
        places = (grid.cut(threshold) for threshold in self.thresholds)
        return [0, *sorted(place for place in places if place is not None)]

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


def largest_cluster(statistics: Sequence[object]) -> int | None:
    """The most samples that a cluster may have in a study of these; None where any number may."""
    return min((one.largest for one in resamplings(statistics) if one.largest), default=None)


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
