"""The second score of each sample, where two classifiers are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.analyses.comparison import ModelComparison
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pairs import SECOND_SCORE


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondScore(ExtraColumn):
    """The scores of another classifier for the same samples, in the resolution of the first ones.

    >>> SecondScore(column="rival").column
    'rival'
    """

    name: ClassVar[str] = SECOND_SCORE
    heading: ClassVar[str] = "Second scores"
    numeric: ClassVar[bool] = True
    analysis: ClassVar[str] = ModelComparison.name
    missing: ClassVar[tuple[str, str]] = (
        "is missing: a metric compares two columns of scores",
        "Name the column of the second scores (`study new` and `simulate`: --against COLUMN).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names a second column of scores, but no metric compares two",
        "Ask for auroc_difference, auroc_differs or tpauc_difference, or leave it out.",
    )

    column: str = option(
        "",
        "the column of second scores, where a metric compares two; metrics of one score are of the "
        "first",
        table="scores",
        key="against",
        flag="against",
        applies=lambda one: bool(one.column),
    )

    def check(self) -> None:
        """Take a name without the blanks around it."""
        object.__setattr__(self, "column", self.column.strip())

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        return encode(values, labels, options.scale)
