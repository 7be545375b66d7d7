"""Logistic regressions of the labels on the scores' logits: what such statistics share.

They are of the binned scores, f being the middle of a bin; so scores of 0 and 1, whose logits are
infinite, count as half a bin away from them. One row is released, the numbers with their standard
errors: all are defined, or none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange, one_row
from ppaurora.protocols.release.recalibration import FARTHEST
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic

MOST_GROUPS, MOST_DECIMALS = 1 << 14, 9
DIGITS = 50
WITHIN = PublicRange(tens=2, shift=FARTHEST)
ERROR = PublicRange(tens=3)


@dataclass(frozen=True, slots=True)
class OfLogits(Statistic[Binned, PooledBins], EqualParts):
    """Numbers of a line through the logits, and their standard errors."""

    topic: ClassVar[Topic] = Topic.CALIBRATION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    shows_counts: ClassVar[bool] = False
    joins: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]]
    """The names of the numbers."""
    ranges: ClassVar[tuple[PublicRange, ...]]
    """The range of each."""
    bins: int = whole(
        "equal parts of the range of the scores", 1024, least=2, most=MOST_GROUPS
    )  # fmt: skip

    @property
    def parts(self) -> int:
        return self.bins

    @abstractmethod
    def fitted(
        self, party: Party, positives: Shared, samples: Shared, n: int, decimals: int
    ) -> Shared:
        """The released words, from the counts of each part."""

    @abstractmethod
    def numbers(
        self, x: Sequence[float], positives: Sequence[int], samples: Sequence[int]
    ) -> Sequence[float] | None:
        """The numbers in the clear, from the logits and the counts; None where there are none."""

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        positives, negatives = data.between(self.thresholds())
        return self.fitted(party, positives, positives + negatives, data.n, decimals)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        positives, negatives = data.between(self.thresholds())
        samples = [sum(both) for both in zip(positives, negatives, strict=True)]
        found = self.numbers(list(map(float, logits(self.bins))), positives, samples)
        if found is None:
            return [one.missing(decimals) for one in self.ranges]
        return [
            one.word(Fraction(number), decimals)
            for one, number in zip(self.ranges, found, strict=True)
        ]

    def words(self, decimals: int) -> int:
        return len(self.columns)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return one_row(self.text, self.columns, words, self.ranges, decimals, self.undefined)

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n == 0 or decimals <= MOST_DECIMALS

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


@cache
def logits(parts: int) -> tuple[Decimal, ...]:
    """logit f of the middle of each of so many equal parts of the scores, the highest first.

    Logarithms are taken of primes alone, since a session waits for it.
    """
    with localcontext() as context:
        context.prec = DIGITS
        ln: dict[int, Decimal] = {1: Decimal(0)}
        for odd in range(3, 2 * parts, 2):
            factor = next((one for one in range(3, isqrt(odd) + 1, 2) if not odd % one), odd)
            ln[odd] = ln[factor] + ln[odd // factor] if factor < odd else Decimal(odd).ln()
        odds = [*ln.values()]
        return tuple(high - low for high, low in zip(reversed(odds), odds, strict=True))
