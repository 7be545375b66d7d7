"""An owner's list as the rest of the program knows it, whatever source it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Labelled"]


@dataclass(frozen=True, slots=True, repr=False)
class Labelled:
    """Scores and labels (1 = positive) in the order of the source.

    `notes` are sentences for the owner about what was read; they repeat no score.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<Labelled, {len(self)} samples>"

    @property
    def one_class(self) -> bool:
        """Whether a class is missing."""
        return len(self) > 0 and (not self.labels.any() or bool(self.labels.all()))
