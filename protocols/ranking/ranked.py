"""The sorted list that statistics are computed from, on shares and in plaintext, one or one a fold.

The plaintext lists are for simulations and tests, where one process holds all data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.ranking.curve import Pieces
from ppaurora.protocols.ranking.groups import Groups
from ppaurora.protocols.ranking.ties import Labels


@dataclass(frozen=True, slots=True)
class Ranked:
    """The labels in the order of the scores and, where a statistic needs ties, the groups.

    Where it needs the boundaries only, `boundaries` are these.
    """

    labels: Labels
    tied: Groups | None = None
    boundaries: Shared | None = None

    @property
    def n(self) -> int:
        return len(self.labels.y)

    @property
    def P(self) -> Shared:
        return self.labels.P

    @property
    def N(self) -> Shared:
        return self.labels.N

    @property
    def PN(self) -> Shared:
        return self.groups.PN

    @property
    def wide(self) -> bool:
        """No: lists for which sums reach 2^63 are refused."""
        return False

    @property
    def pieces(self) -> Pieces:
        """The pieces of the ROC curve at the boundaries, with the groups' positions."""
        groups, TP = self.groups, self.labels.TP
        F1 = np.arange(1, self.n + 1) - TP
        return Pieces(groups.con, groups.J - groups.B, F1, groups.B, TP, self.P, self.N)

    @property
    def con(self) -> Shared:
        """1 where the score differs from the next one."""
        found = self.boundaries if self.tied is None else self.tied.con
        if found is None:
            raise LocalProtocolError("a statistic uses the boundaries of ties but did not ask")
        return found

    @property
    def groups(self) -> Groups:
        if self.tied is None:
            raise LocalProtocolError("a statistic uses the groups of ties but did not ask for them")
        return self.tied


@dataclass(frozen=True, slots=True, repr=False)
class Pooled:
    """The labels, descending by score with positives first, and the counts at the groups' ends.

    `steps` has (s, t, i, j) for each group of tied scores, the highest first: TP and the number of
    samples before the group (s, i) and with it (t, j).
    """

    labels: NDArray[np.int64]
    steps: tuple[tuple[int, int, int, int], ...]

    @classmethod
    def of(cls, lists: Sequence[Words]) -> Pooled:
        """All lists of keys (see `ppaurora.protocols.lists.encoding`) together.

        >>> Pooled.of([np.array([9, 8, 4], np.uint64)]).steps
        ((0, 1, 0, 2), (1, 1, 2, 3))
        """
        keys = np.sort(np.concatenate([*lists, np.empty(0, np.uint64)]))[::-1]
        labels = (keys & np.uint64(1)).astype(np.int64)
        codes = keys >> np.uint64(1)
        last = np.ones(len(keys), np.bool_)
        last[:-1] = codes[1:] != codes[:-1]
        TP = np.cumsum(labels)[last].tolist()
        j = (np.flatnonzero(last) + 1).tolist()
        ends = [(0, 0), *zip(TP, j, strict=True)]
        return cls(labels, tuple((s, t, i, j) for (s, i), (t, j) in pairwise(ends)))

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def P(self) -> int:
        return int(self.labels.sum())

    @property
    def N(self) -> int:
        return self.n - self.P


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
        return sum(fold.n for fold in self.folds)
