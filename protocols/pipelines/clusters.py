"""The pipeline of clusters: one sorted list, and then its rows one cluster after the other.

The list is sorted and scanned, and the placement and the label of each row are brought back to the
order of its owner's rows, in which those of a cluster stand together. Where clusters end is a
shared flag, so that nobody learns how many there are, or how large. Clusters of one owner are not
joined with those of another, whatever their identifiers say.

An upload has the keys, descending, the place of each row among the owner's clusters, and for each
place whether a cluster ends there. Three words a row: identifiers stay where they are. The check
tells one bit for each upload: whether the list is sorted and in range, the places are complete, and
every flag is 0 or 1, the last one 1. Places are opened after a shuffle by an order that nobody
knows, so they tell nothing. Statistics without clusters are computed from the same sorted list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import row_order, row_orders
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_negatives,
    check_negatives_cost,
    positive_labels,
    positive_labels_cost,
    violations,
)
from ppaurora.protocols.pipelines.models import ROWS_TURNED
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate, Pipeline
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.clustered import (
    ClusteredRows,
    PooledClusters,
    cluster_sums,
    cluster_sums_cost,
)
from ppaurora.protocols.ranking.covariance import placements, placements_cost
from ppaurora.protocols.ranking.ranked import Pooled, Ranked, groups
from ppaurora.protocols.ranking.ties import labels, labels_cost, ties
from ppaurora.protocols.sorting import Rows, Sort
from ppaurora.protocols.sorting.sort import SCANNING

CLUSTER = "cluster"
"""The kind of column from which a sample's cluster follows."""
WORDS = 3
"""The number of words of a row."""


