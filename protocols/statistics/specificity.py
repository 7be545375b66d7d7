"""The specificity at given sensitivities.

Read as `ppaurora.protocols.statistics.operating_points` says, with the classes exchanged and the
list read backwards: the negatives for the height and u = 1 - sensitivity. Seven hops and four for
every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.protocols.statistics.operating_points import READS, RocReading
from ppaurora.protocols.statistics.parameters import choice, number


@dataclass(frozen=True, slots=True)
class Specificity(RocReading):
    """The largest share of negatives left out while so many positives are found."""

    name: ClassVar[str] = "specificity"
    short: ClassVar[str] = "Specificity"
    title: ClassVar[str] = "specificity at given sensitivities"
    known_as: ClassVar[str] = (
        'pROC coords(input = "sensitivity") if interpolated, scikit-learn 1 - min(fpr) of roc_curve'
    )
    backwards: ClassVar[bool] = True
    columns: ClassVar[tuple[str, str]] = ("sensitivity", "specificity")
    at_sensitivity: tuple[Fraction, ...] = number("the sensitivities to keep", several=True)
    read: str = choice("the curve at its corners, or between them too", "step", READS)

    @property
    def rates(self) -> tuple[Fraction, ...]:
        return self.at_sensitivity
