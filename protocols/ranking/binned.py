"""The histogram as the statistics see it, on shares and in the clear: the highest bin first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


@dataclass(frozen=True, slots=True)
class Binned:
    """The positives and the negatives of each bin; `n`, how many samples there are, is public."""

    positives: Shared
    negatives: Shared
    n: int

    @classmethod
    def of(cls, counts: Shared, n: int) -> Binned:
        """The histogram whose positives come before its negatives in `counts`."""
        bins = len(counts) // 2
        return cls(counts[:bins], counts[bins:], n)

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


@dataclass(frozen=True, slots=True, repr=False)
class PooledBins:
    """The same in the clear, for simulations and tests: one process holds all data there."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]

    @classmethod
    def of(cls, uploads: Sequence[Words], bins: int) -> PooledBins:
        """All uploads, as `ppaurora.protocols.grid.grid` makes them, together."""
        total = np.zeros(2 * bins, np.int64)
        for one in uploads:
            total += one.astype(np.int64)
        return cls(tuple(total[:bins].tolist()), tuple(total[bins:].tolist()))

    @property
    def P(self) -> int:
        return sum(self.positives)

    @property
    def N(self) -> int:
        return sum(self.negatives)

    @property
    def n(self) -> int:
        return self.P + self.N
