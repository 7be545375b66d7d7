"""Data that this Python process holds already: arrays of scores and of labels 1 and 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.collector import Collector, collected
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.numbers import EXACT_WHOLE, TOO_WIDE
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

NEITHER = FaultKind(
    "a label that is neither 1 nor 0", "Give 1 for the positive class and 0 for the other."
)


@dataclass(frozen=True, slots=True)
class InMemory(Source):
    """A `Labelled` that somebody made by hand; its labels are 1 and 0, whatever the study's are."""

    title: ClassVar[str] = "data in memory"
    leaks: ClassVar[str] = "nothing leaves this program"
    cost: ClassVar[str] = "a copy of the list, 9 bytes of memory a row"

    table: Labelled
    called: str = "the list in memory"

    @classmethod
    def for_object(cls, given: object, columns: Columns) -> InMemory | None:
        return cls(given) if isinstance(given, Labelled) else None

    @property
    def name(self) -> str:
        return self.called

    def read(self, scores: Scores, scale: Scale = PROBABILITIES) -> Labelled:
        columns = self.table.columns
        if (len(columns) > 1) != bool(scores.against):
            raise DataError(
                f"{self.name} has {len(columns)} columns of scores, and the study "
                f"{'compares two' if scores.against else 'takes one'}",
                advice="Give `against` of Labelled if and only if the study compares two scores.",
            )
        called = zip(columns, ("score", "against"), strict=False)
        return collected([self._read(column, name, scale) for column, name in called])

    def identifiers(self, column: str) -> list[str]:
        if self.table.identifiers is None:
            raise DataError(
                f"{self.name} has no identifiers, and the study has folds",
                advice="Give `identifiers` of Labelled, one for each row.",
            )
        return [str(identifier) for identifier in self.table.identifiers]

    def _read(self, given: NDArray[np.generic], called: str, scale: Scale) -> Collector:
        # a list made by hand may hold numbers and truths of any width
        marks: NDArray[np.generic] = self.table.labels
        rows = Collector(self.name, Columns(), Scores(), scale, called, "label")
        values = given.astype(np.float64)
        faults = {}
        if given.dtype.itemsize >= 8 and given.dtype.kind in "iu":
            faults[TOO_WIDE] = np.abs(values) >= EXACT_WHOLE
        neither = (marks != 0) & (marks != 1)
        single = given.dtype == np.float32
        rows.add(
            values, faults, np.asarray(marks == 1, np.uint8), {NEITHER: neither}, single=single
        )
        return rows
