"""The area under the ROC curve of scores without ties between the classes.

[ppAURORA, Alg. 1]. AUROC = N / D with

    N = Σ_j (1 - y_j)·TP_j               D = P·N

The paper takes for granted that no positive is tied with a negative. Here that is seen: within tied
scores the positives come first, so that with con_j = 0 where the score at j is that at j + 1

    T = Σ_j (1 - con_j)·(y_j - y_(j+1))

is the number of groups of tied scores that hold both classes. Where there is one the value is
undefined, N and D are multiplied by [T = 0], and 1 is added to the word that says so: the receivers
are told that there is such a tie. Nobody else learns anything. Six hops before the division, and
those of the ties, without a scan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    divide,
    inner_product,
    is_zero,
    largest_denominator,
    multiply,
    products,
    undefined,
)
from ppaurora.mpc.primitives.digit_steps import radix_beside
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.class_counts import pinned_warnings
from ppaurora.protocols.release.label_guessing import guessing_warnings
from ppaurora.protocols.release.values import Released, Scalar, ratio_text
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneRatioOfRanks
from ppaurora.protocols.statistics.statistic import NO_CLASS

TIED = "a positive is tied with a negative"


@dataclass(frozen=True, slots=True)
class AurocNoTies(OneRatioOfRanks):
    """AUROC without a step for ties."""

    name: ClassVar[str] = "auroc_no_ties"
    title: ClassVar[str] = "AUROC for scores without ties between the classes"
    known_as: ClassVar[str] = (
        "scikit-learn roc_auc_score, where no positive is tied with a negative"
    )
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.TIES})
    undefined: ClassVar[str] = f"{NO_CLASS}, or {TIED}"

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        ratio, untied = self._untied(party, data)
        found = divide(
            party,
            ratio.N,
            ratio.D,
            digits=decimals,
            bound=ratio.bound,
            widest=radix_beside(data.n),
        )
        return found + (1 - untied)

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        return self._untied(party, data)[0]

    def _untied(self, party: Party, data: Ranked) -> tuple[Ratio, Shared]:
        """The ratio, 0/0 where there is a tie between the classes, and whether there is none."""
        y, TP, P = data.labels.y, data.labels.TP, data.labels.P
        step = y - concatenate([y[1:], Shared.zeros(party.role, 1)])
        N, D, T = side_by_side(
            party,
            [
                lambda own: inner_product(own, 1 - y, TP),
                lambda own: multiply(own, P, data.labels.N),
                lambda own: inner_product(own, 1 - data.con, step),
            ],
        )
        untied = is_zero(party, T)
        N, D = products(party, [untied, N, D], [(0, 1), (0, 2)])
        return Ratio(N, D, self.bound(data.n)), untied

    def ratio_cost(self, n: int) -> Cost:
        sums = inner_product.cost().of(n) | multiply.cost().of(1) | inner_product.cost().of(n)
        chosen = products.cost(factors=3, pairs=2).of(1)
        return sums + is_zero.cost().of(1) + chosen

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        if any(0 < t - s < j - i for s, t, i, j in data.steps):
            return [_tied(decimals)]
        return OneRatioOfRanks.plaintext_words(self, data, decimals)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        if words[0] == _tied(decimals):
            return Scalar(undefined=TIED)
        value = ratio_text(self.text, words[0], decimals)
        return Scalar(undefined=NO_CLASS) if value is None else Scalar(value)

    def leaks(self, decimals: int) -> str:
        return (
            f"the released decimals, or that the metric is undefined, because {NO_CLASS} or "
            f"because {TIED}"
        )

    def bound(self, n: int) -> int:
        return most_pairs(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        U = sum(np.cumsum(data.labels)[data.labels == 0].tolist())
        return half_up(Fraction(scale * U, P * N))

    def fits(self, n: int, decimals: int) -> bool:
        return self.bound(n) <= largest_denominator()

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        guessing = guessing_warnings(self.text, sizes, decimals)
        return pinned_warnings(self.text, sizes, decimals, ties=False) + guessing


def _tied(decimals: int) -> int:
    """The word that says that there is a tie between the classes."""
    return undefined(decimals) + 1
