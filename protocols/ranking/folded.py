"""The sorted lists of all folds as the statistics see them, on shares and in the clear."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked


@dataclass(frozen=True, slots=True)
class Folded:
    """One sorted list for each fold that has samples, and how many folds there are in all."""

    folds: int
    filled: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True)
class PooledFolds:
    """One pooled list for each fold."""

    folds: tuple[Pooled, ...]

    @property
    def n(self) -> int:
        return sum(one.n for one in self.folds)
