"""The logarithmic loss: the mean surprise at the labels, had the scores been right.

    -Σ (y·ln f + (1 - y)·ln(1 - f)) / n,    between 0 and 36.05,

with f kept 2^-52 away from 0 and 1, as scikit-learn does. One hop before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.grid.sums import Sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.of_sums import MeanLoss, WeightedMeanLoss
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class LogLoss(MeanLoss):
    """The mean of -ln f of positives and -ln(1 - f) of negatives."""

    listed: ClassVar[bool] = True
    name: ClassVar[str] = "log_loss"
    short: ClassVar[str] = "Logarithmic loss"
    title: ClassVar[str] = "logarithmic loss of the scores as probabilities"
    known_as: ClassVar[str] = "scikit-learn log_loss"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.LOGS})
    which: ClassVar[Sum] = Sum.LOGS
    joins: ClassVar[bool] = True
    within: ClassVar[PublicRange] = PublicRange(tens=2)

    def over_secret_total(self) -> WeightedLogLoss:
        return WeightedLogLoss()


@dataclass(frozen=True, slots=True)
class WeightedLogLoss(WeightedMeanLoss, LogLoss):
    """The same of samples that count with weights."""
