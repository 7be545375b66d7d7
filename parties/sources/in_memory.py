"""Data that this Python process holds already: arrays of scores and of labels 1 and 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.columns.column import Values
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

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        numbers = [np.asarray(self._extra(name)) for name in extra]
        for name, column in zip(extra, numbers, strict=True):
            if column.size and column.dtype.kind not in "iuf":
                raise DataError(
                    f'The values of "{name}" in {self.name} are of type {column.dtype}',
                    advice="Give them as numbers, without gaps.",
                )
        columns = zip((self.table.scores, *numbers), ("score", *extra), strict=True)
        return collected([self._read(column, name, scale) for column, name in columns], extra)

    def of_numbers(self, column: str) -> InMemory:
        """The same rows with another column of numbers in place of the scores."""
        table = replace(self.table, scores=np.asarray(self._extra(column)), extra={})
        return InMemory(table, self.called)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        return [str(text) for text in self._extra(column)]

    def _extra(self, name: str) -> Values:
        """The column that the study calls so."""
        if name not in self.table.extra:
            raise DataError(
                f'{self.name} has no column "{name}", which the study takes',
                advice=f'Give Labelled(..., extra={{"{name}": ...}}), one value for each row.',
            )
        return self.table.extra[name]

    def _read(self, given: NDArray[np.generic], called: str, scale: Scale) -> Collector:
        # a list made by hand may hold numbers and truths of any width
        marks: NDArray[np.generic] = self.table.labels
        rows = Collector(
            self.name, Columns(holds=self.table.holds), Scores(), scale, called, "label"
        )
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
