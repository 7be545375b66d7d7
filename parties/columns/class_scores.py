"""The scores of each sample for all classes but the first, where there are several classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.option import Option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import CLASS_SCORES


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores(ExtraColumn):
    """A column of scores for each class but the first, named as the class is.

    >>> of = Options(metrics=("auroc_classes",), classes=("benign", "suspect", "malignant"))
    >>> ClassScores().in_options(of).columns
    ('suspect', 'malignant')
    """

    name: ClassVar[str] = CLASS_SCORES
    heading: ClassVar[str] = "Classes"
    numeric: ClassVar[bool] = True
    several: ClassVar[bool] = True
    analysis: ClassVar[str] = ""
    missing: ClassVar[tuple[str, str]] = (
        "are missing: a metric is of several classes",
        "Name each class (`study new` and `simulate`: --class-name NAME, once for each).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "are named, but no metric is of several classes",
        "Ask for auroc_classes or auroc_multiclass, or leave them out.",
    )

    names: tuple[str, ...] = ()

    @classmethod
    def naming(cls) -> Option:
        return Options.options()["classes"]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    def in_options(self, options: Options) -> Self:
        return replace(self, names=options.classes[1:])

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        # the pipeline adds the labels of each class
        none = np.zeros_like(labels)
        return np.stack([encode(column, none, options.scale) for column in values], axis=1)
