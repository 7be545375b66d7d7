"""The precision where given recalls are reached, from the highest score downwards.

At the first boundary with TP_j >= recall·P the precision is TP_j/j: a point of the curve, nothing
is interpolated. It is the last corner of the curve along the true positive rate, read as
`ppaurora.protocols.ranking.partial` says: F = P - TP positives are missed there and T = N - FP
negatives left out, so that

    precision = (P - F) / (n - F - T).

Exact and correctly rounded. Nobody learns anything. Six hops and four for every
two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.grid.hidden_cuts import Corners
from ppaurora.protocols.ranking.outline import along_false_positives
from ppaurora.protocols.ranking.partial import vertices_fits
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.operating_points import AtRates
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Topic


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall(AtRates):
    """The share of positives among those alerted, when so many positives are found."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "precision_at_recall"
    short: ClassVar[str] = "Precision at recall"
    title: ClassVar[str] = "precision at the highest threshold that reaches given recalls"
    known_as: ClassVar[str] = "points of scikit-learn precision_recall_curve"
    undefined: ClassVar[str] = NO_POSITIVES
    backwards: ClassVar[bool] = True
    columns: ClassVar[tuple[str, str]] = ("recall", "precision")
    recall: tuple[Fraction, ...] = number("the recalls to reach", several=True)

    @property
    def rates(self) -> tuple[Fraction, ...]:
        return self.recall

    def ratio(self, party: Party, data: Ranked, corners: Corners) -> Ratio:
        return Ratio(corners.TP, corners.TP + corners.FP, self.bound(data.n))

    def ratio_cost(self) -> Cost:
        return Cost()

    def bound(self, n: int) -> int:
        return n

    def found(self, data: Pooled) -> Sequence[Fraction] | None:
        if not data.P:
            return None
        corners = along_false_positives(data)
        reached = [next((f, t) for f, t in corners if t >= rate * data.P) for rate in self.rates]
        return [Fraction(t, f + t) for f, t in reached]

    def fits(self, n: int, decimals: int) -> bool:
        return vertices_fits(n, self.scale) and self.bound(n) <= largest_denominator()
