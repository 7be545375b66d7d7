"""The sensitivity at given specificities.

Read as `ppaurora.protocols.statistics.operating_points` says, with the positives for the height and
u = 1 - specificity. Seven hops and four for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.protocols.statistics.operating_points import READS, RocReading
from ppaurora.protocols.statistics.parameters import choice, number


@dataclass(frozen=True, slots=True)
class Sensitivity(RocReading):
    """The largest share of positives found while so many negatives are left out."""

    name: ClassVar[str] = "sensitivity"
    aliases: ClassVar[tuple[str, ...]] = ("recall",)
    short: ClassVar[str] = "Sensitivity"
    title: ClassVar[str] = "sensitivity at given specificities"
    known_as: ClassVar[str] = (
        'pROC coords(input = "specificity") if interpolated, scikit-learn max(tpr) of roc_curve'
    )
    backwards: ClassVar[bool] = False
    columns: ClassVar[tuple[str, str]] = ("specificity", "sensitivity")
    at_specificity: tuple[Fraction, ...] = number("the specificities to keep", several=True)
    read: str = choice("the curve at its corners, or between them too", "step", READS)

    @property
    def rates(self) -> tuple[Fraction, ...]:
        return self.at_specificity
