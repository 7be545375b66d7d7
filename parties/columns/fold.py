"""The fold of each sample in a cross-validation, by an identifier that stays with its owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.keyed import KeyedColumn
from ppaurora.protocols.analyses.cross_validation import CrossValidation
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.folds import CUT_FORMS, FORMS, TEXT, FoldRule, fits, key_commitment
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.folds import FOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldBy(KeyedColumn):
    """By what records come into folds; how many folds there are is an option of the protocols.

    `column` holds the identifiers and `form` is how they are written. `key` is the commitment to
    the key that the owners share, or there are public `cuts` instead. A fold of fewer than `least`
    samples in all keeps the study from being computed. Where lists are joined nobody learns how
    many rows of a fold are, and fewer than the study's least of joined rows look like none.

    >>> FoldBy(column="born", form="date", cuts=("1950-01-01", "1970-01-01")).column
    'born'
    """

    name: ClassVar[str] = FOLD
    heading: ClassVar[str] = "Folds by"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = CrossValidation.name
    key_for: ClassVar[str] = "assigns folds"
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the identifiers",
        "Name the column of the patients' identifiers or birth dates (folds.by, or --fold-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "says by what records come into folds, but not into how many",
        "Say how many folds (folds.count, or --folds 5).",
    )

    column: str = option(
        "",
        "the column of identifiers; all rows of one identifier are in one fold",
        table="folds",
        key="by",
        flag="fold-by",
    )
    form: str = option(
        TEXT, "how identifiers are written", table="folds", flag="fold-form", choices=FORMS
    )
    key: str = option(
        "",
        "of the owners' shared key, as `ppaurora keys owners` prints it",
        table="folds",
        flag="fold-key",
        applies=lambda by: bool(by.key),
    )
    cuts: tuple[str, ...] = option(
        (),
        "public cut points of the identifiers, one fewer than folds, instead of the owners' key",
        table="folds",
        flag="fold-cuts",
        detail="1950-01-01/1970-01-01, or 300/600",
        joined="/",
        applies=lambda by: bool(by.cuts),
    )
    least: int = option(
        10,
        "fewest samples of a fold in all; 0: any",
        table="folds",
        flag="fold-least",
        least=0,
    )

    def check(self) -> None:
        """Refuse a rule that does not say how records come into folds."""
        KeyedColumn.check(self)
        if self.key and self.cuts:
            raise OptionRefused("key", "and cuts are both there", advice="Leave one of them out.")

    def check_study(self, options: Options) -> None:
        KeyedColumn.check_study(self, options)
        if self.column:
            self.check_rule(options.folds)
        self._check_from(options.folds_from, options)
        self._check_least_join(self.least, options, "fold")

    def check_rule(self, count: int) -> None:
        """Refuse what assigns no records to so many folds."""
        if not self.column:
            what, advice = self.missing
            raise OptionRefused("column", what, advice=advice)
        if self.cuts and not fits(self.cuts, self.form, count):
            raise OptionRefused(
                "cuts",
                f"must be {count - 1} rising points, one fewer than folds, of the form "
                f"{' or '.join(CUT_FORMS)}",
            )

    def check_agreed(self) -> None:
        if not self.key and not self.cuts:
            raise OptionRefused(
                "key",
                "or folds.cuts must be there",
                advice="Write the line that `ppaurora keys owners` prints, or public cut points.",
            )

    def simulated(self, key: bytes) -> Self:
        return replace(self, least=0, key="" if self.cuts else key_commitment(key))

    def rule(self, count: int) -> FoldRule:
        """The assignment of records to so many folds."""
        return FoldRule(count, self.form, self.cuts)

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        texts = [str(value) for value in values]
        return self.rule(options.folds).assigned(texts, shared_key, column=self.column)

    def refuses(
        self,
        lists: Sequence[Sequence[int]],
        options: Options,
        most_share: float,
        least_owners: int,
    ) -> str:
        if options.least_join:
            return ""
        for fold, sizes in enumerate(zip(*lists, strict=True)):
            if sum(sizes) < self.least:
                return f"fold {fold} has {sum(sizes)} of at least {self.least} samples"
        return ""
