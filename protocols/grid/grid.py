"""A public grid over the scores from 0 to 1: bins of equal width, as many as a power of two.

Multiplying a double by a power of two is exact, so every machine and every database puts a score
into the same bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_BINS, MOST_BINS = 2, 1 << 20


@dataclass(frozen=True, slots=True)
class Grid:
    """`bins` bins, of which bin k holds the scores with k <= score·bins < k + 1; the last also 1.

    Everything made with a grid lists its bins as the sorted list has its scores: first the bin that
    speaks most for the positive class. Where lower scores speak for it, that is bin 0.

    >>> Grid(1000)
    Traceback (most recent call last):
    ppaurora.protocols.errors.OptionRefused: bins must be a power of two from 2 to 1048576
    """

    bins: int

    def __post_init__(self) -> None:
        whole = isinstance(self.bins, int) and not isinstance(self.bins, bool)
        if not (whole and LEAST_BINS <= self.bins <= MOST_BINS and self.bins.bit_count() == 1):
            raise OptionRefused("bins", f"must be a power of two from {LEAST_BINS} to {MOST_BINS}")

    def places(self, scores: NDArray[np.float64], direction: str) -> NDArray[np.int64]:
        """The bin of each score, counted from the one that speaks most for the positive class."""
        places = np.minimum((scores * self.bins).astype(np.int64), self.bins - 1)
        return self.bins - 1 - places if direction == "higher" else places

    def counts(
        self, scores: NDArray[np.float64], labels: NDArray[np.unsignedinteger], direction: str
    ) -> Words:
        """The positives of each bin and then the negatives of each, of one list.

        >>> Grid(2).counts(np.array([0.5, 1.0, 0.2]), np.array([1, 0, 0], np.uint8), "higher")
        array([1, 0, 1, 1], dtype=uint64)
        """
        places = self.places(scores, direction) + self.bins * (labels == 0)
        return np.bincount(places, minlength=2 * self.bins).astype(np.uint64)

    def arranged(
        self, positives: NDArray[np.int64], negatives: NDArray[np.int64], direction: str
    ) -> Words:
        """The same from counts that somebody else made, which begin with the bin of score 0.

        >>> Grid(2).arranged(np.array([0, 1]), np.array([1, 1]), "higher")
        array([1, 0, 1, 1], dtype=uint64)
        """
        step = -1 if direction == "higher" else 1
        return np.concatenate([positives[::step], negatives[::step]]).astype(np.uint64)

    def cut(self, threshold: Fraction) -> int | None:
        """How many bins lie above the threshold; None if it is not between two bins.

        >>> Grid(8).cut(Fraction(1, 4)), Grid(8).cut(Fraction(1, 5))
        (6, None)
        """
        above = (1 - threshold) * self.bins
        return int(above) if above.denominator == 1 and 0 <= above <= self.bins else None
