"""The pipeline of the sorted list: check the lists, merge them, find the ties, scan the groups.

[ppAURORA, section 4]. The sort, the ties and the scan run once, however many statistics ask.

`NegativesFirst` has the negatives first among tied scores [Thesis, 5.4]: what is differentially
private must not overestimate a curve, and so its ties are broken against the classifier. The owners
do it: they share

    key = 2·code(score) + (1 - label)

so that the sort moves one word as ever, and everything behind it is that of the sorted list with
the classes exchanged: its y is 1 for a negative, its TP counts negatives, its P is their number.
Nobody learns more than there. Exact statistics of the same lists are refused beside private ones,
so the options alone say which of the two keys an owner shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, SharedNumbers, narrowed
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.outsourcing import UploadForm, descending
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_cost,
    check_lists,
    positive_labels,
    positive_labels_cost,
)
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate, Pipeline
from ppaurora.protocols.ranking.ranked import Pooled, Ranked, Scan, groups, groups_cost
from ppaurora.protocols.ranking.ties import helper_learns, labels, labels_cost, ties, ties_cost
from ppaurora.protocols.sorting import SORTS, Sort
from ppaurora.protocols.sorting.sort import SCANNING, USUAL, Conditions


class Input(StrEnum):
    """The inputs that a statistic may ask for beside the labels of the sorted list."""

    TIES = "ties"
    """The tie flags con and the TP at each boundary, V, in words; and P·N."""
    GROUPS = "groups"
    """The groups of tied scores: TP at the last boundary up to each place, U; before it, B; P·N."""
    NEXT = "next"
    """With the groups: TP at the first boundary after each place, E and E_0."""
    POSITIONS = "positions"
    """With the groups: the place of the last boundary up to each place, J."""


NARROW = 1 << 31
"""Keys below this bound differ by less than 2^31, so that 32 bits tell which one is larger."""
TIES_TURNED = (
    "the helper counts ties, and one that deals wrong numbers can have it count others, with every "
    "session that it then breaks off"
)


@dataclass(frozen=True, slots=True)
class SortedList(Pipeline[Ranked, Pooled]):
    """One sorted list of all owners' keys; `ties` is the way in which tied scores are found."""

    name: ClassVar[str] = "sorted list"
    inputs: ClassVar[Inputs] = frozenset(Input)
    sort: Sort
    ties: str
    largest_key: int
    conditions: Conditions = USUAL

    @classmethod
    def of(cls, choices: Choices) -> SortedList:
        sort = SORTS[choices.sort].of(choices.delta)
        return cls(sort, choices.ties, choices.scale.largest_key, choices.conditions)

    @property
    def narrow(self) -> bool:
        """True if the keys are checked, sorted and compared mod 2^32, in half the bytes."""
        return self.largest_key < NARROW and self.sort.narrows and self.ties == "compare"

    def keys(self, upload: Shared) -> SharedNumbers:
        """The keys of an upload in the ring in which they are checked and sorted; no message."""
        return narrowed(upload) if self.narrow else upload

    @property
    def sound(self) -> str:
        return "sorted and in range"

    def upload(self, keys: Sequence[Words]) -> Words:
        return descending(keys[0])

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_keys(samples, narrow=self.narrow)

    def places(self, samples: int) -> int:
        return samples

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        return check_lists(party, [*map(self.keys, uploads)], largest_key=self.largest_key)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_cost(sizes, narrow=self.narrow)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return positive_labels(party, uploads)

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Ranked:
        sort = self._sort_of(sizes)
        with party.phase("sort"):
            keys = sort.sorted(party, [*map(self.keys, uploads)])
        with party.phase("ties"):
            return self.ranked(party, keys, inputs=inputs)

    def ranked(self, party: Party, keys: SharedNumbers, *, inputs: Inputs) -> Ranked:
        """Labels and groups of ties of keys in order."""
        marked = labels(party, keys)
        if not inputs:
            return Ranked(marked)
        if inputs == {Input.TIES}:
            return Ranked(marked, boundaries=ties(party, keys, marked, way=self.ties))
        scan = self.scan(len(keys), inputs)
        found = ties(party, keys, marked, way=self.ties, counts=scan.counts)
        return Ranked(marked, groups(party, found, scan))

    def ranked_cost(self, n: int, *, inputs: Inputs) -> Cost:
        """The cost of `ranked` for n keys."""
        if not inputs:
            return labels_cost(n)
        if inputs == {Input.TIES}:
            return labels_cost(n) + ties_cost(n, way=self.ties, narrow=self.narrow)
        return labels_cost(n) + self.groups_cost(n, self.scan(n, inputs))

    def groups_cost(self, n: int, scan: Scan) -> Cost:
        """The cost of the ties and the scan of n keys."""
        found = ties_cost(n, way=self.ties, narrow=self.narrow, counts=scan.counts)
        return found + groups_cost(n, scan)

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> Pooled:
        return Pooled.of(uploads)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        sort = self._sort_of(sizes)
        return (
            PhaseEstimate("sort", sort.cost(sizes, narrow=self.narrow), sort.cost_is_exact),
            PhaseEstimate("ties", self.ranked_cost(sum(sizes), inputs=inputs)),
        )

    def proxies_learn(self) -> tuple[str, ...]:
        return self.sort.proxies_learn()

    def can_be_turned(self) -> tuple[str, ...]:
        of_ties = () if self.ties == "compare" else (TIES_TURNED,)
        return (*self.sort.can_be_turned(), *of_ties)

    def onlookers_learn(self) -> tuple[str, ...]:
        return self.sort.onlookers_learn()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        of_ties = helper_learns(samples, way=self.ties) if inputs else ()
        return (*self.sort.helper_learns(), *of_ties)

    def helper_only_deals(self) -> bool:
        return self.sort.helper_only_deals and self.ties == "compare"

    def helper_sees(self) -> tuple[str, ...]:
        return self.sort.helper_sees()

    def merge(self, sizes: Sequence[int]) -> str:
        return self._sort_of(sizes).name

    def _sort_of(self, sizes: Sequence[int]) -> Sort:
        return self.sort.chosen(sizes, self.conditions, narrow=self.narrow)

    def scan(self, n: int, inputs: Inputs, *, ends: bool = False) -> Scan:
        """The columns that these inputs ask of the scan of n samples, and the faster scan.

        In few hops over long round trips, with few bytes over short ones.
        """
        many = Scan(
            boundaries=Input.TIES in inputs,
            positions=Input.POSITIONS in inputs,
            both_ways=Input.NEXT in inputs,
            ends=ends,
        )
        few = replace(many, few_hops=True)
        return min(
            (many, few),
            key=lambda scan: self.conditions.nanoseconds(self.groups_cost(n, scan), SCANNING),
        )


LABEL = 1


@dataclass(frozen=True, slots=True)
class NegativesFirst(SortedList):
    """One sorted list of all owners' keys with exchanged classes; in the clear as it is."""

    name: ClassVar[str] = "sorted list with negatives first"

    def upload(self, keys: Sequence[Words]) -> Words:
        return descending(keys[0] ^ np.uint64(LABEL))

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        # their lowest bits are those of the negatives
        return np.array(sizes, np.uint64) - positive_labels(party, uploads)

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> Pooled:
        return Pooled.of([keys ^ np.uint64(LABEL) for keys in uploads])
