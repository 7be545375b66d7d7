"""A public table read at a secret place: one hop, 8·2^k + 16 bytes a place, for several tables.

The helper deals a vector u of 2^k words that is one at r and zero elsewhere, r = r0 + r1 from the
streams, and c = x + r mod 2^k is opened. Then T[x] is the inner product of u with the table
backwards, turned by c:

    T[x] = Σ_j u[j]·T[(c - j) mod 2^k].

The proxies see uniformly random words only; what is dealt goes by bounded pieces, however many
places are read.

Whoever deviates: c is masked by r0 and by r1, the dealt vector by the other's stream. A wrong c
reads another place, and the share of the value is as random as it was; c is taken mod 2^k, so that
no place lies beyond the table and nothing ends because of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import put_together
from ppaurora.mpc.primitives.digit_steps import LARGEST_TABLE
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import BLOCK, Words, blocks, to_words


def address_bits(entries: int) -> int:
    """k, the bits of a place among so many entries."""
    return max(1, (entries - 1).bit_length())


def lookup_cost(*, bits: int) -> CostFunction:
    return CostFunction.fixed(1, lambda n: (8 * (1 << bits) + 16) * n)


@costs(lookup_cost)
def lookup(party: Party, x: Shared, tables: Sequence[ArrayLike]) -> list[Shared]:
    """T[x] for each table T, for 0 <= x < the tables' common length; nobody learns anything.

    Tables hold integers of any sign, taken mod 2^64. A length that is no power of two is filled up
    with zeros.
    """
    lengths = {np.size(table) for table in tables}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"tables of {sorted(lengths)} entries are not of one length")
    [entries] = lengths
    if entries > LARGEST_TABLE:
        raise BoundExceeded(
            f"a table of {entries} entries is more than {LARGEST_TABLE}, the most that a lookup "
            "holds"
        )
    if len(x) == 0:
        return [x] * len(tables)
    size = 1 << address_bits(entries)
    backwards = [_backwards(to_words(table), size) for table in tables] if x.present else []
    program = partial(_lookup, party, size=size, backwards=backwards)
    parts = party.lockstep(
        program(part.stop - part.start, x.words[part] if x.present else None)
        for part in blocks(len(x), max(1, BLOCK // size))
    )
    return put_together(party, len(x), parts, outputs=len(tables))


def _backwards(table: Words, size: int) -> Words:
    """The table's entries from the last to the first, twice over, for windows at every turn."""
    twice = np.zeros((2, size), np.uint64)
    twice[:, size - table.size :] = table[::-1]
    return twice.reshape(-1)


def _lookup(
    party: Party, length: int, x: Words | None, *, size: int, backwards: Sequence[Words]
) -> Program[Sequence[Words] | None]:
    place = np.uint64(size - 1)
    if x is None:
        _deal(party, length, size)
        yield from in_step(1)
        return None
    [mine] = party.masks((1, length))
    mine += x
    mine &= place
    [c] = (mine + (yield mine)) & place
    [u] = party.dealt((length, size))
    # the window that begins at 2^k - 1 - c holds T[c], T[c - 1], ...
    first = np.int64(size - 1) - c.astype(np.int64)
    return [_inner_products(table, first, u) for table in backwards]


def _deal(party: Party, length: int, size: int) -> None:
    """The helper's part: a one-hot vector of each mask."""
    [(of_p0, of_p1)] = party.both_masks((1, length))
    [r] = (of_p0 + of_p1) & np.uint64(size - 1)
    one_hot = np.zeros((length, size), np.uint64)
    one_hot[np.arange(length), r] = 1
    party.deal(add=[one_hot])


def _inner_products(twice: Words, first: NDArray[np.int64], u: Words) -> Words:
    """For each row of u, its inner product with the window of `twice` that begins at `first`."""
    total = np.zeros(len(u), np.uint64)
    for part in blocks(u.shape[1]):
        windows = np.lib.stride_tricks.sliding_window_view(twice, part.stop - part.start)
        total += np.einsum("ij,ij->i", windows[first + part.start], u[:, part])
    return total
