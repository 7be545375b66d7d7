"""Quotients rounded down to many binary places: a long division whose digits are 64-bit words.

    q_1 = floor(4^w·N / D),    R_1 = 4^w·N - q_1·D,    q_2 = floor(4^w·R_1 / D),    ...

    N/D = q_1/4^w + q_2/4^2w + ... + q_L/4^Lw + a rest below 4^-Lw.

Each q_l is found in base 4: a step is 4 hops for two bits, and of all bases this one has the least
bytes but for base 2, which takes twice the hops. Everything stays shared, and nobody learns
anything. Where N = D = 0 the words mean nothing, but they stay below 2·4^w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, whole_quotient
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared

BASE, MOST_DIGITS = 4, 15


@dataclass(frozen=True, slots=True)
class Quotients:
    """L = `limbs` words of w = `digits` digits in base 4, for denominators of up to `bound`."""

    bound: ClassVar[int] = 1 << 31
    limbs: int
    digits: int

    @classmethod
    def to(cls, decimals: int) -> Quotients:
        """The fewest words, all of the same number of digits, that determine so many decimals.

        >>> Quotients.to(9), Quotients.to(12)
        (Quotients(limbs=1, digits=15), Quotients(limbs=2, digits=10))
        >>> (Quotients.bound * (4**15 + 1)).bit_length()
        62
        """
        # the least number of digits with 4^digits >= 10^decimals
        digits = -(-(10**decimals - 1).bit_length() // 2)
        limbs = -(-digits // MOST_DIGITS)
        return cls(limbs, -(-digits // limbs))

    @property
    def one(self) -> int:
        """4^Lw, which stands for the quotient 1."""
        value: int = BASE ** (self.limbs * self.digits)
        return value

    def rounded_down(self, party: Party, N: Shared, D: Shared) -> list[Shared]:
        """q_1, ..., q_L for 0 <= N <= D, the highest first."""
        unit, found = BASE**self.digits, list[Shared]()
        for limb in range(self.limbs):
            if limb:
                # R = 4^w·R - q·D
                N = N * unit - multiply(party, found[-1], D)
            found.append(
                whole_quotient(party, N * unit, D, digits=self.digits, base=BASE, bound=self.bound)
            )
        return found

    def joined(self, words: Sequence[WideShared]) -> WideShared:
        """4^Lw·(q_1/4^w + ... + q_L/4^Lw), also of sums of such words."""
        total, *others = words
        for word in others:
            total = total * BASE**self.digits + word
        return total

    def cost(self, n: int) -> Cost:
        """The cost of `rounded_down` for n quotients."""
        quotient = whole_quotient.cost(digits=self.digits, base=BASE, bound=self.bound).of(n)
        rest = multiply.cost().of(n)
        return Cost(
            self.limbs * quotient.hops + (self.limbs - 1) * rest.hops,
            self.limbs * quotient.payload + (self.limbs - 1) * rest.payload,
        )
