"""An owner's list as a study of counts needs it: the samples of each class in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.labelled import Labelled
from ppaurora.protocols.grid.grid import Grid

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class Counted:
    """The samples in each cell of a grid, from the lowest scores to the highest.

    `notes` are sentences for the owner about what was read; `left_out` rows without a score or a
    label are not counted.

    >>> from ppaurora.protocols.grid.grid import Bins
    >>> Counted(np.array([0, 3]), np.array([4, 1]), Bins(2))
    <Counted, 8 samples in 2 cells>
    """

    positives: Counts
    negatives: Counts
    grid: Grid
    notes: tuple[str, ...] = ()
    left_out: int = 0

    @classmethod
    def of(cls, table: Labelled, grid: Grid) -> Counted:
        """The counts of a list that is here.

        >>> from ppaurora.protocols.grid.grid import Bins
        >>> counted = Counted.of(Labelled([0.5, 1.0, 0.2], [1, 0, 0]), Bins(2))
        >>> counted.positives.tolist(), counted.negatives.tolist()
        ([0, 1], [1, 1])
        """
        counts = grid.counts(table.scores, table.labels).astype(np.int64)
        # an upload begins with the cell that speaks most for the positive class
        step = -1 if grid.higher else 1
        positives, negatives = counts[: len(grid)][::step], counts[len(grid) :][::step]
        return cls(positives, negatives, grid, table.notes, table.left_out)

    def __len__(self) -> int:
        return int(self.positives.sum() + self.negatives.sum())

    def __repr__(self) -> str:
        return f"<Counted, {len(self)} samples in {len(self.grid)} cells>"

    @property
    def one_class(self) -> bool:
        """Return whether a class is missing."""
        return len(self) > 0 and not (self.positives.any() and self.negatives.any())


def added(parts: Sequence[Counted]) -> Counted:
    """The counts of all parts together."""
    return Counted(
        np.sum([part.positives for part in parts], axis=0),
        np.sum([part.negatives for part in parts], axis=0),
        parts[0].grid,
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        sum(part.left_out for part in parts),
    )
