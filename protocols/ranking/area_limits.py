"""The contract of the AUROC's confidence limits, and what DeLong's have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.curve import Curve, PooledCurve
from ppaurora.protocols.ranking.placements import Placed, placed

GUARD_DIGITS = 8
"""How many decimals further than released a limit is sure to be computed."""


@dataclass(frozen=True, slots=True)
class AreaLimits(ABC):
    """AUROC and limits of a curve; a normal variable exceeds their z with `tail`."""

    tail: Fraction

    @abstractmethod
    def private(self, party: Party, data: Curve, decimals: int) -> Shared:
        """AUROC, lower and upper limit to so many decimals, `undefined` where there are none."""

    @abstractmethod
    def cost(self, n: int, decimals: int) -> Cost:
        """The cost of `private` for n samples."""

    @abstractmethod
    def in_clear(self, data: PooledCurve) -> Sequence[Fraction] | None:
        """AUROC, lower and upper limit, to 40 decimals or more; None where there are none."""

    @abstractmethod
    def holds(self, n: int, decimals: int) -> bool:
        """Whether n samples can be computed to so many decimals; monotone in n."""


class DelongLimits(AreaLimits):
    """Those by DeLong's variance."""

    __slots__ = ()

    def in_clear(self, data: PooledCurve) -> Sequence[Fraction] | None:
        found = placed(data)
        return None if found is None else (found.area, *self.beside(found))

    @abstractmethod
    def beside(self, found: Placed) -> Sequence[Fraction]:
        """The lower and the upper limit, to 40 decimals or more."""
