"""The positives among the samples down to each score: all points of both curves, as whole numbers.

A row has the number of samples with a score at or above a threshold and how many of them are
positive, one row for each score that occurs, the highest first. From it a receiver computes what it
likes, for instance the areas of `ppaurora.protocols.release.curve_areas`. It discloses every label,
see `ppaurora.protocols.statistics.every_label`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.every_label import FromEveryLabel

COLUMNS = ("samples", "positives")


@dataclass(frozen=True, slots=True)
class LabelsByRank(FromEveryLabel):
    """Samples and positives down to each score."""

    name: ClassVar[str] = "labels_by_rank"
    title: ClassVar[str] = (
        "every point of the curves: the positives down to each score, which DISCLOSES EVERY LABEL"
    )
    known_as: ClassVar[str] = "scikit-learn roc_curve, precision_recall_curve"
    kind: ClassVar[ValueKind] = ValueKind.TABLE

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        rows = tuple((str(j), str(t)) for j, t in self.points(words))
        return Table(COLUMNS, rows)

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)
