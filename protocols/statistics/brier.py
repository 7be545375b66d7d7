"""The Brier score: the mean squared error of the scores as probabilities.

    Σ (y - f)² / n,    between 0 and 1.

One hop before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.grid.sums import Sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.statistics.of_sums import MeanLoss, WeightedMeanLoss
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class Brier(MeanLoss):
    """The mean of (y - f)²."""

    listed: ClassVar[bool] = True
    name: ClassVar[str] = "brier"
    short: ClassVar[str] = "Brier score"
    reference: ClassVar[str] = "Brier, Monthly Weather Review 1950"
    title: ClassVar[str] = "Brier score, the mean squared error of the scores"
    known_as: ClassVar[str] = "scikit-learn brier_score_loss, rms val.prob"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.SQUARES})
    which: ClassVar[Sum] = Sum.SQUARES
    joins: ClassVar[bool] = True

    def over_secret_total(self) -> WeightedBrier:
        return WeightedBrier()


@dataclass(frozen=True, slots=True)
class WeightedBrier(WeightedMeanLoss, Brier):
    """The same of samples that count with weights."""
