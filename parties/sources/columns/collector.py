"""Scores and labels of one source, collected part by part, and its faults with their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.columns.classes import Classes
from ppaurora.parties.sources.columns.faults import FaultKind, Faults
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import numbers, unusable
from ppaurora.parties.sources.columns.precision import note
from ppaurora.parties.sources.columns.written import Written
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.encoding import code_named

__all__ = ["Collector"]

Mask = NDArray[np.bool_]
Offsets = NDArray[np.int64] | None


class Collector:
    """The list of one source as it grows; `score` and `label` are its columns' names."""

    def __init__(
        self,
        source: str,
        scores: Scores,
        code: str,
        score: str,
        label: str,
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        self.classes = Classes(scores)
        self._code = code_named(code)
        self._source = source
        self._score = score
        self._label = label
        self._faults = Faults(source, line_of)
        self._values: list[NDArray[np.float64]] = []
        self._labels: list[NDArray[np.uint8]] = []
        self._rows = 0

    def add_texts(
        self, scores: Fields, labels: Fields, written: Written, offsets: Offsets = None
    ) -> None:
        """More rows, both columns of which are texts; `written` says how their numbers are."""
        values, faults = numbers(scores, written)
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
        outside = unusable(values, self._code)
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
        notes = tuple(filter(None, [note(self._source, values)]))
        return Labelled(values, labels, notes)
