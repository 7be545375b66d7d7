"""Exact division by a power of two, rounded down, by one comparison. Nobody learns anything.

With z = x + r opened and 0 <= x < 2^63,

    floor(x / 2^s) = floor(z / 2^s) - floor(r / 2^s) - [z mod 2^s < r mod 2^s] + 2^(64-s)·[z < r],

where [z < r] says that the sum wrapped. Since x < 2^63, it did if and only if r has its top bit set
and z has not. So one comparison of the low bits and two words dealt from r make the result exact.

Whoever deviates: z is masked by r0 and r1, which are read once, and the rest is a comparison of low
bits; what is received is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.kernels import OpenedBits
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.primitives.compare import bit_share, comparison_cost
from ppaurora.mpc.primitives.comparison import (
    Comparison,
    Tail,
    best_tree,
    masked_comparison,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import WORD_BYTES, Column, Words

_TOP = np.uint64(63)


@cache
def _comparison_and_tail(bits: int) -> tuple[Comparison, Tail[Words]]:
    """[z mod 2^bits < r mod 2^bits], and what makes the quotient of it."""
    shift, wrap = np.uint64(bits), np.uint64(64 - bits)

    def deal(borrow: Column, r: Sequence[Column]) -> list[Column]:
        return [borrow, r[0] >> shift, r[0] >> _TOP]

    def combine(
        role: Role, e: OpenedBits, z: Sequence[Column], dealt: Sequence[Column]
    ) -> list[Words]:
        borrow, high, top = dealt
        wrapped = (np.uint64(1) - (z[0] >> _TOP)) * top
        share = (wrapped << wrap) - high - bit_share(role, e.numbers(), borrow)
        if role is Role.P0:
            share += z[0] >> shift
        return [share]

    return Comparison(best_tree(1, bits)), Tail((WORD_BYTES,), (WORD_BYTES,) * 3, deal, combine)


def _cost(*, bits: int) -> CostFunction:
    return comparison_cost(*_comparison_and_tail(bits))


@costs(_cost)
def truncate(party: Party, x: Shared, bits: int) -> Shared:
    """floor(x / 2^bits) for 0 <= x < 2^63 and 1 <= bits <= 62."""
    if not 1 <= bits <= 62:
        raise ValueError(f"truncation by {bits} bits, not 1 to 62")
    comparison, tail = _comparison_and_tail(bits)
    program = partial(masked_comparison, comparison=comparison.of(len(x)), tail=tail)
    [quotient] = over_blocks(party, program, x)
    return quotient
