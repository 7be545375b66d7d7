"""The identifier by which rows of different owners are joined: scores at one, labels at another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.keyed import KeyedColumn
from ppaurora.protocols.analyses.joined import JoinedLists
from ppaurora.protocols.lists.folds import FORMS, TEXT, key_commitment
from ppaurora.protocols.lists.tags import Side, tags
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.joined import TAG


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinBy(KeyedColumn):
    """By what rows are joined; with fewer joined rows than an option of the protocols says there is
    no number.

    `column` holds the identifiers and `form` is how they are written. `key` is the commitment to
    the key that the owners share. `study` is the name of the study, to which tags are bound.

    >>> JoinBy(column="insurance number").column
    'insurance number'
    """

    name: ClassVar[str] = TAG
    heading: ClassVar[str] = "Joined by"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = JoinedLists.name
    key_for: ClassVar[str] = "joins lists"
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the identifiers by which lists are joined",
        "Name it (join.by, or --join-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "says by what lists are joined, but not how many rows must be",
        "Say how many at least (join.least, or --least-join 20).",
    )

    column: str = option(
        "",
        "the column of identifiers by which scores and labels of different owners are joined",
        table="join",
        key="by",
        flag="join-by",
    )
    form: str = option(
        TEXT, "how identifiers are written", table="join", flag="join-form", choices=FORMS
    )
    key: str = option(
        "",
        "of the owners' shared key, as `ppaurora keys owners` prints it",
        table="join",
        flag="join-key",
        applies=lambda by: bool(by.key),
    )
    study: str = ""

    def simulated(self, key: bytes) -> Self:
        return replace(self, key=key_commitment(key))

    def of_study(self, study: str) -> Self:
        return replace(self, study=study)

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        texts = [str(value) for value in values]
        return tags(texts, self.form, shared_key, self.study, column=self.column)

    def refuses(
        self,
        lists: Sequence[Sequence[int]],
        options: Options,
        most_share: float,
        least_owners: int,
    ) -> str:
        scores, labels, both = (sum(own[side] for own in lists) for side in Side)
        possible = min(scores, labels) + both
        if possible < options.least_join:
            return (
                f"of {scores} rows with a score, {labels} with a label and {both} with both at "
                f"most {possible} can be joined, and the study asks for {options.least_join}"
            )
        return ""
