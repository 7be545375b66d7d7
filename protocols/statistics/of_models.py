"""Statistics that compare the scores of several models: what they share.

The models are those of the study: the first one's scores, and the columns that `against` names. A
statistic asked for by its text alone is of two models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.models import MOST_MODELS, Models
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.ranking.covariance import PooledModels, RankedModels
from ppaurora.protocols.ranking.delong import FEW
from ppaurora.protocols.statistics.statistic import Statistic, Topic

FIRST_MODEL = "score"
"""The name of the first model in tables; the others have those of their columns."""
FEW_MODELS = 2
"""AUROCs of more models are so many equations in the labels, to who knows all scores."""


@dataclass(frozen=True, slots=True)
class OfModels(Statistic[Data, Clear]):
    """A statistic of so many models by name, the first one's before the others'."""

    topic: ClassVar[Topic] = Topic.COMPARISON
    most_models: ClassVar[int] = MOST_MODELS
    instead: ClassVar[str] = ""
    """The statistic to ask for where there are more models."""
    models: tuple[str, ...] = field(default=(FIRST_MODEL, "other"), kw_only=True)

    @property
    def k(self) -> int:
        """The number of models."""
        return len(self.models)

    def in_study(self, models: Sequence[str]) -> Self:
        """The statistic of these models; more than it compares are refused."""
        if len(models) > self.most_models:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which compares {self.most_models} models at most, and the "
                f"study has {len(models)}",
                advice=f"Ask for {self.instead}.",
            )
        return replace(self, models=tuple(models))


@dataclass(frozen=True, slots=True)
class OfRankings(OfModels[RankedModels, PooledModels]):
    """A statistic of the AUROCs of several models, from their covariance."""

    pipeline: ClassVar[type[Models]] = Models
    undefined: ClassVar[str] = FEW
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
