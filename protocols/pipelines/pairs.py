"""The pipeline of pairs: two scores of the same samples, two sorted lists, then row by row.

Both lists are sorted, scanned and brought back to the order of the rows in the same hops. Each row
then has its label and what its placement gains, from which two AUROCs are compared. Statistics of
one score are computed from the sorted list of the first one, which is sorted once for all.

Labels are those of the first list; that the second one has the same is part of the check. The row
numbers that are opened are a permutation that nobody knows: nobody learns anything from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import row_order, to_arithmetic
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.paired import (
    WORDS,
    PairedLists,
    check_paired,
    check_paired_cost,
    paired,
)
from ppaurora.protocols.lists.verdicts import Findings, positive_labels, positive_labels_cost
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate, Pipeline
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.paired import Paired, PooledPairs, placements, placements_cost
from ppaurora.protocols.ranking.ranked import Ranked, groups, groups_cost
from ppaurora.protocols.ranking.ties import LASTING_NAME, labels, labels_cost, ties, ties_cost
from ppaurora.protocols.sorting import Rows, Sort

SECOND_SCORE = "second score"
"""The kind of column that the second scores are."""
NO_INPUTS: Inputs = frozenset()
LISTS = 2
OF_THE_SECOND = f"{LASTING_NAME} of the second scores"


ROWS_TURNED = (
    "row numbers are opened after a shuffle, and a proxy that marks them learns the order of one "
    "score within the other"
)


@dataclass(frozen=True, slots=True)
class Pairs(Pipeline[Paired, PooledPairs]):
    """Two sorted lists of the same rows; `each` says how one of them is made."""

    name: ClassVar[str] = "pairs"
    inputs: ClassVar[Inputs] = frozenset(Input)
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (SortedList,)
    columns: ClassVar[tuple[str, ...]] = (SECOND_SCORE,)
    each: SortedList

    @classmethod
    def of(cls, choices: Choices) -> Pairs:
        return cls(SortedList.of(choices))

    @property
    def sound(self) -> str:
        return "sorted and in range by both scores, of the same rows with the same labels"

    def upload(self, keys: Sequence[Words]) -> Words:
        first, second = keys
        return paired(first, second)

    def form(self, samples: int) -> UploadForm:
        return self.each.form(WORDS * samples)

    def places(self, samples: int) -> int:
        return samples

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        keys = [*map(self.each.keys, uploads)]
        return check_paired(party, keys, largest_key=self.each.largest_key)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_paired_cost(sizes, narrow=self.each.narrow)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return positive_labels(party, [PairedLists.of(upload).first for upload in uploads])

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Paired:
        lists = [PairedLists.of(self.each.keys(upload)) for upload in uploads]
        sort = self._sort_of(sizes)
        with party.phase("sort"):
            (keys1, numbers1), (keys2, numbers2) = side_by_side(
                party, [partial(sort.sorted_rows, lists=rows) for rows in _numbered(party, lists)]
            )
        with party.phase("ties"):
            first, second = side_by_side(
                party,
                [
                    partial(self._placed, keys=keys, inputs=own, lasting=name)
                    for keys, own, name in (
                        (keys1, inputs, LASTING_NAME),
                        (keys2, NO_INPUTS, OF_THE_SECOND),
                    )
                ],
            )
        with party.phase("rows"):
            keys = concatenate(keys.first for keys in lists)
            [v1], [v2], [y] = side_by_side(
                party,
                [
                    lambda own: row_order(own, numbers1, [first.v]),
                    lambda own: row_order(own, numbers2, [second.v]),
                    lambda own: [to_arithmetic(own, low_bits(keys))],
                ],
            )
        return Paired(first.ranked, y, v1 - v2)

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        each = self.each
        return each.sort.chosen(sizes, each.conditions, columns=1, beside=LISTS, narrow=each.narrow)

    def _placed(
        self, party: Party, *, keys: SharedNumbers, inputs: Inputs, lasting: str
    ) -> PlacedList:
        marked = labels(party, keys)
        found = ties(party, keys, marked, way=self.each.ties, lasting=lasting)
        tied = groups(party, found, **self.each.scan(len(keys), inputs, ends=True))
        return PlacedList(Ranked(marked, tied), placements(party, marked, tied))

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledPairs:
        return PooledPairs.of(uploads)

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = "") -> Any:
        return data.first if of is SortedList else data

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        n, sort = sum(sizes), self._sort_of(sizes)
        one_sort = sort.cost(sizes, columns=1, narrow=self.each.narrow)
        placed = self._placed_cost(n, inputs) | self._placed_cost(n, NO_INPUTS)
        return (
            PhaseEstimate("sort", one_sort | one_sort, sort.cost_is_exact),
            PhaseEstimate("ties", placed),
            PhaseEstimate(
                "rows",
                _rows_cost(n, one_sort.hops + placed.hops, narrow=self.each.narrow),
                self._in_turn(sort),
            ),
        )

    def _in_turn(self, sort: Sort) -> bool:
        """True if the proxies are ahead of each other alternately, as `_rows_cost` assumes.

        A helper that is told of ties deals to one of them later than to the other.
        """
        return sort.cost_is_exact and self.each.ties == "compare"

    def _placed_cost(self, n: int, inputs: Inputs) -> Cost:
        tied = groups_cost(n, **self.each.scan(n, inputs, ends=True))
        found = ties_cost(n, way=self.each.ties, narrow=self.each.narrow)
        return labels_cost(n) + found + tied + placements_cost(n)

    def proxies_learn(self) -> tuple[str, ...]:
        return _of_each(self.each.proxies_learn())

    def can_be_turned(self) -> tuple[str, ...]:
        return (ROWS_TURNED, *self.each.can_be_turned())

    def onlookers_learn(self) -> tuple[str, ...]:
        return _of_each(self.each.onlookers_learn())

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        # the ties of both lists are found, whatever statistics ask for
        return _of_each(self.each.helper_learns(samples, self.inputs))

    def helper_sees(self) -> tuple[str, ...]:
        return _of_each(self.each.helper_sees())

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name


@dataclass(frozen=True, slots=True)
class PlacedList:
    """One sorted list, and the placement of the sample at each of its places."""

    ranked: Ranked
    v: Shared


NumberedRows = list[Rows[SharedNumbers]]


def _numbered(party: Party, lists: Sequence[PairedLists]) -> tuple[NumberedRows, NumberedRows]:
    """The rows of both sorts: key, and a number that no other row of all lists has."""
    first: NumberedRows = []
    second: NumberedRows = []
    for one, (start, stop) in zip(
        lists, pairwise(accumulate(map(len, lists), initial=0)), strict=True
    ):
        first.append([one.first, one.first * 0 + np.arange(start, stop)])
        second.append([one.second, one.numbers + start])
    return first, second


def _rows_cost(n: int, before: int, *, narrow: bool) -> Cost:
    """The cost of restoring the order of the rows, so many hops after the check.

    P1 depends on the helper, who heard of the check's verdicts a hop later. From then on P0 and P1
    are a hop ahead of each other by turns, P0 after every second hop. The longest chain of messages
    of a shuffle begins at P1: a hop less is left where P1 is behind. Behind a sort whose hops
    follow from chance, this hop does as well, and where the helper is told of ties.
    """
    one = row_order.cost(columns=1, narrow=narrow).of(n)
    both = one | one | to_arithmetic.cost().of(n)
    return Cost(both.hops - (before % 2 == 0), both.payload)


def _of_each(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"of each of the two scores: {text}" for text in texts)
