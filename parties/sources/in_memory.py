"""Data that this Python process holds already: arrays of scores and of labels 1 and 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.collector import Collector
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.numbers import EXACT_WHOLE, TOO_WIDE
from ppaurora.parties.sources.labelled import Labelled, with_second
from ppaurora.parties.sources.source import UNIT, Source
from ppaurora.parties.study.study import Scores

__all__ = ["InMemory"]

COLUMN_OF = {"scores": "score", "against": "against"}

NEITHER = FaultKind(
    "a label that is neither 1 nor 0", "Give 1 for the positive class and 0 for the other."
)


@dataclass(frozen=True, slots=True)
class InMemory(Source):
    """A `Labelled` that somebody made by hand; its labels are 1 and 0, whatever the study's are."""

    holds: ClassVar[type | None] = Labelled
    title: ClassVar[str] = "data in memory"
    leaks: ClassVar[str] = "nothing leaves this program"
    cost: ClassVar[str] = "a copy of the list, 9 bytes of memory a row"

    table: Labelled
    called: str = "the list in memory"

    @property
    def name(self) -> str:
        return self.called

    def read(self, scores: Scores, code: str = UNIT) -> Labelled:
        columns = ["scores"] if self.table.against is None else ["scores", "against"]
        if (len(columns) > 1) != bool(scores.against):
            raise DataError(
                f"{self.name} has {len(columns)} columns of scores, and the study "
                f"{'compares two' if scores.against else 'takes one'}",
                advice="Give `against` of Labelled if and only if the study compares two scores.",
            )
        return with_second([self._read(which, code) for which in columns])

    def _read(self, which: str, code: str) -> Labelled:
        given, marks = self._column(which), self._column("labels")
        if len(given) != len(marks):
            raise DataError(
                f"{self.name} has {len(given)} scores and {len(marks)} labels",
                advice="Give every score its label.",
            )
        rows = Collector(self.name, Scores(), code, COLUMN_OF[which], "label")
        values = given.astype(np.float64)
        faults = {}
        if given.dtype.itemsize >= 8 and given.dtype.kind in "iu":
            faults[TOO_WIDE] = np.abs(values) >= EXACT_WHOLE
        neither = (marks != 0) & (marks != 1)
        rows.add(values, faults, np.asarray(marks == 1, np.uint8), {NEITHER: neither})
        return rows.labelled()

    def _column(self, which: str) -> NDArray[np.generic]:
        array = np.asarray(getattr(self.table, which))
        if array.ndim != 1:
            raise DataError(
                f"{self.name}: the {which} have {array.ndim} dimensions",
                advice="Give an array with one value for each row.",
            )
        kinds = "biuf" if which == "labels" else "iuf"
        if array.size and array.dtype.kind not in kinds:
            raise DataError(
                f"{self.name}: the {which} are of type {array.dtype}",
                advice="Give the scores as numbers and the labels as 1 and 0, without gaps.",
            )
        return array
