"""The contract of the AUROC's confidence limits on one scale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.curve import Curve
from ppaurora.protocols.ranking.placements import Placed

GUARD_DIGITS = 8
"""How many decimals further than released a limit is sure to be computed."""


@dataclass(frozen=True, slots=True)
class AreaLimits(ABC):
    """AUROC and limits by DeLong's variance; a normal variable exceeds their z with `tail`."""

    tail: Fraction

    @abstractmethod
    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        """AUROC, lower and upper limit to so many decimals, `undefined` for too few samples."""

    @abstractmethod
    def cost(self, n: int, decimals: int) -> Spent:
        """The cost of `private` for n samples."""

    @abstractmethod
    def in_clear(self, found: Placed) -> Sequence[Fraction]:
        """The lower and the upper limit, to 40 decimals or more."""

    @abstractmethod
    def holds(self, n: int, decimals: int) -> bool:
        """Whether n samples can be computed to so many decimals; monotone in n."""
