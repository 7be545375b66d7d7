"""An owner's list as the rest of the program knows it, whatever source it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError

__all__ = ["Labelled"]


@dataclass(frozen=True, slots=True, repr=False)
class Labelled:
    """Scores and labels (1 = positive) in the order of the source.

    What can be no list is refused when it is made: other than one score and one label in each row,
    or values that are no numbers. What the scores and labels are is checked with the study at hand.
    `notes` are sentences for the owner about what was read; they repeat no score.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for which, kinds in (("scores", "iuf"), ("labels", "biuf")):
            array = np.asarray(getattr(self, which))
            if array.ndim != 1:
                raise DataError(
                    f"The {which} of this list have {array.ndim} dimensions",
                    advice="Give an array with one value for each row.",
                )
            if array.size and array.dtype.kind not in kinds:
                raise DataError(
                    f"The {which} of this list are of type {array.dtype}",
                    advice="Give the scores as numbers and the labels as 1 and 0, without gaps.",
                )
            object.__setattr__(self, which, array)
        if len(self.scores) != len(self.labels):
            raise DataError(
                f"This list has {len(self.scores)} scores and {len(self.labels)} labels",
                advice="Give every score its label.",
            )

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<Labelled, {len(self)} samples>"

    @property
    def one_class(self) -> bool:
        """Whether a class is missing."""
        return len(self) > 0 and (not self.labels.any() or bool(self.labels.all()))
