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

Cost for δ = 1: L1·L2 compare-exchanges of 81 bytes, and 24 more for each column beside the key, 4
hops an element. A larger δ shuffles at every δ-th element only, and compares tops at the others:
about half a kB a merge, and 5 hops, one of them for the helper to be told.

The cost of the shuffles follows from the lengths alone, in a closed form. A merge of m and s ≤ m
elements with δ = 1 takes n - 1 shuffles, n = m + s, of

    min(s, (n - k) // 2) pairs for k = 0, ..., n - 2:

one list gets shorter until both are alike, and then they take turns. A level merges in lockstep, so
its k-th shuffle has the sum of these over all its merges. Between two places where one of them
begins to get shorter, or ends, every second sum is less by as many as are getting shorter. So what
is added up is the cost of an arithmetic progression of pairs; and since vectors are worked on block
by block, what a progression takes repeats itself after at most a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import gcd
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import negative_parts, open_negative, tell_helper
from ppaurora.mpc.shares import InRing, Shared, concatenate
from ppaurora.mpc.words import BLOCK, Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.sorting.sort import Merge, Rows, Sort, merge_tree

EVEN = 64 * 64
"""From so many elements on, a block takes the same for every 64 more: all its rows are in use."""


def shuffles_cost(level: Sequence[Merge], columns: int) -> Cost:
    """The cost of all shuffles of a level's merges in lockstep, with δ = 1."""
    lengths = [(merge.a + merge.b, min(merge.a, merge.b)) for merge in level]
    last = max(n for n, _ in lengths) - 1
    turns = {0, last}.union(*({n - 2 * s, n - 1} for n, s in lengths))
    payload = 0
    for start, stop in pairwise(sorted(turns)):
        shrinking = sum(n - 2 * s <= start < n - 1 for n, s in lengths)
        for first in range(start, min(start + 2, stop)):
            pairs = sum(min(s, (n - first) // 2) for n, s in lengths if first < n)
            payload += _payload(pairs, shrinking, len(range(first, stop, 2)), columns)
    return Cost(last * negative_parts.cost(columns=columns).hops(1), payload)


def _payload(first: int, less: int, count: int, columns: int) -> int:
    """Σ payload(first - less·t) for t < count.

    payload(q·BLOCK + r) = q·payload(BLOCK) + payload(r), and of the remainders r those of one
    period are added up.
    """
    period = BLOCK // gcd(less, BLOCK)
    whole, rest = divmod(count, period)
    r = (first % BLOCK - less * np.arange(min(count, period))) % BLOCK
    pairs = count * first - less * (count * (count - 1) // 2)
    remainders, payload = (
        whole * int(each.sum()) + int(each[:rest].sum()) for each in (r, _of_parts(columns, r))
    )
    blocks = (pairs - remainders) // BLOCK
    return blocks * negative_parts.cost(columns=columns).payload(BLOCK) + payload


def _of_parts(columns: int, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The payload for each of these lengths below a block."""
    known = _known(columns)
    more = np.maximum(lengths - EVEN, 0) // 64
    for_64_more = int(known[EVEN + 1] - known[EVEN - 63])
    return np.asarray(known[lengths - 64 * more] + for_64_more * more)


@cache
def _known(columns: int) -> NDArray[np.int64]:
    """The payload for every length that is not too long for a table."""
    payload = negative_parts.cost(columns=columns).payload
    return np.array([payload(length) for length in range(EVEN + 64)])


@dataclass(slots=True)
class Run:
    """The rest of a sorted list: the rows from start to stop, or their places on the helper.

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
    """The state of one merge: what is left of L1 and L2, how much is merged, and the next step.

    On the proxies it moves words from `source` to `target`; on the helper it counts them only.
    """

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
        """True if the next step is a shuffle."""
        return self.to_move == 0

    @property
    def overlap(self) -> int:
        """The number of pairs that a shuffle compares."""
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
    narrows: ClassVar[bool] = False
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

    def sorted_rows(self, party: Party, lists: Sequence[Rows[InRing]]) -> list[InRing]:
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
        if source is None:
            return rows
        return [row.having(each, len(row)) for row, each in zip(rows, source, strict=True)]

    @property
    def cost_is_exact(self) -> bool:
        return self.δ == 1

    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
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
        shuffling = [merge for merge in active if merge.shuffles]
        for merge in shuffling:
            merge.begin()
        selecting = [merge for merge in active if merge.to_move > 1 or merge not in shuffling]
        if told:
            _tell(party, sum(merge.overlap for merge in shuffling), len(selecting))
        if shuffling:
            shuffle_lists(party, shuffling, columns)
        if selecting:
            select_tops(party, selecting)
        active = [merge for merge in active if not merge.done]
    if told:
        _tell(party, 0, 0)


def shuffle_lists(party: Party, merges: Sequence[Merging], columns: int) -> None:
    """Shuffle each L1 with its L2 and move the top of L1. 4 hops."""
    if party.is_helper:
        _deal_shuffle(party, sum(merge.overlap for merge in merges), columns)
    else:
        fronts = [
            (merge.L1.front(merge.overlap), merge.L2.front(merge.overlap)) for merge in merges
        ]
        x = np.concatenate([first - second for first, second in fronts], axis=1)
        key, *others = (Shared.from_words(party.role, column) for column in x)
        moved = np.stack([part.words for part in negative_parts(party, key, others)])
        start = 0
        for first, second in fronts:
            t = moved[:, start : start + first.shape[1]]
            first -= t
            second += t
            start += first.shape[1]
    for merge in merges:
        merge.move(merge.L1)


def select_tops(party: Party, merges: Sequence[Merging]) -> None:
    """Compare the tops of each L1 and L2, open the results, move the larger. 4 hops.

    The helper, who deals for as many comparisons as it was told, follows elsewhere.
    """
    tops = [merge.L1.front(1)[0] - merge.L2.front(1)[0] for merge in merges]
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
