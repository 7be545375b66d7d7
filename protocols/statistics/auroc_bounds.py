"""The AUROC of the scores that were counted on a grid, between bounds for the scores themselves.

With pos and neg of each bin and TP before the bin, the highest bin first,

    L = Σ neg·TP        T = Σ neg·pos        the pairs decided by the bins, and those within a bin,

the AUROC of the scores lies between L/PN and (L + T)/PN, whatever they are within their bins. The
value is that of the binned scores, exactly:

    mid = (2·L + T) / 2PN.

It is rounded half up; the lower bound is rounded down and the upper one up, so that both still
hold. The bounds are about 1/bins apart, and the value is far closer to the AUROC of scores that lie
evenly within their bins. Exact integers for up to 2^31 - 1 samples, divided in 256 bits; nobody
learns anything. Two hops and five for every two decimals, whatever the number of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    multiply,
    sums_of_products,
    undefined,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings, pinned_warnings
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import UnbinnedBounds
from ppaurora.protocols.statistics.statistic import NO_CLASS


@dataclass(frozen=True, slots=True)
class AurocBounds(UnbinnedBounds):
    """mid, the lower bound, and how far the upper bound lies below 1."""

    name: ClassVar[str] = "auroc_bounds"
    twin: ClassVar[str] = "auroc"
    title: ClassVar[str] = "AUROC of the binned scores, with certified bounds for the unbinned ones"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score of the binned scores"
    undefined: ClassVar[str] = NO_CLASS

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        pos, neg = data.positives, data.negatives
        [L, T], [PN] = side_by_side(
            party,
            [
                lambda own: sums_of_products(own, [neg, data.TP - pos, pos], [(0, 1), (0, 2)]),
                lambda own: [multiply(own, data.P, data.N)],
            ],
        )
        wide = widen(party, concatenate([L, T, PN]))
        below, tied, pairs = (wide[place : place + 1] for place in range(3))
        numbers = [below * 2 + tied, below * 2, (pairs - below - tied) * 2]
        return self.rounded(party, numbers, pairs * 2, data.n, decimals)

    def largest(self, n: int, decimals: int) -> int:
        return 2 * most_pairs(n)

    def cost(self, n: int, decimals: int) -> Cost:
        sums = sums_of_products.cost(factors=3, pairs=2).of(n) | multiply.cost().of(1)
        return sums + widen.cost().of(3) + self.rounded_cost(decimals)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        scale, above, won, tied = 10**decimals, 0, 0, 0
        for positives, negatives in zip(data.positives, data.negatives, strict=True):
            won += negatives * above
            tied += negatives * positives
            above += positives
        pairs = data.P * data.N
        if not pairs:
            return [undefined(decimals)] * 3
        middle = half_up(scale * (won + Fraction(tied, 2)) / pairs)
        return [middle, scale * won // pairs, scale * (pairs - won - tied) // pairs]

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        pinned = pinned_warnings(self.text, sizes, decimals, ties=True)
        return (*pinned, *few_samples_warnings(self.text, sizes))
