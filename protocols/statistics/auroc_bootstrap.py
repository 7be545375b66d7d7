"""The AUROC of binned scores with a percentile interval of bootstrap replicates.

from numpy.typing import NDArray

Every owner draws the replicates of its own counts (`ppaurora.protocols.grid.resampling`), and the
servers add them up. For the counts themselves and for each of B replicates, with the letters of
`ppaurora.protocols.statistics.auroc` on the parts of the grid,

    A = (2·L + T) / 2PN,    rounded half up.

Released are A of the counts and, with α = 1 - level, the ceil(B·α/2)-th and the
ceil(B·(1 - α/2))-th of the replicates in ascending order. The order is found by comparing all pairs
at once: the rank of A_i is

    #{j < i: A_j <= A_i} + #{j > i: A_j < A_i},

and a number is picked as Σ_i [rank_i = r]·A_i. So nobody learns a replicate, or its rank. If a
class is missing in any of them, nothing is released. The interval is about as wide as DeLong's,
which needs no chance: another upload of the same list would give another one.

For up to 2^23 samples. Eleven hops and four for each decimal; B²/2 comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    divide,
    is_negative,
    is_zero,
    multiply,
    sums_of_products,
    undefined,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.grid.resampling import Resampled, Resampling
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, Counts, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings, pinned_warnings
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import number, whole
from ppaurora.protocols.statistics.statistic import NO_CLASS
from ppaurora.protocols.statistics.thresholds import MOST_PARTS

MOST_BOOTSTRAPPED = 1 << 23
LARGEST_PAIRS = 2 * most_pairs(MOST_BOOTSTRAPPED * Resampling.most(1))
"""2·P·N of a replicate of so many samples, each of another owner if need be."""


@dataclass(frozen=True, slots=True)
class AurocBootstrap(OneInterval[Binned, PooledBins], Resampled, EqualParts):
    """AUROC and two order statistics of its replicates."""

    name: ClassVar[str] = "auroc_bootstrap"
    title: ClassVar[str] = "AUROC of binned scores, with a bootstrap interval by percentiles"
    known_as: ClassVar[str] = 'pROC ci.auc(method = "bootstrap", boot.stratified = FALSE)'
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    shows_counts: ClassVar[bool] = False
    without_width: ClassVar[str] = (
        "the replicates at both limits are equal, as all are where the classes are separated; take "
        "auroc_ci"
    )
    undefined: ClassVar[str] = f"{NO_CLASS}, in the lists or in a replicate"
    replicates: int = whole("of the whole data", 200, least=20, most=1000)
    level: Fraction = number("of the interval", "0.95", closed=False)
    bins: int = whole("equal parts of the range of the scores", 128, least=2, most=MOST_PARTS)

    @property
    def parts(self) -> int:
        return self.bins

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.replicates, tuple(self.thresholds()))

    @property
    def ranks(self) -> tuple[int, int]:
        """The places of both limits among the replicates, counted from 0."""
        tail = (1 - self.level) / 2
        return ceil(self.replicates * tail) - 1, ceil(self.replicates * (1 - tail)) - 1

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        parts, drawn = self.bins, data.replicates[self.resampling]
        # each row: the positives of all parts, and then the negatives
        words = concatenate([*data.between(self.thresholds()), drawn])
        rows = [words[start : start + 2 * parts] for start in range(0, len(words), 2 * parts)]
        positives, negatives = (
            [row[:parts] for row in rows],
            [row[parts:] for row in rows],
        )
        P, N = (
            concatenate(count.sum() for count in of_class) for of_class in (positives, negatives)
        )
        # 2L + T = Σ neg·(2·TP - pos), TP with the part's own
        heights = concatenate(count.cumsum() * 2 - count for count in positives)
        won, PN = side_by_side(
            party,
            [
                lambda own: multiply(own, concatenate(negatives), heights),
                lambda own: multiply(own, P, N),
            ],
        )
        M = concatenate(won[start : start + parts].sum() for start in range(0, len(won), parts))
        A, missing = side_by_side(
            party,
            [
                lambda own: divide(own, M, PN * 2, digits=decimals, bound=LARGEST_PAIRS),
                lambda own: is_zero(own, PN),
            ],
        )
        picked, some_missing = side_by_side(
            party,
            [
                lambda own: _picked(own, A[1:], self.ranks),
                lambda own: 1 - is_zero(own, missing.sum()),
            ],
        )
        value = concatenate([A[:1], picked])
        return value + multiply(party, some_missing.repeat(3), undefined(decimals) - value)

    def cost(self, n: int, decimals: int) -> Cost:
        parts, B = self.bins, self.replicates
        areas = multiply.cost().of((B + 1) * parts) | multiply.cost().of(B + 1)
        division = divide.cost(digits=decimals, bound=LARGEST_PAIRS)
        ratios = division.of(B + 1) | is_zero.cost().of(B + 1)
        order = is_negative.cost().of(B * (B - 1) // 2) + is_zero.cost().of(2 * B)
        picking = order + sums_of_products.cost(factors=3, pairs=2).of(B)
        return areas + ratios + (picking | is_zero.cost().of(1)) + multiply.cost().of(3)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        positives, negatives = data.between(self.thresholds())
        rows = [(tuple(positives), tuple(negatives)), *data.replicates[self.resampling]]
        areas = [_area(row, decimals) for row in rows]
        value, *drawn = areas
        if None in areas:
            return [undefined(decimals)] * 3
        ordered = sorted(one for one in drawn if one is not None)
        return [value or 0, *(ordered[rank] for rank in self.ranks)]

    def fits(self, n: int, decimals: int) -> bool:
        return n <= MOST_BOOTSTRAPPED

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of the AUROC and of both limits, which come of replicates that "
            f"the owners drew, and whether they are undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        pinned = pinned_warnings(self.text, sizes, decimals, ties=True)
        return (*pinned, *few_samples_warnings(self.text, sizes))


def _picked(party: Party, A: Shared, ranks: tuple[int, int]) -> Shared:
    """The numbers with these ranks, equal ones in their order."""
    first, second = np.triu_indices(len(A), k=1)
    # 1 where the later one is smaller, and comes before the earlier
    before = is_negative(party, A[second] - A[first])
    rank = _sums_at(before, first, len(A)) + _sums_at(1 - before, second, len(A))
    chosen = is_zero(party, concatenate([rank - one for one in ranks]))
    flags = chosen[: len(A)], chosen[len(A) :]
    return concatenate(sums_of_products(party, [A, *flags], [(0, 1), (0, 2)]))


def _sums_at(values: Shared, places: NDArray[np.intp], count: int) -> Shared:
    """The sum of the values at each of so many places; no message."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(count), side="right")
    up_to = concatenate([Shared.zeros(values.role, 1), values[order].cumsum()])[ends]
    return concatenate([up_to[:1], up_to[1:] - up_to[:-1]])


def _area(counts: Counts, decimals: int) -> int | None:
    """A of one row in the clear; None where a class is missing."""
    won, above = Fraction(0), 0
    for positives, negatives in zip(*counts, strict=True):
        won += negatives * (above + Fraction(positives, 2))
        above += positives
    pairs = sum(counts[0]) * sum(counts[1])
    return half_up(10**decimals * won / pairs) if pairs else None
