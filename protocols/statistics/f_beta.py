"""The F_beta score: the weighted harmonic mean of precision and recall.

[Thesis, 3.4]. With precision p and recall r, of which recall counts β times as much,

    F_β = (1 + β²)·p·r/(β²·p + r) = (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP),

and with β = a/b both ends times b² are whole numbers: exact. At β = 1 it is `f1`. It is no share of
samples, so it has no Wilson limits; `bootstrap:of=f_beta:...` has others. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.thresholds import AtThreshold, Fractions, RatesAtCuts, rate


@dataclass(frozen=True, slots=True)
class FBeta(AtThreshold, RatesAtCuts):
    """(1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)."""

    name: ClassVar[str] = "f_beta"
    short: ClassVar[str] = "F-beta score"
    reference: ClassVar[str] = "van Rijsbergen, Information Retrieval, 1979"
    title: ClassVar[str] = "F-beta score at a threshold: recall counts beta times as much"
    known_as: ClassVar[str] = "scikit-learn fbeta_score"
    undefined: ClassVar[str] = "nobody is positive or called so"
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("f_beta",)
    beta: Fraction = number(
        "how many times as much recall counts as precision", "2", least="0.1", most="10"
    )

    @property
    def weights(self) -> tuple[int, int]:
        """β² as a ratio."""
        square = self.beta**2
        return square.numerator, square.denominator

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        a, b = self.weights
        found = at.TP * (a + b)
        return [(found, found + at.FN * a + at.FP * b)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        a, b = self.weights
        found = (a + b) * counts.tp
        return rate(found, found + a * counts.fn + b * counts.fp)

    def largest(self, n: int) -> int:
        a, b = self.weights
        return (a + b) * n
