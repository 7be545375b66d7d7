"""Statistics of the scores of several classes: what they share.

The classes are those of the study; a statistic asked for by its text alone is of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ppaurora.mpc.primitives import largest_wide_denominator
from ppaurora.protocols.pipelines.classes import ClassLists
from ppaurora.protocols.ranking.classes import PooledClasses, RankedClasses
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True)
class OfClasses(Statistic[RankedClasses, PooledClasses]):
    """A statistic of so many classes by name."""

    pipeline: ClassVar[type[ClassLists]] = ClassLists
    undefined: ClassVar[str] = "a class is missing"
    classes: tuple[str, ...] = field(default=("first", "second", "third"), kw_only=True)

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def in_study(self, classes: Sequence[str]) -> Self:
        """The statistic of these classes."""
        return replace(self, classes=tuple(classes))

    def fits(self, n: int, decimals: int) -> bool:
        return largest_pairs(n) <= largest_wide_denominator() and 16 * n**3 < 27 << 63

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


def largest_pairs(n: int) -> int:
    """2·P·N of n samples is at most this."""
    return max(1, n * n // 2)
