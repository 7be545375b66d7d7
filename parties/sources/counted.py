"""An owner's list as a study on a grid needs it: how many samples of each class lie in each bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.labelled import Labelled
from ppaurora.protocols.grid.grid import HIGHER, Grid

__all__ = ["Counted", "added"]

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class Counted:
    """The samples in each bin, from the bin of score 0 to that of score 1.

    `notes` are sentences for the owner about what was read. In which bin a score between two of
    them is counted follows from `direction`, as `Grid` says.

    >>> Counted(positives=np.array([0, 3]), negatives=np.array([4, 1]))
    <Counted, 8 samples in 2 bins>
    """

    positives: Counts
    negatives: Counts
    notes: tuple[str, ...] = ()
    direction: str = HIGHER

    @classmethod
    def of(cls, table: Labelled, grid: Grid) -> Counted:
        """The counts of a list that is here; all its scores are from 0 to 1.

        >>> counted = Counted.of(Labelled([0.5, 1.0, 0.2], [1, 0, 0]), Grid(2))
        >>> counted.positives.tolist(), counted.negatives.tolist()
        ([0, 1], [1, 1])
        """
        counts = grid.counts(table.scores, table.labels).astype(np.int64)
        # an upload begins with the bin that speaks most for the positive class
        step = -1 if grid.higher else 1
        positives, negatives = counts[: grid.bins][::step], counts[grid.bins :][::step]
        return cls(positives, negatives, table.notes, grid.direction)

    @property
    def bins(self) -> int:
        """The number of bins of the grid."""
        return len(self.positives)

    def __len__(self) -> int:
        return int(self.positives.sum() + self.negatives.sum())

    def __repr__(self) -> str:
        return f"<Counted, {len(self)} samples in {self.bins} bins>"

    @property
    def one_class(self) -> bool:
        """Return whether a class is missing."""
        return len(self) > 0 and not (self.positives.any() and self.negatives.any())


def added(parts: Sequence[Counted]) -> Counted:
    """The counts of all parts together."""
    return Counted(
        np.sum([part.positives for part in parts], axis=0),
        np.sum([part.negatives for part in parts], axis=0),
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        parts[0].direction,
    )
