"""The samples of each class, and the prevalence.

    P,    N = n - P,    P / n.

A count travels as one more than it is, so that 0 says that the least cell of the study withholds
it; the prevalence follows from it and the public number of samples. What else is released cannot
tell more about the classes' sizes. With a level the prevalence has Wilson's limits, which follow
from the counts (`ppaurora.protocols.ranking.wilson`). One hop; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.wilson import (
    LEVEL,
    WILSONS,
    beside_counts,
    with_limits,
)
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    NO_WEIGHT,
    Released,
    Table,
    ValueKind,
    decimal_text,
)
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import DIGITS_OF_WEIGHT, MOST_SAMPLES, Statistic, Topic

COUNTED, SHARE = ("positives", "negatives"), ("prevalence",)


@dataclass(frozen=True, slots=True)
class ClassCounts(Statistic[Binned, PooledBins], Cutting):
    """One row: both counts, and the share of the positives."""

    topic: ClassVar[Topic] = Topic.THRESHOLD
    name: ClassVar[str] = "class_counts"
    short: ClassVar[str] = "Samples"
    title: ClassVar[str] = "samples of each class, and the prevalence"
    known_as: ClassVar[str] = "numpy bincount, R table"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    undefined: ClassVar[str] = "there are no samples"
    weighted: ClassVar[bool] = True
    level: Fraction | None = number(LEVEL, optional=True, closed=False)

    @property
    def source(self) -> str:
        return WILSONS if self.level else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns of the table."""
        return (*COUNTED, *(with_limits(SHARE) if self.level else SHARE))

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        return multiply(party, concatenate([data.P, data.N]) + 1, data.shown[-1:].repeat(2))

    def cost(self, n: int, decimals: int) -> Cost:
        return multiply.cost().of(2)

    def thresholds(self) -> Sequence[Fraction]:
        return ()

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        return [data.P + 1, data.N + 1] if len(data.positives) in data.shown else [0, 0]

    def words(self, decimals: int) -> int:
        return 2

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        P, N = (word - 1 for word in words)
        if words == [0, 0]:
            return Table(self.columns, withheld=self.study.too_few)
        if self.study.weighted and P == N == 0:
            return Table(self.columns, undefined=NO_WEIGHT)
        if min(P, N) < 0 or not 0 < P + N <= MOST_SAMPLES:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        share = half_up(Fraction(P * 10**decimals, P + N))
        row = *map(self.study.amount, (P, N)), decimal_text(share, decimals)
        limits = beside_counts(P, P + N, self.level, decimals) if self.level else None
        return Table(self.columns, ((*row, *(limits or ())),))

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= MOST_SAMPLES

    def leaks(self, decimals: int) -> str:
        what = "weight" if self.study.weighted else "number"
        return f"the {what} of samples of each class, exactly"

    def weighted_digits(self, decimals: int) -> int:
        return DIGITS_OF_WEIGHT * self.words(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return (f"{self.text}: {self.study.of_classes}",)
