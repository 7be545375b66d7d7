"""The ROC curve that statistics read, made from a sorted list or from a histogram.

It consists of straight pieces, one for each group of tied scores: the counts that a place of the
list has are those at the last boundary of a group up to there, so that a place at which no group
ends adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.rows import spread


@dataclass(frozen=True, slots=True)
class Pieces:
    """From (F0, T0) to (F1, T1) at each place, with the sizes of both classes.

    F and T are the negatives and the positives up to the last boundary before the place, and up to
    the last one with it: a piece is empty, and its ends are the same, where no group ends. P and N
    have an element for each of several curves, whose pieces, equally many, stand one behind the
    other.
    """

    F0: Shared
    F1: Shared
    T0: Shared
    T1: Shared
    P: Shared
    N: Shared

    @property
    def p(self) -> Shared:
        """The positives of the group that ends at each place, 0 where none does."""
        return self.T1 - self.T0

    @property
    def q(self) -> Shared:
        """The negatives of the group that ends at each place, 0 where none does."""
        return self.F1 - self.F0

    @property
    def rows(self) -> int:
        """The number of curves."""
        return len(self.P)

    def backwards(self) -> Pieces:
        """Backwards and with the classes exchanged: F becomes P - T, and T becomes N - F."""
        all_P, all_N = (spread(one, len(self.F0) // self.rows) for one in (self.P, self.N))
        return Pieces(
            all_P - self.T1,
            all_P - self.T0,
            all_N - self.F1,
            all_N - self.F0,
            self.N,
            self.P,
        )


Steps = tuple[tuple[int, int, int, int], ...]


class Curve(Protocol):
    """The curve of `n` samples on shares, with the sizes of the classes and their product.

    `wide` says that sums over all samples may reach 2^63, so that they are taken in 256 bits.
    """

    @property
    def n(self) -> int: ...
    @property
    def P(self) -> Shared: ...
    @property
    def N(self) -> Shared: ...
    @property
    def PN(self) -> Shared: ...
    @property
    def pieces(self) -> Pieces: ...
    @property
    def wide(self) -> bool: ...


class PooledCurve(Protocol):
    """The curve in the clear: `steps` has (s, t, i, j) for each group, the highest first.

    TP and the number of samples before the group (s, i) and with it (t, j).
    """

    @property
    def n(self) -> int: ...
    @property
    def P(self) -> int: ...
    @property
    def N(self) -> int: ...
    @property
    def steps(self) -> Steps: ...


CurveData = TypeVar("CurveData", bound=Curve)
CurveClear = TypeVar("CurveClear", bound=PooledCurve)
