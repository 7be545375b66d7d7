"""The pipeline of folds: one sorted list for each fold of a cross-validation, in the same hops.

[Folds]: an upload is made of k lists, one behind the other; a record's fold follows from its
identifier (`ppaurora.protocols.lists.folds`), so that all records of one patient are in one fold,
in whatever hospital they are. Each fold has the scores of a model that was made without it. The
lists of a fold are merged as those of a study without folds, all folds side by side.

That the records are in their right folds nobody can check: no server knows an identifier. What is
checked is one bit for each upload, whether all its lists are sorted and in range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, pairwise
from operator import or_
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.outsourcing import UploadForm, descending
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_cost,
    check_negatives,
    positive_labels,
    positive_labels_cost,
    violations,
)
from ppaurora.protocols.pipelines.pipeline import (
    Choices,
    Inputs,
    PhaseEstimate,
    Pipeline,
    Vector,
)
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Folded, Pooled, PooledFolds
from ppaurora.protocols.sorting import Sort

FOLD = "fold"
"""The kind of column from which a record's fold follows."""
OF_FOLDS = "of each list, how many of its samples are in each fold"
TIES = "compare"
FEW_IN_FOLD = 50
TELLING = (
    (
        0,
        "no sample",
        "who holds the fold key knows that nobody of that fold is in the list",
    ),
    (
        1,
        "one sample only",
        "who holds the fold key can tell which patients that it knows of it may be",
    ),
)
"""Sizes of a fold's part of one list, what they are called, and what they tell the owners."""


@dataclass(frozen=True, slots=True)
class Folds(Pipeline[Folded, PooledFolds]):
    """k sorted lists; `each` says how one of them is made."""

    name: ClassVar[str] = "folds"
    inputs: ClassVar[Inputs] = frozenset(Input)
    columns: ClassVar[tuple[str, ...]] = (FOLD,)
    folded: ClassVar[bool] = True
    of_groups: ClassVar[bool] = False
    k: int
    each: SortedList

    @classmethod
    def of(cls, choices: Choices) -> Folds:
        if choices.ties != TIES:
            raise OptionRefused(
                "ties",
                f'is "{choices.ties}", which tells of every fold by itself, and folds are small',
                advice=f'Take ties = "{TIES}" in a study of folds.',
            )
        return cls(choices.folds, SortedList.of(choices))

    @property
    def sound(self) -> str:
        return "sorted and in range in every fold"

    def upload(self, keys: Sequence[Words]) -> Words:
        column, folds = keys
        return np.concatenate([descending(column[folds == v]) for v in range(self.k)])

    @property
    def lists_each(self) -> int:
        return self.k

    def sizes(self, keys: Sequence[Words]) -> tuple[int, ...]:
        _, folds = keys
        return tuple(np.bincount(folds.astype(np.int64), minlength=self.k).tolist())

    def _lists(self, uploads: Sequence[Vector], sizes: Sequence[int]) -> list[Vector]:
        return [
            upload[start:stop]
            for upload, own in zip(uploads, self.of_uploads(sizes), strict=True)
            for start, stop in pairwise(accumulate(own, initial=0))
        ]

    def form(self, samples: int) -> UploadForm:
        return self.each.form(samples)

    def places(self, samples: int) -> int:
        return samples

    def vectors(self, sizes: Sequence[int], group: str = "") -> tuple[int, ...]:
        return tuple(sum(sizes[v :: self.k]) for v in range(self.k))

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        lists = [*map(self.each.keys, self._lists(uploads, sizes))]
        signs = [
            concatenate(
                violations(one, self.each.largest_key)
                for one in lists[self.k * index : self.k * (index + 1)]
                if len(one)
            )
            for index in range(len(uploads))
        ]
        return check_negatives(party, signs)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_cost(sizes, narrow=self.each.narrow)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return positive_labels(party, self._lists(uploads, sizes))

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Folded:
        lists = [*map(self.each.keys, self._lists(uploads, sizes))]
        sort = self._sort_of(sizes)
        filled = [lists[v :: self.k] for v, n in enumerate(self.vectors(sizes)) if n]
        with party.phase("sort"):
            keys = side_by_side(party, [partial(sort.sorted, lists=fold) for fold in filled])
        with party.phase("ties"):
            ranked = side_by_side(
                party,
                [partial(self.each.ranked, keys=one, inputs=inputs) for one in keys],
            )
        return Folded(self.k, tuple(ranked))

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledFolds:
        lists = self._lists(uploads, sizes)
        return PooledFolds(tuple(Pooled.of(lists[v :: self.k]) for v in range(self.k)))

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        sort, folds = self._sort_of(sizes), [*self._filled(sizes)]
        ranked = [self.each.ranked_cost(sum(fold), inputs=inputs) for fold in folds]
        sorting = [sort.cost(fold, narrow=self.each.narrow) for fold in folds]
        return (
            PhaseEstimate("sort", reduce(or_, sorting, Cost()), sort.cost_is_exact),
            PhaseEstimate("ties", reduce(or_, ranked, Cost())),
        )

    def _filled(self, sizes: Sequence[int]) -> Iterator[Sequence[int]]:
        """The sizes of the lists of each fold that has samples."""
        for v in range(self.k):
            if any(sizes[v :: self.k]):
                yield sizes[v :: self.k]

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        """The sort of all folds, which suits the largest one."""
        folds = [*self._filled(sizes)]
        largest = max(folds, key=sum, default=sizes)
        return self.each.sort.chosen(
            largest, self.each.conditions, beside=max(1, len(folds)), narrow=self.each.narrow
        )

    def proxies_learn(self) -> tuple[str, ...]:
        return (OF_FOLDS, *_of_each(self.each.proxies_learn()))

    def can_be_turned(self) -> tuple[str, ...]:
        return self.each.sort.can_be_turned()

    def onlookers_learn(self) -> tuple[str, ...]:
        return _of_each(self.each.onlookers_learn())

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return (OF_FOLDS, *_of_each(self.each.sort.helper_learns()))

    def helper_only_deals(self) -> bool:
        return self.each.helper_only_deals()

    def helper_sees(self) -> tuple[str, ...]:
        return _of_each(self.each.helper_sees())

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        return warnings_of_folds(self.of_uploads(sizes))

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name


def warnings_of_folds(uploads: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """Warnings where few samples of each of these uploads, or of all, are in a fold."""
    found = [
        f"{_lists(count)} {what} in some fold: {tells}"
        for few, what, tells in TELLING
        if (count := sum(few in own for own in uploads if any(own)))
    ]
    in_folds = [sum(own) for own in zip(*uploads, strict=True)]
    smallest = min(filter(None, in_folds), default=FEW_IN_FOLD)
    if smallest < FEW_IN_FOLD:
        # in a class of c samples of a fold one moves the mean of k AUROCs by 1/(k·c)
        moved = 2 / (len(in_folds) * smallest)
        found.append(
            f"the smallest fold has {smallest} samples: one patient of it may move a mean over "
            f"{len(in_folds)} folds by {moved:.2g} or more, and the further, the more the number "
            "tells of that patient; take fewer folds"
        )
    return tuple(found)


def _lists(count: int) -> str:
    return "a list has" if count == 1 else f"{count} lists have"


def _of_each(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"of each fold: {text}" for text in texts)
