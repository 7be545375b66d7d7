"""What the shuffles of a δ-parametric merge cost, from the lengths alone, in a closed form.

A merge of m and s ≤ m elements with δ = 1 takes n - 1 shuffles, n = m + s, of

    min(s, (n - k) // 2) pairs for k = 0, ..., n - 2:

one list gets shorter until both are alike, and then they take turns. A level merges in lockstep, so
its k-th shuffle has the sum of these over all its merges. Between two places where one of them
begins to get shorter, or ends, every second sum is less by as many as are getting shorter. So what
is added up is the cost of an arithmetic progression of pairs; and since vectors are worked on block
by block, what a progression takes repeats itself after at most a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.primitives import negative_parts
from ppaurora.mpc.words import BLOCK
from ppaurora.protocols.sorting.tree import Merge

__all__ = ["shuffles_cost"]

EVEN = 64 * 64
"""From so many elements on, a block takes the same for every 64 more: all its rows are in use."""


def shuffles_cost(level: Sequence[Merge], columns: int) -> Cost:
    """The cost of all shuffles of a level's merges in lockstep, with δ = 1."""
    lengths = [(one.a + one.b, min(one.a, one.b)) for one in level]
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
