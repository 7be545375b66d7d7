"""The pipeline of classes: a score of each sample for every class, of which it is in one.

A sorted list of each class's scores, with the rows of that class as positives; all are sorted,
scanned and brought back to the order of the rows in the same hops. Statistics of one score are
computed from the list of the first class against the rest. That every row is in one class is part
of the check. The row numbers that are opened are a permutation that nobody knows: nobody learns
anything from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.same_rows import same_rows
from ppaurora.protocols.pipelines.models import RowLists
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.classes import (
    PooledClasses,
    RankedClasses,
    between_classes,
    between_classes_cost,
)
from ppaurora.protocols.ranking.ranked import Groups
from ppaurora.protocols.ranking.ties import Labels

CLASS_SCORES, CLASS = "class scores", "class"
"""The kinds of columns that the scores of all classes but the first are, and a sample's class."""
FEWEST_CLASSES, MOST_CLASSES = 3, 16


@dataclass(frozen=True, slots=True)
class ClassLists(RowLists[RankedClasses, PooledClasses]):
    """A sorted list of each class's scores, and how each tells its class from each other one."""

    name: ClassVar[str] = "several classes"
    columns: ClassVar[tuple[str, ...]] = (CLASS_SCORES, CLASS)
    ends: ClassVar[bool] = False
    classes: ClassVar[bool] = True
    each: SortedList
    lists: int = FEWEST_CLASSES

    @classmethod
    def of(cls, choices: Choices) -> ClassLists:
        return cls(SortedList.of(choices), max(FEWEST_CLASSES, len(choices.classes)))

    @property
    def sound(self) -> str:
        return (
            f"sorted and in range by the scores of {self._all} classes, of the same rows, each in "
            "one class"
        )

    def upload(self, keys: Sequence[Words]) -> Words:
        first, others, of_rows = keys
        columns = [
            keys_of_class | (of_rows == place).astype(np.uint64)
            for place, keys_of_class in enumerate(others.T, start=1)
        ]
        return same_rows([first, *columns])

    def placed(self, party: Party, marked: Labels, tied: Groups) -> Shared:
        # of a row of another class; those of this class are multiplied by 0
        return marked.TP + tied.B

    def placed_cost(self, n: int) -> Cost:
        return Cost()

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> RankedClasses:
        rows = self.in_rows(party, uploads, sizes, inputs)
        [v], *others = rows.columns
        with party.phase("classes"):
            return between_classes(
                party, rows.first, [rows.y, *(y for _, y in others)], [v, *(v for v, _ in others)]
            )

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledClasses:
        return PooledClasses.of(uploads, self.lists)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        last = PhaseEstimate("classes", between_classes_cost(sum(sizes), self.lists))
        return (*self.preparing_rows(sizes, inputs), last)
