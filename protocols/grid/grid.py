"""A public grid over the scores from 0 to 1: bins of equal width, as many as a power of two.

Multiplying a double by a power of two is exact, so every machine and every database puts a score
into the same bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused

LEAST_BINS, MOST_BINS = 2, 1 << 20
HIGHER = "higher"
"""The direction in which higher scores speak for the positive class."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`bins` bins over the scores, which `direction` says to speak for the positive class or not.

    Between two bins lies a cut point t = k/bins. Where higher scores speak for the positive class,
    a sample at t belongs to those above it, whose score is t or higher: bin k holds the scores with
    k <= score·bins < k + 1, the last one also 1. Where lower scores do, it belongs to those below,
    whose score is t or lower: bin k holds those with k < score·bins <= k + 1, the first one also 0.

    Everything made with a grid lists its bins as the sorted list has its scores: first the bin that
    speaks most for the positive class. Where lower scores speak for it, that is bin 0.

    >>> Grid(1000)
    Traceback (most recent call last):
    ppaurora.protocols.errors.OptionRefused: bins must be a power of two from 2 to 1048576
    """

    bins: int
    direction: str = HIGHER

    def __post_init__(self) -> None:
        whole = isinstance(self.bins, int) and not isinstance(self.bins, bool)
        if not (whole and LEAST_BINS <= self.bins <= MOST_BINS and self.bins.bit_count() == 1):
            raise OptionRefused("bins", f"must be a power of two from {LEAST_BINS} to {MOST_BINS}")

    @property
    def higher(self) -> bool:
        """True if higher scores mean positive."""
        return self.direction == HIGHER

    def places(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """The bin of each score, counted from the one that speaks most for the positive class.

        >>> Grid(2).places(np.array([0.5, 0.4])), Grid(2, "lower").places(np.array([0.5, 0.6]))
        (array([0, 1]), array([0, 1]))
        """
        if self.higher:
            return self.bins - 1 - np.minimum((scores * self.bins).astype(np.int64), self.bins - 1)
        return np.maximum(np.ceil(scores * self.bins).astype(np.int64) - 1, 0)

    def counts(self, scores: NDArray[np.float64], labels: NDArray[np.unsignedinteger]) -> Words:
        """The positives of each bin and then the negatives of each, of one list.

        >>> Grid(2).counts(np.array([0.5, 1.0, 0.2]), np.array([1, 0, 0], np.uint8))
        array([1, 0, 1, 1], dtype=uint64)
        """
        places = self.places(scores) + self.bins * (labels == 0)
        return np.bincount(places, minlength=2 * self.bins).astype(np.uint64)

    def arranged(self, positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> Words:
        """The same from counts that somebody else made, which begin with the bin of score 0.

        >>> Grid(2).arranged(np.array([0, 1]), np.array([1, 1]))
        array([1, 0, 1, 1], dtype=uint64)
        """
        step = -1 if self.higher else 1
        return np.concatenate([positives[::step], negatives[::step]]).astype(np.uint64)

    def cut(self, threshold: Fraction) -> int | None:
        """The number of bins called positive at a threshold; None if it is not between two bins.

        >>> Grid(8).cut(Fraction(1, 4)), Grid(8, "lower").cut(Fraction(1, 4))
        (6, 2)
        >>> Grid(8).cut(Fraction(1, 5)) is None
        True
        """
        above = (1 - threshold if self.higher else threshold) * self.bins
        return int(above) if above.denominator == 1 and 0 <= above <= self.bins else None
