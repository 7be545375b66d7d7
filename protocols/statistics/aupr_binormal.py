"""The area under the precision-recall curve, as if the scores of both classes were normal.

[Thesis, Eq. 4.11, erratum 4]. Of the binned scores: with x the place of a bin, counted upwards, and
S1, S2 the sums of x and x² over the samples of a class, V = P·S2 - S1² (and so with N) is P² times
the variance. Computed and released are

    |a| = |N·S1⁺ - P·S1⁻| / sqrt(P²·V⁻)      b = sqrt(V⁺·N² / (P²·V⁻))

to four more decimals than the study's, the sign of a, P and N; the receiver computes the area from
them and rounds it. The sums are linear in the counts, so that they take no message, and exact. More
than 65,536 bins are taken together to so many.

|a| and b beyond 100 are released as 100: the classes are then so far apart, or one law so much
wider, that the area no longer depends on it to four decimals. What is released tells the class
counts exactly, and how the laws lie to each other. Nobody else learns anything. Seven hops and five
for every two decimals, of which there are six more than the study's.

The receiver's part: with the scores of the negatives normal around μ_x with the standard
deviation σ_x, those of the positives around μ_y with σ_y, a share π of positives, and
a = (μ_y - μ_x)/σ_x, b = σ_y/σ_x,

    area = ∫ π·t/(π·t + (1 - π)·Φ(-a + b·Φ⁻¹(t))) dt,    t from 0 to 1.

Only as good as the assumption: with other laws it stays wrong however large the sample [Thesis,
section 4.4].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, exp, pi, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    undefined,
    wide_negative_times,
    wide_products,
    wide_root,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up_root
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, Statistic, Topic

REACH, STEPS_PER_UNIT = 30, 32


def aupr_binormal(a: float, b: float, share: float) -> float:
    """The area for positives a·σ_x above the negatives, b times as spread out, a share of all.

    By trapezoids in u = Φ⁻¹(t), which for such an integrand converge faster than any power, the
    finer the larger b is: right to ten decimals.

    >>> round(aupr_binormal(1, 1, 0.1), 6)
    0.292836
    """
    if not (b > 0 and 0 < share < 1):
        raise ValueError(f"b = {b} and a share of {share}: b above 0, the share between 0 and 1")
    total, steps = 0.0, STEPS_PER_UNIT * max(1, ceil(b))
    for place in range(-REACH * steps, REACH * steps + 1):
        u = place / steps
        found, wrong = share * _below(u), (1 - share) * _below(b * u - a)
        if found:
            total += exp(-u * u / 2) * found / (found + wrong)
    return total / (steps * sqrt(2 * pi))


def _below(u: float) -> float:
    """Φ(u), with all digits far below 0."""
    return erfc(-u / sqrt(2)) / 2


MOST_BINS_BITS = 16
MORE_DECIMALS = 4
RANGE_DIGITS = 2
"""|a| and b are below 10^2."""
MOST_DECIMALS = 9
LARGEST_DENOMINATOR = 10 ** (2 * RANGE_DIGITS) * MOST_SAMPLES**4 << 2 * MOST_BINS_BITS - 6
"""P²·V⁻ is at most (P·N)²·(2^16)²/4, and P·N at most n²/4."""


@dataclass(frozen=True, slots=True)
class BinormalArea(Statistic[Binned, PooledBins]):
    """The area that two normal laws with the classes' means and variances have."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aupr_binormal"
    title: ClassVar[str] = (
        "area under the precision-recall curve if the scores of both classes were normal, made by "
        "the receiver from the numbers of both classes, their means and variances"
    )
    known_as: ClassVar[str] = "Thesis, Eq. 4.11: the binormal estimator"
    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset()
    undefined: ClassVar[str] = "a class is missing, or all its scores lie in one bin"

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        x = places(data.bins)
        S1p, S2p = ((data.positives * power).sum() for power in (x, x * x))
        S1n, S2n = ((data.negatives * power).sum() for power in (x, x * x))
        wide = widen(party, concatenate([S1p, S2p, S1n, S2n, data.P, data.N]))
        s1p, s2p, s1n, s2n, P, N = (wide[place : place + 1] for place in range(6))
        NS1p, PS1n, PS2p, S1p2, NS2n, S1n2, P2, N2 = wide_products(
            party,
            [s1p, s2p, s1n, s2n, P, N],
            [(5, 0), (4, 2), (4, 1), (0, 0), (5, 3), (2, 2), (4, 4), (5, 5)],
        )
        apart = NS1p - PS1n
        A, B, D = wide_products(
            party, [apart, PS2p - S1p2, N2, P2, NS2n - S1n2], [(0, 0), (1, 2), (3, 4)]
        )
        # below 100: max(D·10^4 - A, 0) is left of the denominator
        D = D * 10 ** (2 * RANGE_DIGITS)
        room = concatenate_wide([D - A, D - B, apart])
        signs, beyond = wide_negative_times(party, room, room)
        D = D.repeat(2)
        inside = D - (room - beyond)[:2]
        digits = self.digits(decimals)
        roots = wide_root(party, inside, D, digits=digits, bound=LARGEST_DENOMINATOR)
        return concatenate([roots, signs.low()[2:], data.P, data.N])

    def digits(self, decimals: int) -> int:
        """The digits of the roots: of a hundredth of |a| and b."""
        return decimals + MORE_DECIMALS + RANGE_DIGITS

    def cost(self, n: int, decimals: int) -> Cost:
        return (
            widen.cost().of(6)
            + wide_products.cost(factors=6, pairs=8).of(1)
            + wide_products.cost(factors=5, pairs=3).of(1)
            + wide_negative_times.cost().of(3)
            + wide_root.cost(digits=self.digits(decimals), bound=LARGEST_DENOMINATOR).of(2)
        )

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        x = places(len(data.positives)).tolist()
        missing, digits = undefined(self.digits(decimals)), self.digits(decimals)
        if not data.P * data.N:
            return [missing, missing, 0, data.P, data.N]
        means, variances = [], []
        for counts, total in ((data.positives, data.P), (data.negatives, data.N)):
            weighted = list(zip(counts, x, strict=True))
            mean = Fraction(sum(count * place for count, place in weighted), total)
            squares = Fraction(sum(count * place**2 for count, place in weighted), total)
            means.append(mean)
            variances.append(squares - mean**2)
        apart, most = means[0] - means[1], Fraction(10**RANGE_DIGITS) ** 2
        if not variances[1]:
            return [missing, missing, int(apart < 0), data.P, data.N]
        roots = [
            half_up_root(min(square / most, Fraction(1)) * 100**digits)
            for square in (apart**2 / variances[1], variances[0] / variances[1])
        ]
        return [*roots, int(apart < 0), data.P, data.N]

    def words(self, decimals: int) -> int:
        return 5

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        size, width, negative, P, N = words
        digits = self.digits(decimals)
        if size == width == undefined(digits) or width == 0:
            return Scalar(undefined=self.undefined)
        counted = min(P, N) > 0 and P + N <= MOST_SAMPLES
        if not (max(size, width) <= 10**digits and negative <= 1 and counted):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        unit = 10.0 ** (RANGE_DIGITS - digits)
        a = -size * unit if negative else size * unit
        return Scalar(f"{aupr_binormal(a, width * unit, P / (P + N)):.{decimals}f}")

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n == 0 or decimals <= MOST_DECIMALS

    def decimals_held(self, decimals: int) -> int:
        return decimals + MORE_DECIMALS

    def leaks(self, decimals: int) -> str:
        return (
            "the number of positives exactly; how far apart the means of both classes are and how "
            f"their standard deviations compare, both to {self.decimals_held(decimals)} decimals, "
            "also where the metric is undefined if there are samples of both classes; and whether "
            f"it is: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        return self.decimals_held(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return (f"{self.text} tells its receivers the number of positives exactly",)


def places(bins: int) -> NDArray[np.int64]:
    """x of each bin, the highest first, at most 2^16 - 1."""
    finer = max(0, (bins - 1).bit_length() - MOST_BINS_BITS)
    return np.arange(bins - 1, -1, -1, dtype=np.int64) >> finer
