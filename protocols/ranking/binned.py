"""The histogram as the statistics see it, on shares and in the clear: the highest bin first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ppaurora.mpc.shares import Shared


@dataclass(frozen=True, slots=True)
class Binned:
    """The positives and the negatives of each bin; `n`, how many samples there are, is public.

    `places` are the study's cut points, as the bins above each, and `survived` is 1 for those at
    which something may be released.
    """

    positives: Shared
    negatives: Shared
    n: int
    places: tuple[int, ...]
    survived: Shared

    @property
    def bins(self) -> int:
        return len(self.positives)

    @property
    def P(self) -> Shared:
        return self.positives.sum()

    @property
    def N(self) -> Shared:
        return self.n - self.P

    @property
    def TP(self) -> Shared:
        """The positives up to the end of each bin."""
        return self.positives.cumsum()

    @property
    def FP(self) -> Shared:
        """The negatives up to the end of each bin."""
        return self.negatives.cumsum()

    def above(self, places: Sequence[int]) -> AtCuts:
        """What stands above cut points of the study."""
        ends = np.array(places) - 1
        return AtCuts(
            self.TP[ends],
            self.FP[ends],
            self.P.repeat(ends.size),
            self.N.repeat(ends.size),
            self.survived[np.array([self.places.index(place) for place in places])],
        )


@dataclass(frozen=True, slots=True)
class AtCuts:
    """At each cut point: the positives and negatives above it, all, and whether it survived."""

    TP: Shared
    FP: Shared
    P: Shared
    N: Shared
    survived: Shared

    @property
    def FN(self) -> Shared:
        return self.P - self.TP

    @property
    def TN(self) -> Shared:
        return self.N - self.FP


@dataclass(frozen=True, slots=True, repr=False)
class PooledBins:
    """The same in the clear, for simulations and tests: one process holds all data there."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    survived: frozenset[int] = field(default_factory=frozenset)

    @property
    def P(self) -> int:
        return sum(self.positives)

    @property
    def N(self) -> int:
        return sum(self.negatives)

    @property
    def n(self) -> int:
        return self.P + self.N

    def above(self, place: int) -> Confusion | None:
        """The four counts at a cut point; None where it was merged away."""
        if place not in self.survived:
            return None
        tp, fp = sum(self.positives[:place]), sum(self.negatives[:place])
        return Confusion(tp, fp, self.P - tp, self.N - fp)


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many samples of each class are called positive and negative."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn
