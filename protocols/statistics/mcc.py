"""Matthews' correlation coefficient at a threshold.

    MCC = (TP·TN - FP·FN) / sqrt((TP + FP)·(TN + FN)·P·N),    from -1 to 1.

The root of the square over the product is a correctly rounded |MCC|, and one comparison gives the
sign: a value halfway between two decimals is rounded away from 0. Products in 256 bits, exact for
up to 2^31 - 1 samples. Nobody learns anything. Five hops and five for every two
decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    largest_root_denominator,
    multiply,
    products,
    undefined,
    wide_products,
    wide_root,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.rounding import half_up_root
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.thresholds import AtThreshold, NumbersAtCuts

SHIFT = 1 << 62
"""Added before a signed number is widened, and removed after."""


@dataclass(frozen=True, slots=True)
class RootOrItsNegative(PublicRange):
    """From -1 to 1, moved by 1 after the root was taken."""

    def missing(self, decimals: int) -> int:
        scale: int = 10**decimals
        return scale + undefined(decimals)


@dataclass(frozen=True, slots=True)
class Mcc(AtThreshold, NumbersAtCuts):
    """The correlation of what samples are with what they are called."""

    name: ClassVar[str] = "mcc"
    short: ClassVar[str] = "Matthews correlation"
    title: ClassVar[str] = "Matthews' correlation coefficient at a threshold"
    known_as: ClassVar[str] = "scikit-learn matthews_corrcoef"
    undefined: ClassVar[str] = "all samples are of one class, or are called so"
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("mcc",)

    @property
    def within(self) -> PublicRange:
        return RootOrItsNegative(tens=1, shift=1)

    def of_cuts(self, party: Party, at: AtCuts, n: int, decimals: int) -> Shared:
        count = len(at.TP)
        right, wrong, called, PN = products(
            party,
            [at.TP, at.TN, at.FP, at.FN, at.TP + at.FP, at.TN + at.FN, at.P, at.N],
            [(0, 1), (2, 3), (4, 5), (6, 7)],
        )
        excess, called = products(party, [right - wrong, called, at.shown], [(0, 2), (1, 2)])

        def size(own: Party) -> Shared:
            wide = widen(own, concatenate([excess + SHIFT, called, PN]))
            x, a, b = (wide[k * count : (k + 1) * count] for k in range(3))
            N, D = wide_products(own, [x - SHIFT, a, b], [(0, 0), (1, 2)])
            return wide_root(own, N, D, digits=decimals, bound=self._largest(n))

        root, negative = side_by_side(party, [size, lambda own: is_negative(own, excess)])
        scale: int = 10**decimals
        # 10^d + (1 - 2·negative)·root
        return root + scale - multiply(party, negative, root) * 2 + (1 - at.shown)

    def _largest(self, n: int) -> int:
        return max(1, most_pairs(n) ** 2)

    def of_cuts_cost(self, count: int, decimals: int) -> Cost:
        root = (
            widen.cost().of(3 * count)
            + wide_products.cost(factors=3, pairs=2).of(count)
            + wide_root.cost(digits=decimals).of(count)
        )
        return (
            products.cost(factors=8, pairs=4).of(count)
            + products.cost(factors=3, pairs=2).of(count)
            + (root | is_negative.cost().of(count))
            + multiply.cost().of(count)
        )

    def row(self, counts: Confusion, threshold: Fraction, decimals: int) -> Sequence[int]:
        tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
        margins = (tp + fp) * (tn + fn) * (tp + fn) * (tn + fp)
        if not margins:
            return [self.within.missing(decimals)]
        excess, scale = tp * tn - fp * fn, 10**decimals
        root = half_up_root(Fraction((excess * scale) ** 2, margins))
        return [scale - root if excess < 0 else scale + root]

    def fits(self, n: int, decimals: int) -> bool:
        return self._largest(n) <= largest_root_denominator(decimals)
