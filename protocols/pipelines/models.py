"""The pipeline of models: several scores of the same samples, a sorted list of each, then the rows.

All lists are sorted, scanned and brought back to the order of the rows in the same hops. Each row
then has its label and its placement in every list, from which the covariance of all AUROCs is
computed. Statistics of one score are computed from the sorted list of the first one, which is
sorted once for all.

Labels are those of the first list; that the others have the same is part of the check. The row
numbers that are opened are a permutation that nobody knows: nobody learns anything from them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, pairwise
from operator import or_
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import row_order, to_arithmetic
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.same_rows import (
    SameRows,
    check_same_rows,
    check_same_rows_cost,
    same_rows,
    words_of,
)
from ppaurora.protocols.lists.verdicts import Findings, positive_labels, positive_labels_cost
from ppaurora.protocols.pipelines.pipeline import (
    Choices,
    Clear,
    Data,
    Inputs,
    PhaseEstimate,
    Pipeline,
)
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.covariance import (
    PooledModels,
    RankedModels,
    covariance,
    covariance_cost,
    placements,
    placements_cost,
)
from ppaurora.protocols.ranking.ranked import Groups, Ranked, groups
from ppaurora.protocols.ranking.ties import (
    LASTING_NAME,
    Labels,
    labels,
    labels_cost,
    ties,
)
from ppaurora.protocols.sorting import Rows, Sort

OTHER_SCORES = "other scores"
"""The kind of column that the scores of other models are."""
NO_INPUTS: Inputs = frozenset()
MOST_MODELS = 16
OF_ANOTHER = f"{LASTING_NAME} of the scores of model {{}}"

ROWS_TURNED = (
    "row numbers are opened after a shuffle, and a proxy that marks them learns the order of one "
    "score within another"
)


class RowLists(Pipeline[Data, Clear]):
    """So many sorted lists of the same rows; `each` says how one of them is made."""

    __slots__ = ()

    inputs: ClassVar[Inputs] = frozenset(Input)
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (SortedList,)
    ends: ClassVar[bool]
    """True if the scans find the negatives at the ends of groups as well."""
    classes: ClassVar[bool] = False
    """True if every list has labels of its own, of a class that a row may be in."""
    each: SortedList
    lists: int

    @property
    def _all(self) -> str:
        return "both" if self.lists == 2 else f"all {self.lists}"

    def form(self, samples: int) -> UploadForm:
        return self.each.form(words_of(self.lists) * samples)

    def places(self, samples: int) -> int:
        return samples

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        keys = [*map(self.each.keys, uploads)]
        largest = self.each.largest_key
        return check_same_rows(
            party, keys, lists=self.lists, largest_key=largest, classes=self.classes
        )

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        narrow = self.each.narrow
        return check_same_rows_cost(sizes, lists=self.lists, narrow=narrow, classes=self.classes)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return positive_labels(party, [SameRows.of(one, self.lists).first for one in uploads])

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes))

    def in_rows(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> InRows:
        """All lists sorted, and brought back to the order of the rows, in three phases."""
        rows = [SameRows.of(self.each.keys(upload), self.lists) for upload in uploads]
        sort = self._sort_of(sizes)
        with party.phase("sort"):
            ordered = side_by_side(
                party,
                [partial(sort.sorted_rows, lists=own) for own in _numbered(rows, self.lists)],
            )
        # statistics of one score are of the first
        of_first: dict[str, Any] = {"inputs": inputs, "lasting": LASTING_NAME}
        of_others = [
            {"inputs": NO_INPUTS, "lasting": OF_ANOTHER.format(place)}
            for place in range(2, self.lists + 1)
        ]
        with party.phase("ties"):
            placed = side_by_side(
                party,
                [
                    partial(self._placed, keys=keys, **own)
                    for (keys, _), own in zip(ordered, (of_first, *of_others), strict=True)
                ],
            )
        with party.phase("rows"):
            keys = concatenate(one.first for one in rows)
            programs: list[Callable[[Party], list[Shared]]] = [
                lambda own: [to_arithmetic(own, low_bits(keys))],
                *(
                    partial(_in_rows, numbers=numbers, columns=self._columns(place, one))
                    for place, ((_, numbers), one) in enumerate(zip(ordered, placed, strict=True))
                ),
            ]
            [y], *columns = side_by_side(party, programs)
        return InRows(placed[0].ranked, y, columns)

    def _columns(self, place: int, one: PlacedList) -> list[Shared]:
        """Columns of a list that are brought back to the rows: placements, labels of its own."""
        return [one.v, one.ranked.labels.y] if self.classes and place else [one.v]

    @abstractmethod
    def placed(self, party: Party, marked: Labels, tied: Groups) -> Shared:
        """The placement of the sample at each place of a list."""

    @abstractmethod
    def placed_cost(self, n: int) -> Cost:
        """The cost of `placed`."""

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        each = self.each
        return each.sort.chosen(
            sizes, each.conditions, columns=1, beside=self.lists, narrow=each.narrow
        )

    def _placed(
        self, party: Party, *, keys: SharedNumbers, inputs: Inputs, lasting: str
    ) -> PlacedList:
        marked = labels(party, keys)
        scan = self.each.scan(len(keys), inputs, ends=self.ends)
        way = self.each.ties
        found = ties(party, keys, marked, way=way, counts=scan.counts, lasting=lasting)
        tied = groups(party, found, scan)
        return PlacedList(Ranked(marked, tied), self.placed(party, marked, tied))

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = "") -> Any:
        return data.first if of is SortedList else data

    def preparing_rows(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        """The cost of `in_rows`."""
        n, sort = sum(sizes), self._sort_of(sizes)
        one_sort = sort.cost(sizes, columns=1, narrow=self.each.narrow)
        others = [self._placed_cost(n, NO_INPUTS)] * (self.lists - 1)
        placed = reduce(or_, others, self._placed_cost(n, inputs))
        before = one_sort.hops + placed.hops
        return (
            PhaseEstimate("sort", reduce(or_, [one_sort] * self.lists), sort.cost_is_exact),
            PhaseEstimate("ties", placed),
            PhaseEstimate("rows", self._rows_cost(n, before), self._in_turn(sort)),
        )

    def _rows_cost(self, n: int, before: int) -> Cost:
        """The cost of restoring the order of the rows, so many hops after the check.

        P1 depends on the helper, who heard of the check's verdicts a hop later. From then on P0 and
        P1 are a hop ahead of each other by turns, P0 after every second hop. The longest chain of
        messages of a shuffle begins at P1: a hop less is left where P1 is behind. Behind a sort
        whose hops follow from chance, this hop does as well, and where the helper is told of ties.
        """
        one, other = (
            row_order.cost(columns=columns, narrow=self.each.narrow).of(n)
            for columns in (1, 1 + self.classes)
        )
        all_lists = reduce(or_, [other] * (self.lists - 1), one | to_arithmetic.cost().of(n))
        return Cost(all_lists.hops - (before % 2 == 0), all_lists.payload)

    def _in_turn(self, sort: Sort) -> bool:
        """True if the proxies are ahead of each other by turns, as `_rows_cost` assumes.

        A helper that is told of ties deals to one of them later than to the other.
        """
        return sort.cost_is_exact and self.each.ties == "compare"

    def _placed_cost(self, n: int, inputs: Inputs) -> Cost:
        tied = self.each.groups_cost(n, self.each.scan(n, inputs, ends=self.ends))
        return labels_cost(n) + tied + self.placed_cost(n)

    def proxies_learn(self) -> tuple[str, ...]:
        return self._of_each(self.each.proxies_learn())

    def can_be_turned(self) -> tuple[str, ...]:
        return (ROWS_TURNED, *self.each.can_be_turned())

    def onlookers_learn(self) -> tuple[str, ...]:
        return self._of_each(self.each.onlookers_learn())

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        # the ties of all lists are found, whatever statistics ask for
        return self._of_each(self.each.helper_learns(samples, self.inputs))

    def helper_sees(self) -> tuple[str, ...]:
        return self._of_each(self.each.helper_sees())

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name

    def _of_each(self, texts: Sequence[str]) -> tuple[str, ...]:
        number = "two" if self.lists == 2 else self.lists
        return tuple(f"of each of the {number} scores: {text}" for text in texts)


@dataclass(frozen=True, slots=True)
class Models(RowLists[RankedModels, PooledModels]):
    """A sorted list of each model's scores, and the covariance of all AUROCs."""

    name: ClassVar[str] = "several models"
    columns: ClassVar[tuple[str, ...]] = (OTHER_SCORES,)
    ends: ClassVar[bool] = True
    each: SortedList
    lists: int = 2

    @classmethod
    def of(cls, choices: Choices) -> Models:
        # a study that names no other scores is refused where its columns are read
        return cls(SortedList.of(choices), 1 + max(1, len(choices.against)))

    @property
    def sound(self) -> str:
        return f"sorted and in range by {self._all} scores, of the same rows with the same labels"

    def upload(self, keys: Sequence[Words]) -> Words:
        first, others = keys
        return same_rows([first, *others.T])

    def placed(self, party: Party, marked: Labels, tied: Groups) -> Shared:
        return placements(party, marked, tied)

    def placed_cost(self, n: int) -> Cost:
        return placements_cost(n)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> RankedModels:
        rows = self.in_rows(party, uploads, sizes, inputs)
        with party.phase("covariance"):
            found = covariance(party, rows.first, rows.y, [v for [v] in rows.columns])
        return RankedModels(rows.first, found)

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledModels:
        return PooledModels.of(uploads, self.lists)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        last = PhaseEstimate("covariance", covariance_cost(sum(sizes), self.lists))
        return (*self.preparing_rows(sizes, inputs), last)


@dataclass(frozen=True, slots=True)
class PlacedList:
    """One sorted list, and the placement of the sample at each of its places."""

    ranked: Ranked
    v: Shared


def _in_rows(party: Party, *, numbers: SharedNumbers, columns: Sequence[Shared]) -> list[Shared]:
    """The columns in the order of the rows."""
    found = row_order(party, numbers, columns)
    return [one for one in found if isinstance(one, Shared)]


@dataclass(frozen=True, slots=True)
class InRows:
    """The first list as it is sorted; of each row the first label, and every list's columns."""

    first: Ranked
    y: Shared
    columns: list[list[Shared]]


NumberedRows = list[Rows[SharedNumbers]]


def _numbered(rows: Sequence[SameRows], lists: int) -> list[NumberedRows]:
    """The rows of each sort: key, and a number that no other row of all lists has."""
    found: list[NumberedRows] = [[] for _ in range(lists)]
    for one, (start, stop) in zip(
        rows, pairwise(accumulate(map(len, rows), initial=0)), strict=True
    ):
        own = (one.first * 0 + np.arange(start, stop), *(row + start for row in one.numbers))
        for of_list, keys, numbers in zip(found, one.lists, own, strict=True):
            of_list.append([keys, numbers])
    return found
