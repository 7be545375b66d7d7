"""An owner's list as the rest of the program knows it, whatever source it came from."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.columns.column import Values
from ppaurora.parties.errors import DataError
from ppaurora.protocols.lists.tags import HOLDINGS, Side

COLUMNS = (("scores", "iuf"), ("labels", "biuf"))
"""Each column, and the kinds of numbers it may have, as NumPy names them."""


@dataclass(frozen=True, slots=True, repr=False)
class Labelled:
    """Scores and labels (1 = positive) in the order of the source.

    `extra` are the other columns that a study takes, under the names that it gives them: numbers
    such as other models' scores, or texts such as identifiers, which stay on this machine. What can
    be no list is refused when it is made: other than one value of each column in each row, or
    scores and labels that are no numbers. What they are is checked with the study at hand. `notes`
    are sentences for the owner about what was read; they repeat no score. `kept` marks those rows
    of the source that are in the list, where some were left out.

    A list `holds` "scores" or "labels" where another owner has the others; those that it has not
    may be left out, and are not looked at.

    >>> Labelled([0.75, 0.5, 0.25], [1, 0, 0])
    <Labelled, 3 samples>
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Values] = field(default_factory=dict)
    kept: NDArray[np.bool_] | None = None
    holds: str = Side.BOTH.word

    @property
    def left_out(self) -> int:
        """The number of rows of the source that are not in the list."""
        return 0 if self.kept is None else int(np.count_nonzero(~self.kept))

    def __post_init__(self) -> None:
        if self.holds not in HOLDINGS:
            raise DataError(
                f'This list holds "{self.holds}"', advice=f"Say one of {', '.join(HOLDINGS)}."
            )
        if self.holds == Side.SCORES.word and not len(self.labels):
            object.__setattr__(self, "labels", np.zeros(len(self.scores), np.uint8))
        if self.holds == Side.LABELS.word and not len(self.scores):
            object.__setattr__(self, "scores", np.zeros(len(self.labels)))
        for which, kinds in COLUMNS:
            array = _column(getattr(self, which), which)
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
        for name, values in self.extra.items():
            if len(_column(values, f'values of "{name}"')) != len(self.labels):
                raise DataError(
                    f'This list has {len(values)} values of "{name}" and {len(self.labels)} rows',
                    advice="Give every row its value.",
                )

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<Labelled, {len(self)} samples>"

    @property
    def one_class(self) -> bool:
        """Return whether a class is missing, of a list that has labels."""
        if self.holds == Side.SCORES.word:
            return False
        return len(self) > 0 and (not self.labels.any() or bool(self.labels.all()))


def with_extra(lists: Sequence[Labelled], names: Sequence[str]) -> Labelled:
    """One list of the same rows read with the scores and with each of the columns of these names.

    These are read as scores are.
    """
    first, *others = lists
    extra = {name: one.scores for name, one in zip(names, others, strict=True)}
    return replace(first, notes=_each_once(lists), extra=extra) if extra else first


def beside(first: Labelled, other: Labelled, name: str) -> Labelled:
    """The rows that both lists of the same source kept, with the scores of the other by this name.

    >>> first = Labelled([0.5, 0.75], [1, 0], kept=np.array([True, False, True]))
    >>> beside(first, Labelled([30.0, 10.0, 20.0], [1, 1, 0]), "time").extra["time"].tolist()
    [30.0, 20.0]
    """
    rows = max(len(one) if one.kept is None else len(one.kept) for one in (first, other))
    kept = [np.ones(rows, np.bool_) if one.kept is None else one.kept for one in (first, other)]
    both = kept[0] & kept[1]
    own, others = (both[one] for one in kept)
    extra = {known: np.asarray(values)[own] for known, values in first.extra.items()}
    return Labelled(
        first.scores[own],
        first.labels[own],
        _each_once([first, other]),
        {**extra, name: other.scores[others]},
        kept=None if both.all() else both,
    )


def joined(parts: Sequence[Labelled]) -> Labelled:
    """One list of all parts, one behind the other; all have the same columns, of numbers."""
    extra = {
        name: np.concatenate([np.asarray(part.extra[name]) for part in parts])
        for name in parts[0].extra
    }
    kept = [np.ones(len(part), np.bool_) if part.kept is None else part.kept for part in parts]
    return Labelled(
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.labels for part in parts]),
        _each_once(parts),
        extra,
        kept=None if all(part.kept is None for part in parts) else np.concatenate(kept),
        holds=parts[0].holds,
    )


def _each_once(lists: Sequence[Labelled]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for list_ in lists for note in list_.notes))


def _column(given: object, called: str) -> NDArray[np.generic]:
    """The values of a column as an array, if there is one value for each row."""
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
    return array


def _masked(given: object) -> bool:
    """Return whether some of its values are masked.

    Who has made such an array has loaded `numpy.ma`, which takes a while and is left alone here.
    """
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(given))
