"""The pipelines of samples that count with weights, each secret, from 0 to a public largest one.

A weight is a whole number of steps. An owner shares it beside the key of its row, or adds up what
its own rows count; nobody learns a weight, or what all samples weigh.

- `WeightedList` sorts keys with their weights beside them. With labels y and weights w a row counts
  p = w·y positives and w - p negatives, and is a cell
  (`ppaurora.protocols.ranking.weighted_rows`). An upload has the keys, descending, and then the
  weights in their order, of equal keys descending too, so that nothing of the owner's rows remains.
  Keys are sorted mod 2^64, since a column goes in the ring of its key and weights are added up.
- `WeightedSums` are owners' sums in which each row counts by its weight, behind the counts of the
  rows themselves: a least cell is one of patients, whatever they weigh. An upload has the positives
  and the negatives of each cell, then what they weigh, then the weighted sums. With the bits b_k of
  a weight a sum is Σ 2^k times that of the rows of which b_k is 1, exact as each of them is.

The check. Of a list no key may be out of order or out of range, no weight and no largest weight
minus a weight negative. Of sums the counts must add up to the stated number of samples, and what a
cell weighs lie between 0 and its samples times the largest weight. Where a study has both, they
must have equally many positives, of equal weight, and equal weights in all: not a bit more is
opened (`ppaurora.protocols.pipelines.together`). Nobody learns anything. Four hops, and two for the
weights of both parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, to_arithmetic
from ppaurora.mpc.shares import Shared, concatenate, low_bits
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.layout import LARGEST_COUNT
from ppaurora.protocols.grid.least_cell import shown_cost
from ppaurora.protocols.grid.sums import WORDS, Sum, limits, sums_of_repeated, to_words
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import decode
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_negatives,
    check_negatives_cost,
    sums_of_parts,
    violations,
)
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram, OwnersSums
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate, Pipeline
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.binned import Binned, CellCounts, PooledBins, PooledCounts
from ppaurora.protocols.ranking.weighted_rows import (
    CLASSES,
    cells_of_rows,
    cells_of_rows_cost,
    pooled_rows,
)
from ppaurora.protocols.sorting import Sort
from ppaurora.protocols.sorting.sort import SCANNING

WEIGHT = "weight"
"""The kind of column that the weights are."""
LARGEST_WEIGHT = (1 << 31) - 1
"""In steps: so much, and no more, may all samples weigh together."""
TOTALS = 3
"""The positives, what they weigh, and what all samples weigh."""
COMPARE = "compare"
TELLING = (
    "samples count with weights: to who knows scores and weights, each digit of a number tells "
    "about labels as that of a mean loss does"
)


class WeightedChoices(Choices, Protocol):
    """The options of a study whose samples have weights."""

    @property
    def largest_weight(self) -> int: ...


@dataclass(frozen=True, slots=True)
class WeightedList(Pipeline[CellCounts, PooledCounts]):
    """One sorted list of rows that weigh at most `largest`; `each` says how it is made."""

    name: ClassVar[str] = "weighted list"
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (Histogram,)
    columns: ClassVar[tuple[str, ...]] = (WEIGHT,)
    of_groups: ClassVar[bool] = False
    each: SortedList
    largest: int

    @classmethod
    def of(cls, choices: Choices) -> WeightedList:
        if choices.ties != COMPARE:
            raise OptionRefused(
                "ties",
                f'is "{choices.ties}", and the helper is not asked for ties of weighted samples',
                advice=f'Take ties = "{COMPARE}" in a study of weights.',
            )
        return cls(SortedList.of(choices), cast(WeightedChoices, choices).largest_weight)

    @property
    def sound(self) -> str:
        return f"{self.each.sound}, of weights from 0 to the largest"

    @property
    def totals_each(self) -> int:
        return TOTALS

    def upload(self, keys: Sequence[Words]) -> Words:
        column, weights = keys
        order = np.lexsort((weights, column))[::-1]
        return np.concatenate([column[order], weights[order]])

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words(2 * samples)

    def places(self, samples: int) -> int:
        return samples

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        numbers = []
        for upload in uploads:
            keys, weights = _halves(upload)
            keys_fit = violations(keys, self.each.largest_key)
            numbers.append(concatenate([keys_fit, weights, -weights + self.largest]))
        return check_negatives(party, numbers)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_negatives_cost([4 * size for size in sizes])

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        y, w, p = self._labelled(party, uploads)
        totals = [sums_of_parts(column, sizes) for column in (y, p, w)]
        count = len(uploads)
        return concatenate(totals)[np.arange(TOTALS * count).reshape(TOTALS, count).T.reshape(-1)]

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return _labelled_cost(sum(sizes))

    def _labelled(self, party: Party, uploads: Sequence[Shared]) -> tuple[Shared, Shared, Shared]:
        """y, w and w·y of all rows."""
        halves = [_halves(upload) for upload in uploads]
        w = concatenate(weights for _, weights in halves)
        y = to_arithmetic(party, low_bits(concatenate(keys for keys, _ in halves)))
        return y, w, multiply(party, y, w)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> CellCounts:
        sort, n = self._sort_of(sizes), sum(sizes)
        with party.phase("sort"):
            keys, weights = sort.sorted_rows(party, [_halves(upload) for upload in uploads])
        with party.phase("ties"):
            y, w, p = self._labelled(party, [concatenate([keys, weights])])
            return cells_of_rows(
                party, keys - y, p, w - p, most=n * self.largest, few_hops=self._few_hops(n)
            )

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        return self.each.sort.chosen(sizes, self.each.conditions, columns=1)

    def _few_hops(self, n: int) -> bool:
        few, many = (
            self.each.conditions.nanoseconds(cells_of_rows_cost(n, few_hops=few), SCANNING)
            for few in (True, False)
        )
        return few < many

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledCounts:
        columns = [upload.reshape(2, -1) for upload in uploads]
        keys, weights = np.concatenate([np.zeros((2, 0), np.uint64), *columns], axis=1)
        y = keys & np.uint64(1)
        positives = (weights * y).tolist()
        negatives = (weights * (np.uint64(1) - y)).tolist()
        return pooled_rows(keys >> np.uint64(1), positives, negatives)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        sort, n = self._sort_of(sizes), sum(sizes)
        cells = cells_of_rows_cost(n, few_hops=self._few_hops(n))
        return (
            PhaseEstimate("sort", sort.cost(sizes, columns=1), sort.cost_is_exact),
            PhaseEstimate("ties", _labelled_cost(n) + cells),
        )

    def proxies_learn(self) -> tuple[str, ...]:
        return self.each.proxies_learn()

    def can_be_turned(self) -> tuple[str, ...]:
        return self.each.can_be_turned()

    def onlookers_learn(self) -> tuple[str, ...]:
        return self.each.onlookers_learn()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return self.each.helper_learns(samples, inputs)

    def helper_only_deals(self) -> bool:
        return self.each.helper_only_deals()

    def helper_sees(self) -> tuple[str, ...]:
        return self.each.helper_sees()

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        return (TELLING,)

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name


def _halves(upload: Shared) -> list[Shared]:
    """The keys and the weights of an upload, or of all rows."""
    n = len(upload) // 2
    return [upload[:n], upload[n:]]


def _labelled_cost(n: int) -> Cost:
    return to_arithmetic.cost().of(n) + multiply.cost().of(n)


@dataclass(frozen=True, slots=True)
class WeightedSums(OwnersSums):
    """Counts of rows between thresholds, what they weigh, and weighted sums over each owner's rows.

    A row weighs at most `largest`.
    """

    name: ClassVar[str] = "weighted sums"
    inputs: ClassVar[Inputs] = frozenset(Sum)
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (OwnersSums,)
    columns: ClassVar[tuple[str, ...]] = (WEIGHT,)
    of_groups: ClassVar[bool] = False
    largest: int

    @classmethod
    def of(cls, choices: Choices) -> Self:
        return cls(cls.layout_of(choices), cast(WeightedChoices, choices).largest_weight)

    @property
    def sound(self) -> str:
        return (
            "made of counts that add up to the stated number of samples, of weights from 0 to the "
            "largest"
        )

    @property
    def totals_each(self) -> int:
        return TOTALS

    @property
    def counting_grid(self) -> None:
        return None

    @property
    def _sums(self) -> int:
        """The words of all sums."""
        return WORDS * sum(map(self.layout.count, self.layout.sums))

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        column, weights = keys
        layout = self.layout
        scores, labels = decode(column, layout.scale)
        places = layout.grid.places(scores)
        cells = places + len(layout.grid) * (labels == 0)
        weighed = np.zeros(layout.counts, np.uint64)
        np.add.at(weighed, cells, weights)
        parts = layout.cuts.part_of(places)
        more: list[int] = []
        for which in layout.sums:
            count, higher = layout.count(which), layout.grid.higher
            more += to_words(sums_of_repeated(which, scores, labels, weights, parts, count, higher))
        counts = layout.grid.counts(scores, labels)
        return np.concatenate([counts, weighed, np.array(more, np.uint64)])

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words(CLASSES * self.layout.counts + self._sums)

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        return uploads

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        return Cost()

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        cells, counts = len(self.layout.grid), self.layout.counts
        return concatenate(
            part.sum()
            for upload in uploads
            for part in (upload[:cells], upload[counts:][:cells], upload[counts : 2 * counts])
        )

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        self.check_addable(len(uploads))
        pairs = zip(uploads, sizes, strict=True)
        return check_negatives(party, [self._room(words, size) for words, size in pairs])

    def _room(self, words: Shared, size: int) -> Shared:
        """The numbers of an upload of `size` samples that must not be negative."""
        counts = self.layout.counts
        rows, weighed, sums = words[:counts], words[counts : 2 * counts], words[2 * counts :]
        total = rows.sum()
        most = [
            word
            for which in self.layout.sums
            for word in limits(which, self.layout.count(which), size * self.largest)
        ]
        return concatenate(
            [
                rows,
                -rows + LARGEST_COUNT,
                total - size,
                -total + size,
                weighed,
                rows * self.largest - weighed,
                sums,
                -sums + np.array(most, np.uint64),
            ]
        )

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        each = 2 * (CLASSES * self.layout.counts + self._sums + 1)
        return check_negatives_cost([each] * len(sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Binned:
        layout, total = self.layout, reduce(add, uploads)
        cells, weighed = len(layout.grid), total[layout.counts :]
        return Binned(
            weighed[:cells],
            weighed[cells : layout.counts],
            sum(sizes) * self.largest,
            None,
            layout.grid,
            self.cuts,
            self.shown_cuts(party, uploads),
            layout.sums_in(weighed),
        )

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledBins:
        layout, cells = self.layout, len(self.layout.grid)
        totals = [0] * layout.counts
        for upload in uploads:
            weighed = upload[layout.counts : 2 * layout.counts].tolist()
            totals = [old + one for old, one in zip(totals, weighed, strict=True)]
        return PooledBins(
            tuple(totals[:cells]),
            tuple(totals[cells:]),
            layout.grid,
            self.cuts,
            self.shown_plaintext(uploads),
            self.plaintext_sums(uploads, 2 * layout.counts),
        )

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        if not self.cuts.withhold:
            return ()
        return (PhaseEstimate("least cell", shown_cost(self.cuts.order, 2 * len(sizes))),)

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        return (TELLING,)


WEIGHTED_KINDS: Mapping[type[Pipeline[Any, Any]], type[Pipeline[Any, Any]]] = {
    Histogram: WeightedList,
    OwnersSums: WeightedSums,
}
"""The sources of what statistics over cells and of owners' sums read, if samples have weights."""
