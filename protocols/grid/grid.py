"""Public grids over the scores: cells between cut points, into which owners count their samples.

A cut point is a score. Where higher scores speak for the positive class, a sample at the cut point
belongs to those above it, whose score is that or higher; where lower scores do, it belongs to those
below, whose score is that or lower. The cell of a score is found by comparing doubles, so that
every machine and every database finds the same one.

Everything made with a grid lists its cells as the sorted list has its scores: first the cell that
speaks most for the positive class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused

LEAST_BINS, MOST_BINS = 2, 1 << 20
HIGHER = "higher"
"""The direction in which higher scores speak for the positive class."""


@dataclass(frozen=True, slots=True)
class Grid(ABC):
    """Cells between cut points, for scores of which `direction` says which mean positive."""

    direction: str = field(default=HIGHER, kw_only=True)

    @abstractmethod
    def __len__(self) -> int:
        """The number of cells."""

    @abstractmethod
    def edges(self) -> NDArray[np.float64]:
        """The cut points in ascending order, one less than there are cells."""

    @abstractmethod
    def cut(self, threshold: Fraction) -> int | None:
        """The number of cells called positive at a threshold; None if it is no cut point."""

    @property
    def higher(self) -> bool:
        """True if higher scores mean positive."""
        return self.direction == HIGHER

    def places(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cell of each score, counted from the one that speaks most for the positive class.

        >>> Bins(2).places(np.array([0.5, 0.4]))
        array([0, 1])
        >>> Bins(2, direction="lower").places(np.array([0.5, 0.6]))
        array([0, 1])
        """
        below = np.searchsorted(self.edges(), scores, side="right" if self.higher else "left")
        return (len(self) - 1 - below if self.higher else below).astype(np.int64)

    def counts(self, scores: NDArray[np.float64], labels: NDArray[np.unsignedinteger]) -> Words:
        """The positives of each cell and then the negatives of each, of one list.

        >>> Bins(2).counts(np.array([0.5, 1.0, 0.2]), np.array([1, 0, 0], np.uint8))
        array([1, 0, 1, 1], dtype=uint64)
        """
        places = self.places(scores) + len(self) * (labels == 0)
        return np.bincount(places, minlength=2 * len(self)).astype(np.uint64)

    def arranged(self, positives: NDArray[np.int64], negatives: NDArray[np.int64]) -> Words:
        """The words of an upload from counts that an engine made, lowest scores first.

        >>> Bins(2).arranged(np.array([0, 1]), np.array([1, 1]))
        array([1, 0, 1, 1], dtype=uint64)
        """
        step = -1 if self.higher else 1
        return np.concatenate([positives[::step], negatives[::step]]).astype(np.uint64)


@dataclass(frozen=True, slots=True)
class Bins(Grid):
    """`bins` cells of equal width from `low` to `high`.

    The k-th cut point is the double nearest to low + k·(high - low)/bins.

    >>> Bins(4, Fraction(0), Fraction(20)).edges().tolist()
    [5.0, 10.0, 15.0]
    >>> Bins(1)
    Traceback (most recent call last):
    ppaurora.protocols.errors.OptionRefused: resolution must be of 2 to 1048576 bins
    """

    bins: int
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not LEAST_BINS <= self.bins <= MOST_BINS:
            raise OptionRefused("resolution", f"must be of {LEAST_BINS} to {MOST_BINS} bins")

    def __len__(self) -> int:
        return self.bins

    @property
    def of_powers(self) -> bool:
        """True if multiplying a double by the number of bins is exact, and says in which it is."""
        return self.low == 0 and self.high == 1 and self.bins.bit_count() == 1

    def edges(self) -> NDArray[np.float64]:
        if self.of_powers:
            return np.arange(1, self.bins) / self.bins
        width = (self.high - self.low) / self.bins
        return np.array([float(self.low + k * width) for k in range(1, self.bins)])

    def places(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        if not self.of_powers:
            return Grid.places(self, scores)
        if self.higher:
            return self.bins - 1 - np.minimum((scores * self.bins).astype(np.int64), self.bins - 1)
        return np.maximum(np.ceil(scores * self.bins).astype(np.int64) - 1, 0)

    def cut(self, threshold: Fraction) -> int | None:
        """The number of bins called positive at a threshold; None if it is not between two bins.

        >>> Bins(8).cut(Fraction(1, 4)), Bins(8, direction="lower").cut(Fraction(1, 4))
        (6, 2)
        >>> Bins(8).cut(Fraction(1, 5)) is None
        True
        """
        above = self.high - threshold if self.higher else threshold - self.low
        place = above * self.bins / (self.high - self.low)
        return int(place) if place.denominator == 1 and 0 <= place <= self.bins else None


@dataclass(frozen=True, slots=True)
class Thresholds(Grid):
    """Cells between thresholds at any scores, in ascending order.

    A threshold that is no double is the nearest one, as is a score that is written in the same way.

    >>> Thresholds((Fraction(1, 10), Fraction(3))).cut(Fraction(1, 10))
    2
    >>> Thresholds((Fraction(1, 10),)).places(np.array([0.1, 0.09999999999999999]))
    array([0, 1])
    """

    thresholds: tuple[Fraction, ...]
    single: bool = False
    """True if scores are those of a float32, and thresholds the nearest ones."""

    def __len__(self) -> int:
        return len(self.thresholds) + 1

    def edges(self) -> NDArray[np.float64]:
        doubles = np.array([float(threshold) for threshold in self.thresholds])
        return doubles.astype(np.float32).astype(np.float64) if self.single else doubles

    def cut(self, threshold: Fraction) -> int | None:
        place = bisect_left(self.thresholds, threshold)
        if self.thresholds[place : place + 1] != (threshold,):
            return None
        return len(self.thresholds) - place if self.higher else place + 1


@dataclass(frozen=True, slots=True)
class Numbered(Grid):
    """A cell for each whole number below `count`: those of several columns, counted through.

    >>> Numbered(6).places(np.array([0.0, 5.0])).tolist(), Numbered(6).cut(Fraction(2))
    ([0, 5], 2)
    """

    count: int

    def __len__(self) -> int:
        return self.count

    def edges(self) -> NDArray[np.float64]:
        return np.asarray(np.arange(1, self.count) - 0.5, np.float64)

    def places(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        return scores.astype(np.int64)

    def cut(self, threshold: Fraction) -> int | None:
        """The number of cells below a whole number."""
        return int(threshold) if threshold.denominator == 1 else None
