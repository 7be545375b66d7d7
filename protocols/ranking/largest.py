"""The largest number of a shared vector: a tournament, of which nobody learns the winner.

In each round the first half meets the second, and one that is left over goes on by itself. Four
hops a round, log2 n rounds, 86 bytes for each of the n - 1 comparisons.
"""

from __future__ import annotations

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import negative_part
from ppaurora.mpc.shares import Shared, concatenate


def largest(party: Party, x: Shared) -> Shared:
    """max(x), a vector of one, for n >= 1 numbers whose differences are in (-2^63, 2^63)."""
    while len(x) > 1:
        half = len(x) // 2
        a, b = x[:half], x[half : 2 * half]
        # max(a, b) = a - min(a - b, 0)
        x = concatenate([a - negative_part(party, a - b), x[2 * half :]])
    return x


def largest_cost(n: int) -> Cost:
    """The cost of `largest` for n numbers."""
    spent = Cost()
    while n > 1:
        spent += negative_part.cost().of(n // 2)
        n -= n // 2
    return spent
