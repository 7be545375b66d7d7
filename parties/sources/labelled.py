"""An owner's list as the rest of the program knows it, whatever source it came from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError

COLUMNS = (
    ("scores", "scores", "iuf"),
    ("labels", "labels", "biuf"),
    ("against", "second scores", "iuf"),
)
"""Each column, what it is called, and the kinds of numbers it may have, as NumPy names them."""


@dataclass(frozen=True, slots=True, repr=False)
class Labelled:
    """Scores and labels (1 = positive) in the order of the source.

    `against` are the second scores, in a study that compares two, and `identifiers` those by which
    rows come into folds, in a study that has folds: they stay on this machine. What can be no list
    is refused when it is made: other than one value of each column in each row, or values that are
    no numbers. What the scores and labels are is checked with the study at hand. `notes` are
    sentences for the owner about what was read; they repeat no score. `kept` marks those rows of
    the source that are in the list, where some were left out.

    >>> Labelled([0.75, 0.5, 0.25], [1, 0, 0])
    <Labelled, 3 samples>
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    notes: tuple[str, ...] = ()
    against: NDArray[np.float64] | None = None
    identifiers: Sequence[str] | None = None
    kept: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        for which, called, kinds in COLUMNS:
            if (given := getattr(self, which)) is None:
                continue
            if _masked(given):
                raise DataError(
                    f"The {called} of this list are masked in some rows",
                    advice="Remove these rows; nothing is filled in here.",
                )
            array = np.asarray(given)
            if array.ndim != 1:
                raise DataError(
                    f"The {called} of this list have {array.ndim} dimensions",
                    advice="Give an array with one value for each row.",
                )
            if array.size and array.dtype.kind not in kinds:
                raise DataError(
                    f"The {called} of this list are of type {array.dtype}",
                    advice="Give the scores as numbers and the labels as 1 and 0, without gaps.",
                )
            object.__setattr__(self, which, array)
        for column in self.columns:
            if len(column) != len(self.labels):
                raise DataError(
                    f"This list has {len(column)} scores and {len(self.labels)} labels",
                    advice="Give every score its label.",
                )
        if self.identifiers is not None and len(self.identifiers) != len(self.labels):
            raise DataError(
                f"This list has {len(self.identifiers)} identifiers and {len(self.labels)} rows",
                advice="Give every row its identifier.",
            )

    @property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """The columns of scores, which are one or two."""
        return (self.scores,) if self.against is None else (self.scores, self.against)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<Labelled, {len(self)} samples>"

    @property
    def one_class(self) -> bool:
        """Return whether a class is missing."""
        return len(self) > 0 and (not self.labels.any() or bool(self.labels.all()))


def with_second(lists: Sequence[Labelled]) -> Labelled:
    """One list of the same rows read with each of their columns of scores, which are one or two."""
    first, *others = lists
    if not others:
        return first
    [second] = others
    return replace(first, notes=_each_once(lists), against=second.scores)


def joined(parts: Sequence[Labelled]) -> Labelled:
    """One list of all parts, one behind the other; all of them have second scores, or none."""
    against = [part.against for part in parts if part.against is not None]
    kept = [np.ones(len(part), np.bool_) if part.kept is None else part.kept for part in parts]
    return Labelled(
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.labels for part in parts]),
        _each_once(parts),
        np.concatenate(against) if against else None,
        kept=None if all(part.kept is None for part in parts) else np.concatenate(kept),
    )


def _each_once(lists: Sequence[Labelled]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for list_ in lists for note in list_.notes))


def _masked(given: object) -> bool:
    """Return whether some of its values are masked.

    Who has made such an array has loaded `numpy.ma`, which takes a while and is left alone here.
    """
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(given))
