"""Several classes: for each two of them, how the scores of one tell them apart.

Every row is in one class and has a score for each. In the sorted list of the scores of class a,
with the rows of that class as positives, a row of another class has the placement v_a = TP + B:
twice the rows of class a that score higher, and those tied once. In the order of the rows, with
y_b the labels of class b,

    U_ab = Σ y_b·v_a = 2·P_a·P_b·A(a|b),

where A(a|b) is the AUROC of the scores of a between the rows of a and those of b [Hand and Till].
Against all the rest it is U_a / 2·P_a·(n - P_a), with U_a = Σ_b U_ab.

Nobody learns anything. A hop, whatever the number of classes: every vector is opened once.
`PooledClasses` computes the same from plaintext by searching among scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import sums_of_products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.ranking.covariance import Pair, joined
from ppaurora.protocols.ranking.ranked import Pooled, Ranked


def ordered_pairs(classes: int) -> list[Pair]:
    """The pairs of different classes, each in both orders.

    >>> ordered_pairs(3)
    [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    """
    return [*permutations(range(classes), 2)]


@dataclass(frozen=True, slots=True)
class RankedClasses:
    """The sorted list of the first class; the size of each class, and U by `ordered_pairs`."""

    first: Ranked
    n: int
    sizes: Shared
    U: Shared


def between_classes(
    party: Party, first: Ranked, labels: Sequence[Shared], placements: Sequence[Shared]
) -> RankedClasses:
    """The sums of labels and placements, all in one order of the rows."""
    k = len(labels)
    pairs = [(b, k + a) for a, b in ordered_pairs(k)]
    U = sums_of_products(party, [*labels, *placements], pairs)
    sizes = concatenate(one.sum() for one in labels)
    return RankedClasses(first, len(labels[0]), sizes, concatenate(U))


def between_classes_cost(n: int, classes: int) -> Cost:
    """The cost of `between_classes` for n samples."""
    pairs = len(ordered_pairs(classes))
    return sums_of_products.cost(factors=2 * classes, pairs=pairs).of(n)


@dataclass(frozen=True, slots=True, repr=False)
class PooledClasses:
    """The list of the first class by itself; the class of each row, and its codes for each."""

    first: Pooled
    of_rows: NDArray[np.int64]
    codes: tuple[Words, ...]

    @classmethod
    def of(cls, uploads: Sequence[Words], classes: int) -> PooledClasses:
        """All uploads together, as `ppaurora.protocols.lists.same_rows` lays them out."""
        first, rows = joined(uploads, classes)
        one = np.uint64(1)
        of_rows = np.argmax([(keys & one) == 1 for keys in rows], axis=0).astype(np.int64)
        return cls(Pooled.of(first), of_rows, tuple(keys >> one for keys in rows))

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each class."""
        return [int((self.of_rows == place).sum()) for place in range(len(self.codes))]

    def area(self, a: int, others: Sequence[int]) -> Fraction | None:
        """The AUROC of the scores of class a between it and others, None where one is missing."""
        x = np.sort(self.codes[a][self.of_rows == a])
        z = np.sort(self.codes[a][np.isin(self.of_rows, others)])
        if not x.size * z.size:
            return None
        below = np.searchsorted(z, x, "left") + np.searchsorted(z, x, "right")
        return Fraction(int(below.sum()), 2 * x.size * z.size)
