"""A public table of wide numbers, read at a secret place: two hops.

The numbers are cut into limbs, a table for each; one `lookup` reads all of them, and what it finds
is widened and put together. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import lookup, widen
from ppaurora.mpc.primitives.digit_steps import LARGEST_TABLE
from ppaurora.mpc.primitives.lookup import address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

LIMB_BITS = 32


@dataclass(frozen=True, slots=True)
class WideTable:
    """The shape of a table: how many numbers, each from 0 to below 2^bits."""

    entries: int
    bits: int

    @property
    def fits(self) -> bool:
        """True if a lookup table may have so many entries."""
        return self.entries <= LARGEST_TABLE

    @property
    def limbs(self) -> int:
        return -(-self.bits // LIMB_BITS)

    def read(self, party: Party, place: Shared, numbers: Callable[[], Sequence[int]]) -> WideShared:
        """The number at the shared place, a vector of one; the helper makes no table."""
        shape = (self.limbs, self.entries)
        tables = self._tables(numbers()) if place.present else np.zeros(shape, np.uint64)
        found = widen(party, concatenate(lookup(party, place, list(tables))))
        total = WideShared.zeros(party.role, 1)
        for limb in reversed(range(self.limbs)):
            total = total * (1 << LIMB_BITS) + found[limb : limb + 1]
        return total

    def _tables(self, numbers: Sequence[int]) -> Words:
        """One row for each limb, the lowest first."""
        size = self.limbs * LIMB_BITS // 8
        packed = b"".join(number.to_bytes(size, "little") for number in numbers)
        words = np.frombuffer(packed, "<u4").reshape(self.entries, self.limbs)
        return np.ascontiguousarray(words.T.astype(np.uint64))

    def cost(self) -> Cost:
        """The cost of `read`."""
        read = lookup.cost(bits=address_bits(self.entries)).of(1)
        return read + widen.cost().of(self.limbs)
