"""The public part of a sort by opened comparisons: which pairs meet, and what the outcomes say.

n elements that no party can tell apart are sorted in R rounds, each of comparisons that do not wait
for each other. What is known of the order is a row of buckets, each entirely below the next. In a
round with r rounds left, the first k = 1.15·m^(1/r) elements of a bucket of m are its pivots, and
every element meets all of them; in the last round all pairs of a bucket meet. The pivots and what
lies between them are the new buckets. With r rounds a bucket of m takes about c·m^(1 + 1/r)
comparisons, and k is within a few percent of the best choice. The first round takes three fifths of
it, for a few percent more comparisons in all: what is dealt for it travels over new connections.

The elements come in a uniformly random order, so that a bucket's first ones are a random choice.
Nothing but outcomes steers what meets next. k is found by whole numbers, which are the same on
every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = "NDArray[np.int64]"
ALL_PAIRS = 3
"""The largest bucket in which all pairs meet at once in any round."""


def pivots(sizes: Indices, rounds: int) -> Indices:
    """The number of pivots of buckets of these sizes when so many rounds are left.

    >>> pivots(np.array([2, 8, 64, 1000]), 3).tolist()
    [2, 2, 5, 12]
    """
    if rounds == 1:
        return sizes
    steps = _step_array(rounds, int(sizes.max(initial=1)))
    k = np.searchsorted(steps, sizes, side="right").clip(1, None)
    return np.where(sizes <= ALL_PAIRS, sizes, np.minimum(k, sizes))


@cache
def _steps(rounds: int, largest: int) -> tuple[int, ...]:
    """The least sizes that have 1, 2, 3, ... pivots: 1.15·m^(1/r) rounds to k from
    m = ((k - 1/2)/1.15)^r = ((20·k - 10)/23)^r on."""
    steps: list[int] = []
    while not steps or steps[-1] <= largest:
        k = len(steps) + 1
        steps.append(-(-((20 * k - 10) ** rounds) // 23**rounds))
    return tuple(steps)


@cache
def _step_array(rounds: int, largest: int) -> Indices:
    return np.array(_steps(rounds, largest), np.int64)


def first_pivots(n: int, rounds: int) -> int:
    """The number of pivots in the first of so many rounds, in the one bucket of n elements.

    >>> first_pivots(8000, 6), first_pivots(64, 6), first_pivots(64, 1)
    (3, 2, 64)
    """
    if rounds == 1 or n <= ALL_PAIRS:
        return n
    k = min(n, max(1, bisect_right(_steps(rounds, n), n)))
    return min(k, max(3, 3 * k // 5))


def first_meetings(n: int, rounds: int) -> int:
    """The number of pairs of n elements compared in the first of so many rounds."""
    k = first_pivots(n, rounds)
    return n * k - k * (k + 1) // 2


@dataclass(slots=True)
class Round:
    """The elements of a round whose buckets have more than one, side by side, and who meets whom.

    `places` are theirs in the order, and of each element `bucket` is the number of its bucket,
    `is_pivot` and `met` say whether it is a pivot and how many pivots it meets. Its meetings stand
    side by side, too; `pivot` names the pivot of each by its place among these elements.
    """

    places: Indices
    bucket: Indices
    is_pivot: NDArray[np.bool_]
    met: Indices
    pivot: Indices


class OpenedOrder:
    """The partial order by the comparisons opened so far.

    `order` lists the numbers of n elements bucket by bucket; elements of one bucket have not been
    told apart yet.
    """

    def __init__(self, n: int) -> None:
        self.order: Indices = np.arange(n)
        self._starts: Indices = np.zeros(min(n, 1), np.int64)
        self._sizes: Indices = np.full(min(n, 1), n, np.int64)
        self._round: Round | None = None
        self._begun = False

    def pairs(self, rounds: int) -> tuple[Indices, Indices]:
        """The pairs (i, j) that meet next, when so many rounds are left."""
        live = self._sizes > 1
        starts, sizes = self._starts[live], self._sizes[live]
        if self._begun:
            k = pivots(sizes, rounds)
        else:
            k = np.full(sizes.size, first_pivots(self.order.size, rounds))
            self._begun = True
        ends = np.cumsum(sizes)
        first = np.repeat(ends - sizes, sizes)
        offset = np.arange(first.size) - first
        of_bucket = np.repeat(k, sizes)
        # the element at offset o meets the pivots at 0 .. min(k, o) - 1
        met = np.minimum(of_bucket, offset)
        begins = np.cumsum(met) - met
        pivot = np.arange(int(met.sum())) - np.repeat(begins - first, met)
        places = np.repeat(starts, sizes) + offset
        bucket = np.repeat(np.arange(sizes.size), sizes)
        self._round = Round(places, bucket, offset < of_bucket, met, pivot)
        elements = self.order.take(places)
        return np.repeat(elements, met), elements.take(pivot)

    def learn(self, less: NDArray[np.bool_]) -> None:
        """Refine the order by the opened comparisons: is i below j, for each of the pairs."""
        assert self._round is not None
        now, self._round = self._round, None
        count = now.places.size
        # pivots below each element; of two pivots the earlier one learns from the later one, too
        above = np.concatenate([[0], np.cumsum(less)])
        ends = np.cumsum(now.met)
        below = now.met - (above[ends] - above[ends - now.met])
        both = np.flatnonzero(less & np.repeat(now.is_pivot, now.met))
        below += np.bincount(now.pivot[both], minlength=count)
        # a bucket becomes: below all pivots, the least pivot, between the two least, ...
        slot = 2 * below + now.is_pivot
        key = now.bucket * (int(slot.max(initial=0)) + 1) + slot
        rank = _stable_order(key)
        self.order[now.places] = self.order[now.places[rank]]
        begins = np.ones(count, np.bool_)
        sorted_key = key[rank]
        begins[1:] = sorted_key[1:] != sorted_key[:-1]
        cut = np.flatnonzero(begins)
        self._starts = now.places[cut]
        self._sizes = np.diff(np.append(cut, count))


def _stable_order(key: Indices) -> Indices:
    """The places of these numbers, ascending, those of equal ones as they are.

    >>> _stable_order(np.array([3, 1, 3, 0])).tolist()
    [3, 1, 0, 2]
    """
    bits = key.size.bit_length()
    if int(key.max(initial=0)) >> (63 - bits):
        return np.argsort(key, kind="stable")
    # numbers are sorted several at a time, places are not
    both = (key << bits) + np.arange(key.size)
    both.sort()
    return both & ((1 << bits) - 1)
