"""What statistics of the ROC curve need, whether it comes of a sorted list or of a histogram."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.pieces import Pieces

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
