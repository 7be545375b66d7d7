"""The ROC-GLM: the binormal ROC curve that fits the exact one best at equidistant points.

[ROC-GLM, "The ROC-GLM"], without its noise. For m points t_j = j/(m + 1) and every positive i,
FP_i being the negatives with a strictly higher score [ROC-GLM, erratum 1],

    k_j = #{i: (m + 1)·FP_i <= j·N},    c_j = k_j/P,

and the rates c_j say all that the regression needs (`ppaurora.protocols.release.roc_glm`). In the
sorted list a positive stands before the negatives with its score, so that FP_i = i - TP_i at its
own place: no ties have to be found.

Released are γ1, γ2 and the area, and P0 and P1 learn the numbers of every step of the fit
(`ppaurora.protocols.ranking.probit_scoring`). They are computed from c_j to 2^-40, and undefined
where that may move them by a tenth of the last decimal. A fit to rates that were released to the
study's decimals would not do: it is off by up to eight units of the last decimal of the parameters,
and rates to so many decimals that it is not tell P.

The area is that of the fitted curve, not of the data, and depends on the number of points: between
.95 and .975 it is too large by .006 in the middle with 50 points, by .011 with 28 as in [ROC-GLM,
Table 1, erratum 7]. `auroc` beside it is exact, and cheaper; this is for a smooth curve.

m comparisons for each sample. 64 hops.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.kernels.polynomials import UNIT_BITS
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    divide,
    is_negative,
    is_zero,
    largest_denominator,
    sums_of_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.tabulated import LINE_BITS
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.curve import CurveClear, CurveData, PooledCurve
from ppaurora.protocols.ranking.partial import exceeded
from ppaurora.protocols.ranking.probit_scoring import RATE_BITS, Fitted, scored, scored_cost
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release import roc_glm
from ppaurora.protocols.release.public_range import PublicRange, one_row
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Statistic

COLUMNS = ("gamma1", "gamma2", "auc")
BASE, DIGITS_OF_RATE = 32, 8
"""A rate has 40 bits."""
LEAST_POINTS, MOST_POINTS, MOST_DECIMALS = 5, 512, 9
PARAMETER = PublicRange(tens=2, shift=50)
"""No γ for which Φ is computed at five points or more is beyond."""


@dataclass(frozen=True, slots=True)
class RocGlm(Statistic[CurveData, CurveClear]):
    """γ1, γ2 and the area of the fitted curve, of a sorted list or a histogram."""

    name: ClassVar[str] = "rocglm"
    short: ClassVar[str] = "AUROC by ROC-GLM"
    reference: ClassVar[str] = "Pepe, Biometrics 2000"
    title: ClassVar[str] = "ROC-GLM: a binormal ROC curve fitted to the exact one, and its area"
    known_as: ClassVar[str] = "ROC-GLM of dsBinVal, with the printed grid and without noise"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    steps_by_chance: ClassVar[bool] = True
    undefined: ClassVar[str] = (
        "there are no positives, fewer than two rates lie strictly between 0 and 1, or the "
        f"parameters are not found to so many decimals in {roc_glm.MOST_STEPS} steps"
    )
    points: int = whole("equidistant points of the fit", 50, least=LEAST_POINTS, most=MOST_POINTS)

    @abstractmethod
    def placed(self, data: CurveData) -> tuple[Shared, Shared]:
        """The positives at each place, and the negatives with a higher score than they."""

    def private(self, party: Party, data: CurveData, decimals: int) -> Shared:
        m = self.points
        positives, FP = self.placed(data)
        limits = [data.N * place for place in range(1, m + 1)]
        no_positives, *beyond = (
            vector
            for found in side_by_side(
                party,
                [
                    lambda own: [is_zero(own, data.P)],
                    lambda own: exceeded(own, [FP], limits, m + 1),
                ],
            )
            for vector in found
        )
        within = [1 - flags for flags in beyond]
        pairs = [(0, place) for place in range(1, m + 1)]
        k = concatenate(sums_of_products(party, [positives, *within], pairs))
        bound = max(1, data.n)
        # without positives all rates are 0, and no fit converges
        D = (data.P + no_positives).repeat(m)
        c = divide(party, k, D, digits=DIGITS_OF_RATE, bound=bound, base=BASE)
        found = scored(party, widen(party, c))
        return Shared.public(party.role, _words(found, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        m, bound = self.points, max(1, n)
        compared = is_zero.cost().of(1) | is_negative.cost().of(m * n)
        counted = compared + sums_of_products.cost(factors=1 + m, pairs=m).of(n)
        division = divide.cost(digits=DIGITS_OF_RATE, bound=bound, base=BASE).of(m)
        return counted + division + widen.cost().of(m) + scored_cost()

    def plaintext_words(self, data: CurveClear, decimals: int) -> Sequence[int]:
        rates = [float(rate) for rate in exact_rates(data, self.points)]
        found = roc_glm.scored(rates) if rates else roc_glm.NOT_CONVERGED
        if isinstance(found, str) or not _certain(found.sensitivity, decimals):
            return [PARAMETER.missing(decimals)] * len(COLUMNS)
        numbers = found.gamma1, found.gamma2, found.auc
        return [PARAMETER.word(Fraction(number), decimals) for number in numbers]

    def words(self, decimals: int) -> int:
        return len(COLUMNS)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return one_row(self.text, COLUMNS, words, PARAMETER, decimals, self.undefined)

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        largest = min(largest_denominator(), largest_denominator(BASE))
        return n == 0 or (
            (self.points + 1) * n <= 1 << 62 and n <= largest and decimals <= MOST_DECIMALS
        )

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of both parameters and of the area, and whether they are "
            f"undefined: {self.undefined}"
        )

    def proxies_learn(self, decimals: int) -> str:
        return (
            "two weighted sums of the true positive rates, to 12 decimals, at each of at most "
            f"{roc_glm.MOST_STEPS} steps of the fit: as a rule enough to compute the rates at all "
            f"{self.points} points, and the parameters"
        )

    def label_digits(self, decimals: int) -> int:
        return 2 * self.decimals_held(decimals)


def exact_rates(data: PooledCurve, points: int) -> list[Fraction]:
    """c_j of the pooled list at each of the points; none where there are no positives."""
    k = [0] * points
    for s, t, i, _ in data.steps:
        for place in range(1, points + 1):
            if (points + 1) * (i - s) <= place * data.N:
                k[place - 1] += t - s
    return [Fraction(one, data.P) for one in k] if data.P else []


def _words(found: Fitted, decimals: int) -> list[int]:
    """The released words of γ; at the helper, which does not know it, as many words."""
    told = found.found & int(_certain(found.sensitivity, decimals))
    numbers = (found.gamma1, LINE_BITS), (found.gamma2, LINE_BITS), (found.area, UNIT_BITS)
    return [PARAMETER.scaled_word(number, bits, decimals, told) for number, bits in numbers]


def _certain(sensitivity: float, decimals: int) -> bool:
    """True if rates to 2^-40 determine the parameters to a tenth of the last decimal."""
    return bool(sensitivity * 10 ** (decimals + 1) <= 1 << RATE_BITS)


@dataclass(frozen=True, slots=True)
class RocGlmOfCells(RocGlm[Binned, PooledBins]):
    """The ROC-GLM of counts in cells."""

    listed: ClassVar[bool] = False
    pipeline: ClassVar[type[Histogram]] = Histogram

    def placed(self, data: Binned) -> tuple[Shared, Shared]:
        return data.positives, data.FP - data.negatives


@dataclass(frozen=True, slots=True)
class RankedRocGlm(RocGlm[Ranked, Pooled]):
    """The ROC-GLM of the sorted list."""

    cells: ClassVar[type[RocGlmOfCells]] = RocGlmOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList

    def placed(self, data: Ranked) -> tuple[Shared, Shared]:
        return data.labels.y, np.arange(1, data.n + 1) - data.labels.TP
