"""Sums over cells of times and scores, on shares: of later times, of lower scores, of a whole time.

Cells stand time by time, the earliest first, and in each the scores, the one that speaks most for
the event first. Each sum is linear: no message is sent. The same for counts of the grid of times
alone, with one score each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.shares import Shared, concatenate


@dataclass(frozen=True, slots=True)
class TwoWay:
    """So many times, each with so many scores."""

    times: int
    scores: int

    @classmethod
    def of(cls, cells: Shared, times: int) -> TwoWay:
        """The layout of these cells."""
        return cls(times, len(cells) // times)

    @property
    def places(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """The cells, a row for each time."""
        return np.arange(self.times * self.scores).reshape(self.times, self.scores)

    def _ends(self, cells: Shared, *, after: int) -> Shared:
        """The sums up to the row of each cell, with it (after=1) or without it."""
        up_to = concatenate([Shared.zeros(cells.role, 1), cells.cumsum()])
        rows = np.repeat(np.arange(self.times) + after, self.scores) * self.scores
        return up_to[rows]

    def of_time(self, cells: Shared) -> Shared:
        """For each cell the sum over all scores of its time."""
        return self._ends(cells, after=1) - self._ends(cells, after=0)

    def lower(self, cells: Shared) -> Shared:
        """For each cell the sum over the cells of its time that speak less for the event."""
        return self._ends(cells, after=1) - cells.cumsum()

    def later(self, cells: Shared) -> Shared:
        """For each cell the sum over the cells of its score at later times."""
        turned = TwoWay(self.scores, self.times)
        return turned.lower(cells[self.places.T.reshape(-1)])[turned.places.T.reshape(-1)]