@dataclass(frozen=True, slots=True)
class Clusters(Pipeline[ClusteredRows, PooledClusters]):
    """One sorted list, whose rows are in clusters; `each` says how it is made."""

    name: ClassVar[str] = "clusters"
    inputs: ClassVar[Inputs] = frozenset(Input)
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (SortedList,)
    columns: ClassVar[tuple[str, ...]] = (CLUSTER,)
    of_groups: ClassVar[bool] = False
    each: SortedList

    @classmethod
    def of(cls, choices: Choices) -> Clusters:
        return cls(SortedList.of(choices))

    @property
    def sound(self) -> str:
        return f"{self.each.sound}, with every row in one cluster"

    def upload(self, keys: Sequence[Words]) -> Words:
        column, clusters = keys
        # by clusters, and within one by descending keys
        rows = np.lexsort((~column, clusters))
        column, clusters = column[rows], clusters[rows]
        numbers = np.argsort(~column, kind="stable")
        ends = np.ones(len(column), np.uint64)
        ends[:-1] = clusters[1:] != clusters[:-1]
        return np.concatenate([column[numbers], numbers.astype(np.uint64), ends])

    def form(self, samples: int) -> UploadForm:
        return self.each.form(2 * samples) + UploadForm.of_words(samples)

    def places(self, samples: int) -> int:
        return samples

    def _split(self, upload: Shared) -> tuple[SharedNumbers, SharedNumbers, Shared]:
        """Keys, places among the clusters, and where clusters end."""
        n = len(upload) // WORDS
        rows = self.each.keys(upload[: 2 * n])
        return rows[:n], rows[n:], upload[2 * n :]

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        split = [self._split(upload) for upload in uploads]

        def of_lists(own: Party) -> Findings:
            numbers = [violations(keys, self.each.largest_key) for keys, *_ in split]
            return check_negatives(own, numbers)

        def of_flags(own: Party) -> Findings:
            flags = [concatenate([ends, -ends + 1, ends[-1:] - 1]) for *_, ends in split]
            return check_negatives(own, flags)

        def of_places(own: Party) -> Findings:
            numbers = concatenate(numbers for _, numbers, _ in split)
            complete, _ = row_orders(own, numbers, [], lengths=sizes)
            return Findings(complete, Shared.zeros(own.role, len(uploads)))

        lists, flags, places = side_by_side(party, [of_lists, of_flags, of_places])
        return Findings(places.sound, lists.faults + flags.faults)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        narrow = self.each.narrow
        keys = check_negatives_cost([2 * size for size in sizes], narrow=narrow)
        flags = check_negatives_cost([2 * size + 1 for size in sizes if size])
        places = row_orders.cost(columns=0, narrow=int(narrow)).of(sum(sizes))
        return keys | flags | places

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return positive_labels(party, [self._split(upload)[0] for upload in uploads])

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> ClusteredRows:
        split = [self._split(upload) for upload in uploads]
        starts = accumulate(sizes, initial=0)
        rows: list[Rows[SharedNumbers]] = [
            [keys, numbers + start]
            for (keys, numbers, _), start in zip(split, starts, strict=False)
        ]
        n = sum(sizes)
        with party.phase("sort"):
            keys, numbers = self._sort_of(sizes).sorted_rows(party, rows)
        with party.phase("ties"):
            marked = labels(party, keys)
            scan = self.each.scan(n, inputs, ends=True)
            found = ties(party, keys, marked, way=self.each.ties, counts=scan.counts)
            tied = groups(party, found, scan)
            v = placements(party, marked, tied)
        with party.phase("rows"):
            y, v = row_order(party, numbers, [marked.y, v])
        with party.phase("clusters"):
            ends = concatenate(flags for *_, flags in split)
            sums = cluster_sums(party, y, v, ends, few_hops=self._few_hops(n))
        return ClusteredRows(Ranked(marked, tied), sums, ends.sum())

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        each = self.each
        return each.sort.chosen(sizes, each.conditions, columns=1, narrow=each.narrow)

    def _few_hops(self, n: int) -> bool:
        few, many = (
            self.each.conditions.nanoseconds(cluster_sums_cost(n, few_hops=few), SCANNING)
            for few in (True, False)
        )
        return few < many

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledClusters:
        keys, clusters, before = [np.empty(0, np.uint64)], [np.empty(0, np.int64)], 0
        for upload in uploads:
            own, numbers, ends = upload.reshape(WORDS, -1)
            placed = np.empty_like(own)
            placed[numbers.astype(np.intp)] = own
            places = np.cumsum(ends) - ends
            keys.append(placed)
            clusters.append(before + places.astype(np.int64))
            before += int(ends.sum())
        rows, one = np.concatenate(keys), np.uint64(1)
        return PooledClusters(
            Pooled.of([rows]), (rows & one) == 1, rows >> one, np.concatenate(clusters)
        )

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = "") -> Any:
        return data.first if of is SortedList else data

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        n, sort, narrow = sum(sizes), self._sort_of(sizes), self.each.narrow
        sorting = sort.cost(sizes, columns=1, narrow=narrow)
        placed = (
            labels_cost(n)
            + self.each.groups_cost(n, self.each.scan(n, inputs, ends=True))
            + placements_cost(n)
        )
        back = row_order.cost(columns=2, narrow=int(narrow)).of(n)
        # a hop less where P1 is behind, as for pairs
        less = (sorting.hops + placed.hops) % 2 == 1
        exact = sort.cost_is_exact and self.each.ties == "compare"
        return (
            PhaseEstimate("sort", sorting, sort.cost_is_exact),
            PhaseEstimate("ties", placed),
            PhaseEstimate("rows", Cost(back.hops - less, back.payload), exact),
            PhaseEstimate("clusters", cluster_sums_cost(n, few_hops=self._few_hops(n))),
        )

    def proxies_learn(self) -> tuple[str, ...]:
        return self.each.proxies_learn()

    def can_be_turned(self) -> tuple[str, ...]:
        return (ROWS_TURNED, *self.each.can_be_turned())

    def onlookers_learn(self) -> tuple[str, ...]:
        return self.each.onlookers_learn()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        # ties are found whatever statistics ask for
        return self.each.helper_learns(samples, self.inputs)

    def helper_sees(self) -> tuple[str, ...]:
        return self.each.helper_sees()

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name
