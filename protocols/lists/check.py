"""The proxies' private check that each outsourced list is sorted descending and in range.

A word below 2^63 has no top bit; if all words of a list are, then a difference of neighbours is
exact and negative if and only if the list is not descending there; and if the first key is at most
the code's largest, all are. So one batch of comparisons counts the violations of each list. Of the
count `judged` opens whether it is zero: where, how many and by how much stays hidden.

4 hops; 2n comparisons of 77 bytes. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.lists.verdicts import Findings, judging_cost


def violations(keys: Shared, largest_key: int) -> Shared:
    """What must not be negative: each word, each step down, the room above the first key."""
    return concatenate([keys, keys[:-1] - keys[1:], largest_key - keys[:1]])


def sums_of_parts(x: Shared, lengths: Sequence[int]) -> Shared:
    """The sum of each of the consecutive parts of these lengths."""
    ends = pairwise(accumulate(lengths, initial=0))
    return concatenate(x[start:stop].sum() for start, stop in ends)


def negatives(party: Party, numbers: Sequence[Shared]) -> Shared:
    """How many numbers of each vector are negative."""
    bits = is_negative(party, concatenate(numbers))
    return sums_of_parts(bits, [*map(len, numbers)])


def check_negatives(party: Party, numbers: Sequence[Shared]) -> Findings:
    """The findings on uploads of which none of these numbers must be negative."""
    return Findings([True] * len(numbers), negatives(party, numbers))


def check_negatives_cost(lengths: Sequence[int]) -> Cost:
    """The cost of `check_negatives` for vectors of these lengths, and of the verdicts."""
    return is_negative.cost().of(sum(lengths)) + judging_cost(len(lengths))


def check_lists(party: Party, lists: Sequence[Shared], *, largest_key: int) -> Findings:
    """The findings on lists that must be sorted and in range; none of them is empty."""
    return check_negatives(party, [violations(keys, largest_key) for keys in lists])


def check_cost(sizes: Sequence[int]) -> Cost:
    """The cost of `check_lists` for lists of these lengths, and of the verdicts."""
    # a list of n words has n, n - 1 and 1 signs
    return check_negatives_cost([2 * size for size in sizes if size])
