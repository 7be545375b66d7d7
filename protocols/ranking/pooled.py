"""The pooled list in the clear, for simulations and tests: one process holds all data there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words


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
