"""The counts at a threshold, with sensitivity and specificity.

TP, FP, FN and TN as they are, and TP/P and TN/N rounded half up. A count travels as one more than
it is, so that 0 says that it is withheld. Exact; nobody learns anything. The counts
take one hop, beside those of the rates. With a level both rates have Wilson's limits, which the
receivers compute of the counts (`ppaurora.protocols.ranking.wilson`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.ranking.binned import AtCuts, Binned, Confusion, PooledBins
from ppaurora.protocols.ranking.wilson import (
    LEVEL,
    WILSONS,
    beside_counts,
    with_limits,
)
from ppaurora.protocols.release.values import WITHHELD, Released, Table
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import DIGITS_OF_WEIGHT, MOST_SAMPLES
from ppaurora.protocols.statistics.thresholds import (
    OF_LEAST_CELL,
    OF_TWO,
    AtThreshold,
    Fractions,
    RatesAtCuts,
    rate,
)

COUNTS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, slots=True)
class ConfusionTable(AtThreshold, RatesAtCuts):
    """The confusion matrix of each threshold."""

    name: ClassVar[str] = "confusion"
    short: ClassVar[str] = "Confusion matrix"
    title: ClassVar[str] = "counts at a threshold, with sensitivity and specificity"
    known_as: ClassVar[str] = "scikit-learn confusion_matrix, scikit-learn recall_score"
    undefined: ClassVar[str] = "there is no sample of the class that the rate is of"
    joins: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("sensitivity", "specificity")
    level: Fraction | None = number(LEVEL, optional=True, closed=False)

    @property
    def source(self) -> str:
        return WILSONS if self.level else ""

    @property
    def header(self) -> tuple[str, ...]:
        rates = with_limits(self.columns) if self.level else self.columns
        return ("threshold", *COUNTS, *rates)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP, at.P), (at.TN, at.N)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return [
            *rate(counts.tp, counts.tp + counts.fn),
            *rate(counts.tn, counts.tn + counts.fp),
        ]

    def largest(self, n: int) -> int:
        return n

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        at = data.above(self.thresholds())
        counts = [each + 1 for each in (at.TP, at.FP, at.FN, at.TN)]
        told, rates = side_by_side(
            party,
            [
                lambda own: concatenate(
                    products(own, [*counts, at.shown], [(place, 4) for place in range(4)])
                ),
                lambda own: RatesAtCuts.private(self, own, data, decimals),
            ],
        )
        return concatenate([told, rates])

    def cost(self, n: int, decimals: int) -> Cost:
        told = products.cost(factors=5, pairs=4).of(len(self.at))
        return told | RatesAtCuts.cost(self, n, decimals)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        found = [data.above(threshold) for threshold in self.thresholds()]
        told = [getattr(counts, name) + 1 if counts else 0 for name in COUNTS for counts in found]
        return [*told, *RatesAtCuts.plaintext_words(self, data, decimals)]

    def words(self, decimals: int) -> int:
        return len(COUNTS) * len(self.at) + RatesAtCuts.words(self, decimals)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        split = len(COUNTS) * len(self.at)
        rates = RatesAtCuts.decode(self, words[split:], decimals)
        assert isinstance(rates, Table)
        rows = []
        for place, row in enumerate(rates.rows):
            counts = [self._count(word) for word in words[place : split : len(self.at)]]
            rows.append((row[0], *counts, *self._with_limits(row[1:], counts, decimals)))
        return self.table(tuple(rows))

    def _with_limits(
        self, rates: Sequence[str | None], counts: Sequence[str], decimals: int
    ) -> Iterator[str | None]:
        """Sensitivity and specificity, each followed by its limits if there is a level."""
        tp, fp, fn, tn = counts
        for given, k, missed in zip(rates, (tp, tn), (fn, fp), strict=True):
            yield given
            if self.level is None:
                continue
            if WITHHELD in counts:
                yield from (WITHHELD, WITHHELD)
                continue
            limits = beside_counts(int(k), int(k) + int(missed), self.level, decimals)
            yield from limits or (None, None)

    def _count(self, word: int) -> str:
        if not 0 <= word <= MOST_SAMPLES + 1:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return self.study.amount(word - 1) if word else WITHHELD

    def weighted_digits(self, decimals: int) -> int:
        rates = RatesAtCuts.words(self, decimals)
        return decimals * rates + DIGITS_OF_WEIGHT * (self.words(decimals) - rates)

    def leaks(self, decimals: int) -> str:
        counts = "the four counts, and so how many positives there are in all"
        if self.study.weighted:
            counts = "what the four parts weigh, and so what the positives weigh in all"
        return f"{self.called} {counts}, and {OF_LEAST_CELL}; {OF_TWO}"

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return (f"{self.text}: {self.study.of_classes}",)
