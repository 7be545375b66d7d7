"""The contract of a kind of column: all that is known of one stands in its one file.

A study may need more of each sample than a score and a label: scores of other models, an
identifier by which it comes into a fold. A kind of column says how it is named in study.toml and on
the command line, whether its values are read as scores are or as texts, what words an owner
computes with instead of them, and what it tells. A pipeline asks for kinds by name, in the order of
its keys.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import ppaurora.parties.columns as room
from ppaurora.mpc.words import Words
from ppaurora.protocols.discovery import implementations
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.option import Option, OptionSet
from ppaurora.protocols.options import ONE_SIDE, Options
from ppaurora.protocols.pipelines.folds import FOLD

Values = NDArray[np.generic] | Sequence[str]
"""The values of a column, row by row: numbers, or texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraColumn(OptionSet, ABC):
    """One kind of column, and what a study says of it; `column` is its name in the lists.

    A study without a name has no such column.
    """

    name: ClassVar[str]
    """The name by which pipelines ask for it."""
    heading: ClassVar[str]
    """The values of the column, in the words of a report."""
    numeric: ClassVar[bool]
    """True if the values are read as numbers; else they are texts."""
    decimals: ClassVar[bool] = False
    """True if its texts are numbers, which may have decimals."""
    scale: ClassVar[Scale | None] = None
    """The numbers that there may be; None of a column that is read as the scores are."""
    is_label: ClassVar[bool] = False
    """True if the values are the labels of the list, whose column it names instead."""
    analysis: ClassVar[str]
    """The analysis of a simulation that names such a column and asks for nothing else, if any."""
    missing: ClassVar[tuple[str, str]]
    """The fault of a study whose metrics need the column that it does not name, and the advice."""
    unneeded: ClassVar[tuple[str, str]]
    """The fault of a study that names the column, which no metric needs, and the advice."""

    several: ClassVar[bool] = False
    """True if it is of several columns, whose words stand side by side in each row."""
    key_for: ClassVar[str] = ""
    """The use of the key that the owners share, if they need one."""

    column: str = ""

    def check(self) -> None:
        """Take a name without the blanks around it."""
        object.__setattr__(self, "column", self.column.strip())

    @classmethod
    def naming(cls) -> Option:
        """The option of a study that names its columns."""
        return cls.options()["column"]

    @classmethod
    def said(cls, error: OptionRefused) -> Option:
        """The option at which an error of a study's check is told."""
        return cls.options().get(error.option) or cls.naming()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns in the lists."""
        return (self.column,) if self.column else ()

    def in_options(self, options: Options) -> Self:
        """The same in a study with these options, which may say more of it."""
        return self

    def keys_in(
        self,
        table: Mapping[str, Values],
        labels: NDArray[np.uint8],
        options: Options,
        shared_key: bytes,
    ) -> Words:
        """The words of its columns in a table of columns by name."""
        values = [table[name] for name in self.columns]
        return self.keys(values if self.several else values[0], labels, options, shared_key)

    @abstractmethod
    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        """The words that an owner computes with instead of the values, row by row.

        The values of a kind of `several` columns are a list of columns. `shared_key` is the
        owners' key, empty where none is agreed on; `DataRefused` tells rows that do not fit,
        without their values.
        """

    def check_study(self, options: Options) -> None:
        """Refuse a column that the metrics need and that is not named, or the reverse."""
        needed = self.name in options.pipeline.columns
        if needed and not self.columns:
            what, advice = self.missing
            raise OptionRefused("column", what, advice=advice)
        if not needed and self != type(self)():
            what, advice = self.unneeded
            raise OptionRefused("column", what, advice=advice)

    def _check_from(self, side: str, options: Options) -> None:
        """Refuse to say at which side of a join lists have the column, in a study that has none."""
        if side != ONE_SIDE[0] and not (self.column and options.least_join):
            raise OptionRefused(
                "column",
                f'names a column that only lists of {side} have (from = "{side}"), and lists have '
                "both scores and labels in a study that joins none",
                advice="Leave `from` out, or join lists (join.by and join.least, or --join-by and "
                "--least-join).",
            )

    def _check_least_join(self, least: int, options: Options, part: str) -> None:
        """Refuse a fewest number of samples of a group or fold that nobody can hold joins against.

        With fewer joined rows than the least of a join, in all or in any part, there is no number.
        """
        if self.column and options.least_join and least > options.least_join:
            raise OptionRefused(
                "least",
                f"is {least}, and of a {part} of joined rows it is join.least, "
                f"{options.least_join}: nobody learns how many rows of a {part} are joined, and "
                f"fewer than that, in all or in any {part}, look like none",
                advice=f"Take a join.least of {least} (--least-join), or a {part}s.least of "
                f"{options.least_join} (--{part}-least).",
            )

    def check_agreed(self) -> None:
        """Refuse what the parties have not agreed on yet; a simulation draws it."""

    @property
    def commitment(self) -> str:
        """The commitment to the key that the owners share; empty where they need none."""
        return ""

    def simulated(self, key: bytes) -> Self:
        """The same for a simulation, whose owners share this key and may have any sizes."""
        return self

    def of_study(self, study: str) -> Self:
        """The same in the study of this name."""
        return self

    def refuses(
        self,
        lists: Sequence[Sequence[int]],
        options: Options,
        most_share: float,
        least_owners: int,
    ) -> str:
        """The reason why lists of these sizes may not be computed with; empty if they may.

        They are the sizes of the lists in each upload; `most_share` is the largest part of samples
        that one owner may have, `least_owners` the fewest with samples.
        """
        return ""


Extras = tuple[ExtraColumn, ...]


@cache
def column_kinds() -> Mapping[str, type[ExtraColumn]]:
    """Every kind of column by name.

    >>> [*column_kinds()][:4]
    ['class', 'class scores', 'cluster', 'event']
    """
    contract: type[ExtraColumn] = ExtraColumn  # type: ignore[type-abstract]
    return {one.name: one for one in implementations(room, contract)}


def of_list(extra: Extras, options: Options, holds: str) -> Extras:
    """The columns that a list has which holds scores only, labels only, or both."""
    there = options.pipeline.columns_of(holds)
    return tuple(one for one in extra if one.name in there)


def in_study(declared: Iterable[ExtraColumn], options: Options) -> Extras:
    """The columns that a study with these options has, of those that are declared for it."""
    found = {one.name: one for one in declared}
    for name, kind in column_kinds().items():
        found[name] = found.get(name, kind()).in_options(options)
        try:
            found[name].check_study(options)
        except OptionRefused as error:
            said, what = kind.said(error), error.what.removeprefix(error.option)
            where = f"{said.table}.{said.key}"
            raise OptionRefused(where, what.strip(), advice=error.advice) from None
    extra = tuple(found[name] for name in options.pipeline.columns)
    # one identifier may say by what rows are joined and in which fold they are
    kinds = [one for one in extra if not (one.name == FOLD and options.least_join)]
    names = [name for one in kinds for name in one.columns]
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise OptionRefused(
            "column",
            f'names the column "{twice[0]}" for two purposes',
            advice="Give each its own column.",
        )
    return extra
