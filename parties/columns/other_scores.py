"""The scores of other models for each sample, where several models are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.analyses.comparison import ModelComparison
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.option import Option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.models import OTHER_SCORES


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherScores(ExtraColumn):
    """The scores of other models for the same samples, in the resolution of the first ones.

    They are as many as `Options.against` names: how many there are concerns the protocols.

    >>> OtherScores().in_options(Options(metrics=("auroc_models",), against=("old", "new"))).columns
    ('old', 'new')
    """

    name: ClassVar[str] = OTHER_SCORES
    heading: ClassVar[str] = "Other models"
    numeric: ClassVar[bool] = True
    several: ClassVar[bool] = True
    analysis: ClassVar[str] = ModelComparison.name
    missing: ClassVar[tuple[str, str]] = (
        "is missing: a metric compares the scores of several models",
        "Name the column of each other model's scores (`study new` and `simulate`: --against "
        "COLUMN, once for each).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names scores of other models, but no metric compares models",
        "Ask for auroc_models, auroc_contrasts or another one that does, or leave it out.",
    )

    names: tuple[str, ...] = ()

    @classmethod
    def naming(cls) -> Option:
        return Options.options()["against"]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    def in_options(self, options: Options) -> Self:
        return replace(self, names=options.against)

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        found = [encode(column, labels, options.scale) for column in values]
        return np.stack(found, axis=1)
