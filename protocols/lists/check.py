"""The proxies' private check that each outsourced list is sorted descending and in range.

For every list one bit is opened to the proxies, and told to the helper: whether the list is fine.
A word below 2^63 has no top bit; if all words of a list are, then a difference of neighbours is
exact and negative just where the list is not descending; and if the first key is at most the code's
largest, all are. So one batch of comparisons counts the violations, and what is opened is whether
their number is zero. Where, how many and by how much stays hidden.

8 hops, and one to the helper; 2n comparisons of 77 bytes. Nobody learns anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, open_zero, tell_helper
from ppaurora.mpc.shares import Shared, concatenate


def violations(keys: Shared, largest_key: int) -> Shared:
    """What must not be negative: each word, each step down, the room above the first key."""
    return concatenate([keys, keys[:-1] - keys[1:], largest_key - keys[:1]])


def sums_of_parts(x: Shared, lengths: Sequence[int]) -> Shared:
    """The sum of each of the consecutive parts of these lengths."""
    ends = pairwise(accumulate(lengths, initial=0))
    return concatenate(x[start:stop].sum() for start, stop in ends)


def none_negative(party: Party, numbers: Sequence[Shared]) -> list[bool]:
    """For each vector, known to all three servers: whether none of its numbers is negative."""
    if not numbers:
        return []
    negative = is_negative(party, concatenate(numbers))
    counts = sums_of_parts(negative, [*map(len, numbers)])
    # the helper must know which uploads the proxies go on with
    verdicts = tell_helper(party, open_zero(party, counts), len(numbers))
    return [bool(verdict) for verdict in verdicts]


def none_negative_cost(lengths: Sequence[int]) -> Spent:
    """The cost of `none_negative` for vectors of these lengths; the verdicts take a hop more."""
    told = tell_helper.cost().of(len(lengths))
    return is_negative.cost().of(sum(lengths)) + open_zero.cost().of(len(lengths)) + told


def check_lists(party: Party, lists: Sequence[Shared], *, largest_key: int) -> list[bool]:
    """For each list, known to all three servers: whether it is sorted and in range."""
    filled = [index for index, keys in enumerate(lists) if len(keys)]
    fine = [True] * len(lists)
    verdicts = none_negative(party, [violations(lists[index], largest_key) for index in filled])
    for index, verdict in zip(filled, verdicts, strict=True):
        fine[index] = verdict
    return fine


def check_cost(sizes: Sequence[int]) -> Spent:
    """The cost of `check_lists` for lists of these lengths."""
    # a list of n words has n, n - 1 and 1 signs
    return none_negative_cost([2 * size for size in sizes if size])
