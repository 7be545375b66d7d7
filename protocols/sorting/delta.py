"""The paper's δ-parametric merge of two sorted lists [ppAURORA, section 4, Lemma 5].

With L1 the longer list, until L1 is empty:

    shuffle  compare the lists elementwise; the larger goes to L1, the smaller to L2 (CMP and MUX,
             here one compare-exchange). Both lists stay sorted, and the top of L1 is the largest.
    move     the top of L1 to the merged list; then, δ - 1 times, compare the two tops, open the
             result, and move the larger one.
    switch   the lists, if L2 has become the longer one.

Lemma 5's rules: a δ above the length of L2 is lowered to the largest odd number that is not; once
L2 has one element left, δ stays 1. All merges of a tree level run in lockstep, batched.

Leak [ppAURORA, erratum 4]: δ = 1 opens nothing and its trace follows from the lengths. For δ > 1
the proxies see each comparison of tops, so how the shuffled lists interleave; and P0 tells the
helper how many elements each batch has, which follows from it.

Cost for δ = 1: L1·L2 compare-exchanges of 86 bytes, and 24 more for each column beside the key, 4
hops an element. A larger δ shuffles at every δ-th element only, and compares tops at the others:
about half a kB a merge, and 5 hops, one of them for the helper to be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import negative_parts, open_negative, tell_helper
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.sorting.delta_cost import shuffles_cost
from ppaurora.protocols.sorting.sort import Rows, Sort
from ppaurora.protocols.sorting.tree import Merge, merge_tree


@dataclass(slots=True)
class Run:
    """What is left of a sorted list: the rows from start to stop, or their places on the helper.

    `words` has a row for each column, the keys first.
    """

    words: Words | None
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def front(self, count: int) -> Words:
        """The first `count` places of all columns, as a view."""
        assert self.words is not None
        return self.words[:, self.start : self.start + count]


class Merging:
    """One merge under way. It knows lengths and rules; on the proxies it moves words as well."""

    def __init__(self, merge: Merge, source: Words | None, target: Words | None, δ: int) -> None:
        middle = merge.start + merge.a
        self.L1 = Run(source, merge.start, middle)
        self.L2 = Run(source, middle, merge.stop)
        self.merged = merge.start
        self.target = target
        self.δ = δ
        self.to_move = 0

    @property
    def done(self) -> bool:
        return len(self.L1) == 0

    @property
    def shuffles(self) -> bool:
        """Whether the next thing to do is a shuffle."""
        return self.to_move == 0

    @property
    def overlap(self) -> int:
        """How many pairs a shuffle compares."""
        return min(len(self.L1), len(self.L2))

    def begin(self) -> None:
        """The rules before a shuffle: the longer list is L1, δ is odd and at most |L2|."""
        if len(self.L2) > len(self.L1):
            self.L1, self.L2 = self.L2, self.L1
        self.δ = min(self.δ, largest_odd(len(self.L2)))
        self.to_move = self.δ

    def move(self, run: Run) -> None:
        """The top of a list becomes the next of the merged one."""
        if self.target is not None:
            assert run.words is not None
            self.target[:, self.merged] = run.words[:, run.start]
        run.start += 1
        self.merged += 1
        self.to_move -= 1
        if run is self.L2 and len(run) == 1:
            self.to_move = 0
        if self.done:
            self._append_rest()

    def _append_rest(self) -> None:
        """L1 is empty: what is left of L2 is already sorted, and smaller than all before."""
        count = len(self.L2)
        if self.target is not None:
            self.target[:, self.merged : self.merged + count] = self.L2.front(count)
        self.merged += count


def largest_odd(length: int) -> int:
    """The largest odd number up to a positive length."""
    return length - 1 + length % 2


@dataclass(frozen=True, slots=True)
class DeltaSort(Sort):
    """The paper's merge; δ is odd, and an even one could shuffle without effect."""

    name: ClassVar[str] = "delta"
    title: ClassVar[str] = "the paper's merge: opens comparisons where delta is more than 1"
    δ: int = 1

    @classmethod
    def of(cls, delta: int) -> DeltaSort:
        if delta < 1 or delta % 2 == 0:
            raise OptionRefused(
                "delta",
                "must be an odd whole number, 1 or more",
                advice="An even delta can shuffle without effect [ppAURORA, section 4].",
            )
        return cls(delta)

    def sorted_rows(self, party: Party, lists: Sequence[Rows]) -> list[Shared]:
        tree = merge_tree([len(keys) for keys, *_ in lists])
        if not tree.order:
            return list(lists[0])
        rows = [concatenate(column) for column in zip(*(lists[k] for k in tree.order), strict=True)]
        source = None if party.is_helper else np.stack([column.words for column in rows])
        for level in tree.levels:
            if party.is_helper and self.δ > 1:
                _follow(party, len(rows))
                continue
            target = None if source is None else source.copy()
            merges = [Merging(merge, source, target, self.δ) for merge in level]
            _merge_level(party, merges, len(rows), told=self.δ > 1)
            source = target
        return rows if source is None else [Shared.from_words(party.role, each) for each in source]

    @property
    def cost_is_exact(self) -> bool:
        return self.δ == 1

    def cost(self, sizes: Sequence[int], *, columns: int = 0) -> Cost:
        """Exact for δ = 1, which opens nothing; a larger δ shuffles at every δ-th element only."""
        levels = merge_tree(sizes).levels
        spent = sum((shuffles_cost(level, columns) for level in levels), Cost())
        return Cost(spent.hops // self.δ, spent.payload // self.δ)

    def proxies_learn(self) -> tuple[str, ...]:
        if self.δ == 1:
            return ()
        return (
            f"in each merge, after every shuffle up to {self.δ - 1} comparisons of the two "
            "lists' tops: how the shuffled lists interleave",
        )

    def can_be_turned(self) -> tuple[str, ...]:
        if self.δ == 1:
            return ()
        return (
            "comparisons of the lists' tops are opened, and a proxy that adds to keys can learn by "
            "them how far apart they are",
        )

    def onlookers_learn(self) -> tuple[str, ...]:
        if self.δ == 1:
            return ()
        return (
            "how many bytes and hops each merge takes, and how long, which depends on how the "
            "shuffled lists interleave",
        )

    def helper_learns(self) -> tuple[str, ...]:
        if self.δ == 1:
            return ()
        return (
            "how many elements are compared in each step of a merge, which depends on how the "
            "shuffled lists interleave",
        )


def _merge_level(party: Party, active: list[Merging], columns: int, *, told: bool) -> None:
    """Shuffle the merges that begin a cycle, then let those within one choose a top, until done."""
    while active:
        shuffling = [one for one in active if one.shuffles]
        for one in shuffling:
            one.begin()
        selecting = [one for one in active if one.to_move > 1 or one not in shuffling]
        if told:
            _tell(party, sum(one.overlap for one in shuffling), len(selecting))
        if shuffling:
            shuffle_lists(party, shuffling, columns)
        if selecting:
            select_tops(party, selecting)
        active = [one for one in active if not one.done]
    if told:
        _tell(party, 0, 0)


def shuffle_lists(party: Party, merges: Sequence[Merging], columns: int) -> None:
    """Shuffle each L1 with its L2 and move the top of L1. 4 hops."""
    if party.is_helper:
        _deal_shuffle(party, sum(one.overlap for one in merges), columns)
    else:
        fronts = [(one.L1.front(one.overlap), one.L2.front(one.overlap)) for one in merges]
        x = np.concatenate([first - second for first, second in fronts], axis=1)
        key, *others = (Shared.from_words(party.role, column) for column in x)
        moved = np.stack([part.words for part in negative_parts(party, key, others)])
        start = 0
        for first, second in fronts:
            t = moved[:, start : start + first.shape[1]]
            first -= t
            second += t
            start += first.shape[1]
    for one in merges:
        one.move(one.L1)


def select_tops(party: Party, merges: Sequence[Merging]) -> None:
    """Compare the tops of each L1 and L2, open the results, move the larger. 4 hops.

    The helper, who deals for as many comparisons as it was told, follows elsewhere.
    """
    tops = [one.L1.front(1)[0] - one.L2.front(1)[0] for one in merges]
    opened = open_negative(party, Shared.from_words(party.role, np.concatenate(tops)))
    assert opened is not None
    for one, bit in zip(merges, opened.tolist(), strict=True):
        one.move(one.L2 if bit else one.L1)


def _tell(party: Party, pairs: int, tops: int) -> None:
    """Let the helper know how many elements the next two batches have."""
    tell_helper(party, np.array([pairs, tops], np.uint64), 2)


def _deal_shuffle(party: Party, pairs: int, columns: int) -> None:
    """The helper's part of a shuffle."""
    key, *others = [Shared.absent(pairs)] * columns
    negative_parts(party, key, others)


def _follow(party: Party, columns: int) -> None:
    """The helper's part for δ > 1: it deals batches of the sizes that it is told."""
    while True:
        pairs, tops = tell_helper(party, None, 2).tolist()
        if pairs:
            _deal_shuffle(party, pairs, columns)
        if tops:
            open_negative(party, Shared.absent(tops))
        if not pairs and not tops:
            return
