"""Two classifiers on the pooled samples in the clear, row by row: for simulations and tests.

[ROC-GLM, Eq. 2-3, erratum 1]: the mean and the variance of what each sample's placement gains. The
placements are counted by searching among the other class's scores, no list is scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.protocols.ranking.pooled import Pooled


@dataclass(frozen=True, slots=True)
class Gained:
    """The first AUROC less the second one, and the variance of this difference."""

    difference: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class PooledPairs:
    """The list of the first scores by itself; labels and both codes of each row."""

    first: Pooled
    labels: NDArray[np.bool_]
    codes: tuple[Words, Words]

    @classmethod
    def of(cls, uploads: Sequence[Words]) -> PooledPairs:
        """All uploads together, as `ppaurora.protocols.lists.paired` lays them out."""
        columns = [upload.reshape(3, -1) for upload in uploads]
        first = [keys for keys, _, _ in columns]
        second = []
        for _, keys, numbers in columns:
            placed = np.empty_like(keys)
            placed[numbers.astype(np.intp)] = keys
            second.append(placed)
        empty = np.empty(0, np.uint64)
        rows = np.concatenate([empty, *first]), np.concatenate([empty, *second])
        one = np.uint64(1)
        return cls(Pooled.of(first), (rows[0] & one) == 1, (rows[0] >> one, rows[1] >> one))

    def gained(self) -> Gained | None:
        """The difference and its variance, None where a class has fewer than two samples."""
        P, N = int(self.labels.sum()), int((~self.labels).sum())
        if P < 2 or N < 2:
            return None
        (a1, b1), (a2, b2) = (self._placed(codes) for codes in self.codes)
        of_positives, of_negatives = (a1 - a2).tolist(), (b1 - b2).tolist()
        return Gained(
            Fraction(sum(of_positives), 2 * P * N),
            _variance(of_positives) / (4 * N * N * P) + _variance(of_negatives) / (4 * P * P * N),
        )

    def _placed(self, codes: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Twice how many of the other class each sample is right about, ties once."""
        positives, negatives = np.sort(codes[self.labels]), np.sort(codes[~self.labels])
        x, y = codes[self.labels], codes[~self.labels]
        below = np.searchsorted(negatives, x, "left") + np.searchsorted(negatives, x, "right")
        up_to = np.searchsorted(positives, y, "left") + np.searchsorted(positives, y, "right")
        return below, 2 * x.size - up_to


def _variance(values: Sequence[int]) -> Fraction:
    """The sample variance."""
    squares = sum(value * value for value in values)
    return (squares - Fraction(sum(values) ** 2, len(values))) / (len(values) - 1)
