"""Scores and labels of one source, collected part by part, and its faults with their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.columns.classes import UNKNOWN, UNLABELLED, Classes
from ppaurora.parties.sources.columns.faults import FaultKind, Faults
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import (
    EMPTY,
    MISSING,
    NAN,
    NumberFormat,
    fault_of,
    numbers,
    unusable,
)
from ppaurora.parties.sources.labelled import Labelled, with_extra
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.lists.tags import Side

MISSING_VALUES = (EMPTY, NAN, MISSING, UNLABELLED)
"""The faults of a row that has no score or no label."""

Mask = NDArray[np.bool_]

Offsets = NDArray[np.int64] | None


class Collector:
    """The list of one source as it grows; `score` and `label` are its columns' names.

    The labels are as `columns` says, or else `scores`.
    """

    def __init__(
        self,
        source: str,
        columns: Columns,
        scores: Scores,
        scale: Scale,
        score: str,
        label: str,
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        self.classes = Classes(columns.words(scores))
        self._drop_missing, self._holds = columns.drop_missing, columns.holds
        self._missing: list[Mask] = []
        self._round, self._moved = columns.round, 0
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
        unlabelled = labels.lengths == 0
        if self._drop_missing:
            for row in np.flatnonzero((classes == UNKNOWN) & ~unlabelled).tolist():
                unlabelled[row] = fault_of(labels.text(row)) in (MISSING, NAN)
        self.add(values, faults, classes, self.classes.faults(classes, unlabelled), offsets)

    def add(
        self,
        values: NDArray[np.float64],
        of_score: Mapping[FaultKind, Mask],
        classes: NDArray[np.uint8],
        of_label: Mapping[FaultKind, Mask],
        offsets: Offsets = None,
        *,
        single: bool = False,
    ) -> None:
        """More rows: values and classes, each with the faults found so far.

        Values that are `single` come from a column of float32: where the study has few decimals,
        one stands for the number with so many that it is the nearest float32 of.
        """
        if self._holds == Side.SCORES.word:
            classes, of_label = np.zeros(len(values), np.uint8), {}
        if self._holds == Side.LABELS.word:
            values, of_score, single = np.full(len(values), lowest(self._scale)), {}, False
        known = np.ones(len(values), np.bool_)
        for faulty in of_score.values():
            known &= ~faulty
        values = self._canonical(values, single=single)
        outside = unusable(values, self._scale)
        of_score = {**of_score, **{kind: marked & known for kind, marked in outside.items()}}
        missing = np.zeros(len(values), np.bool_)
        if self._drop_missing:
            for kind in MISSING_VALUES:
                missing |= of_score.get(kind, False) | of_label.get(kind, False)
            of_score = {kind: marked & ~missing for kind, marked in of_score.items()}
            of_label = {kind: marked & ~missing for kind, marked in of_label.items()}
        self._missing.append(missing)
        for column, kinds in ((self._score, of_score), (self._label, of_label)):
            for kind, faulty in kinds.items():
                self._faults.add(column, kind, faulty, before=self._rows, offsets=offsets)
        self._values.append(values)
        self._labels.append(classes)
        self._rows += len(values)

    def _canonical(self, values: NDArray[np.float64], *, single: bool) -> NDArray[np.float64]:
        """The values as the study's resolution has them, where they are `single` or are rounded."""
        if not (single or self._round):
            return values
        near, held = values.copy(), self._scale.within(values)
        near[held] = self._scale.nearest(values[held])
        stands = np.zeros(len(values), np.bool_)
        stands[held] = self._scale.fits(values[held], single=single)
        if not self._round:
            return np.where(stands, near, values)
        self._moved += int((held & ~stands).sum())
        return near

    @property
    def missing(self) -> Mask:
        """The rows without a score or a label that are left out."""
        return np.concatenate([np.empty(0, np.bool_), *self._missing])

    def labelled(self, kept: Mask) -> Labelled:
        """The list of the rows that are kept; refuses it where any row is faulty."""
        self._faults.refuse(self.classes.hint)
        values = np.concatenate([np.empty(0, np.float64), *self._values])[kept]
        labels = np.concatenate([np.empty(0, np.uint8), *self._labels])[kept]
        notes = [truncation_note(self._source, values)]
        if self._moved:
            scores = f"{self._moved} of {self._rows} scores"
            notes.append(f"{self._source}: {scores} were rounded to {self._scale.holds}.")
        return Labelled(values, labels, tuple(filter(None, notes)), holds=self._holds)

    def note(self, missing: int) -> str:
        """The sentence about the rows that are left out."""
        return left_out(self._source, missing, self._rows)


def lowest(scale: Scale) -> float:
    """The score that stands in place of those that a list of labels does not hold."""
    return float(scale.low or 0)


def left_out(source: str, missing: int, rows: int) -> str:
    """The sentence about rows that are left out."""
    return f"{source}: {missing} of {rows} rows have no score or no label and are left out."


def collected(lists: Sequence[Collector], extra: Sequence[str] = ()) -> Labelled:
    """The list of a source, from what was collected of its scores and of each `extra` column."""
    missing = np.logical_or.reduce([rows.missing for rows in lists])
    table = with_extra([rows.labelled(~missing) for rows in lists], extra)
    if not missing.any():
        return table
    note = lists[0].note(int(missing.sum()))
    return replace(table, notes=(*table.notes, note), kept=~missing)


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
