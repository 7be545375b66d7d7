"""The proxies' private check that each histogram is one of as many samples as its owner stated.

For every histogram one bit is opened to the proxies, and told to the helper: whether it is fine.
What must not be negative is each count, the room above each count up to 2^31 - 1, and the sum minus
the stated number, with either sign. While all counts are below 2^31 their sum does not wrap around,
so both differences are negative or zero only if the sum is as stated. Which count is wrong, and by
how much, stays hidden.

8 hops, and one to the helper; 4·bins + 2 comparisons a histogram. Nobody learns anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.lists.check import none_negative, none_negative_cost

LARGEST_COUNT = (1 << 31) - 1


def room(counts: Shared, size: int) -> Shared:
    """What must not be negative in a histogram of `size` samples."""
    total = counts.sum()
    return concatenate([counts, LARGEST_COUNT - counts, total - size, size - total])


def check_counts(party: Party, counts: Sequence[Shared], sizes: Sequence[int]) -> list[bool]:
    """For each histogram, known to all three servers: whether its counts are sound."""
    return none_negative(party, [room(*one) for one in zip(counts, sizes, strict=True)])


def check_counts_cost(lengths: Sequence[int]) -> Spent:
    """The cost of `check_counts` for histograms of so many counts."""
    return none_negative_cost([2 * length + 2 for length in lengths])
