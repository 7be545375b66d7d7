"""Scores and labels of one source, collected part by part, and its faults with their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.columns.classes import Classes
from ppaurora.parties.sources.columns.faults import FaultKind, Faults
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import NumberFormat, numbers, unusable
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import Scale

__all__ = ["Collector", "truncation_note"]

Mask = NDArray[np.bool_]

Offsets = NDArray[np.int64] | None


class Collector:
    """The list of one source as it grows; `score` and `label` are its columns' names."""

    def __init__(
        self,
        source: str,
        scores: Scores,
        scale: Scale,
        score: str,
        label: str,
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        self.classes = Classes(scores)
        self._scale = scale
        self._source = source
        self._score = score
        self._label = label
        self._faults = Faults(source, line_of)
        self._values: list[NDArray[np.float64]] = []
        self._labels: list[NDArray[np.uint8]] = []
        self._rows = 0

    def add_texts(
        self, scores: Fields, labels: Fields, number_format: NumberFormat, offsets: Offsets = None
    ) -> None:
        """More rows, both columns of which are texts; in this format of numbers."""
        values, faults = numbers(scores, number_format)
        classes = self.classes.of_texts(labels)
        self.add(
            values, faults, classes, self.classes.faults(classes, labels.lengths == 0), offsets
        )

    def add(
        self,
        values: NDArray[np.float64],
        of_score: Mapping[FaultKind, Mask],
        classes: NDArray[np.uint8],
        of_label: Mapping[FaultKind, Mask],
        offsets: Offsets = None,
    ) -> None:
        """More rows: values and classes, each with the faults found so far."""
        known = np.ones(len(values), np.bool_)
        for faulty in of_score.values():
            known &= ~faulty
        outside = unusable(values, self._scale)
        of_score = {**of_score, **{kind: marked & known for kind, marked in outside.items()}}
        for column, kinds in ((self._score, of_score), (self._label, of_label)):
            for kind, faulty in kinds.items():
                self._faults.add(column, kind, faulty, before=self._rows, offsets=offsets)
        self._values.append(values)
        self._labels.append(classes)
        self._rows += len(values)

    def labelled(self) -> Labelled:
        """The whole list; refuses it where any row is faulty."""
        self._faults.refuse(self.classes.hint)
        values = np.concatenate([np.empty(0, np.float64), *self._values])
        labels = np.concatenate([np.empty(0, np.uint8), *self._labels])
        notes = tuple(filter(None, [truncation_note(self._source, values)]))
        return Labelled(values, labels, notes)


LOOKED_AT = 10_000
LEAST = 20
CUT_DIGITS = 15
LONG_DIGITS = 14
NEARLY_ALL = 0.99
MOST = 0.5


def truncation_note(source: str, scores: NDArray[np.float64]) -> str:
    """A warning if nearly all scores need at most 15 digits and most need 14 or 15; else nothing.

    Of scores with all their digits about one in twenty needs 15 or fewer; scores that were rounded
    on purpose, or come from single precision, are shorter or longer. Up to 10,000 scores, evenly
    spaced in the list, are looked at.
    """
    if len(scores) < LEAST:
        return ""
    step = -(-len(scores) // LOOKED_AT)
    digits = np.array([_significant_digits(score) for score in scores[::step].tolist()])
    cut = float(np.mean(digits <= CUT_DIGITS))
    long = float(np.mean((digits >= LONG_DIGITS) & (digits <= CUT_DIGITS)))
    if cut < NEARLY_ALL or long < MOST:
        return ""
    return (
        f"{source}: nearly all scores have at most {CUT_DIGITS} significant digits, as R's "
        "write.csv and spreadsheets cut them, so scores that differed may have become ties. "
        "Write 17 digits (in R: format(score, digits = 17)) or Parquet."
    )


def _significant_digits(score: float) -> int:
    """The significant digits of the shortest decimal that is this double."""
    mantissa = repr(score).lstrip("-").partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))
