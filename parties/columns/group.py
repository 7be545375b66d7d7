"""The group of each sample, by a public category: a sex, a ward, a range of ages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.analyses.subgroups import Subgroups
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.lists.folds import TEXT, NotCanonical, canonical
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.groups import GROUP


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy(ExtraColumn):
    """By what samples come into groups; the groups are an option of the protocols.

    Where lists are joined nobody learns how many rows of a group are: fewer than the study's
    least of joined rows look like none, so that `least` may be no more than that.

    A group of fewer than `least` samples in all keeps the study from being computed. So does one of
    which an owner has a larger part than the rule allows of all samples, or that fewer owners have
    than it asks for: its number would tell of few patients. Case and blanks at the ends of a value
    make no difference.

    >>> GroupBy(column="sex").column
    'sex'
    """

    name: ClassVar[str] = GROUP
    heading: ClassVar[str] = "Groups by"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = Subgroups.name
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the groups",
        "Name it (groups.by, or --group-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "says by what samples come into groups, but not into which",
        "Name the values (groups.values, or --group for each).",
    )

    column: str = option(
        "",
        "the column of groups; what it holds of a sample stays with its owner",
        table="groups",
        key="by",
        flag="group-by",
        applies=lambda by: bool(by.column),
    )
    least: int = option(
        50,
        "fewest samples of a group in all; 0: any",
        table="groups",
        flag="group-least",
        least=0,
    )

    def simulated(self, key: bytes) -> Self:
        return replace(self, least=0)

    def check_study(self, options: Options) -> None:
        ExtraColumn.check_study(self, options)
        self._check_from(options.groups_from, options)
        self._check_least_join(self.least, options, "group")

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        places = {canonical(group, TEXT): place for place, group in enumerate(options.groups)}
        known = {text: places.get(plain_group(text)) for text in set(map(str, values))}
        found = [known[str(value)] for value in values]
        unknown = Fault.found(
            "group", "none of the study's", np.array([place is None for place in found], np.bool_)
        )
        if unknown is not None:
            raise DataRefused(
                f'In column "{self.column}"',
                faults=[unknown],
                advice=f"The study has the groups {', '.join(options.groups)}; correct these rows, "
                "leave them out, or agree on another group for them.",
            )
        if options.least_join:
            # how many rows are in which group is not told
            return np.array(found, np.uint64)
        classes = {(place, bool(label)) for place, label in zip(found, labels, strict=True)}
        if (
            len(labels)
            and len({label for _, label in classes}) == 2
            and len(classes) == len({place for place, _ in classes})
        ):
            raise DataRefused(
                f'Column "{self.column}" says the class of every row of this list: how many '
                "samples each group has would tell its class counts",
                advice="Name a column of groups that is not made of the labels.",
            )
        return np.array(found, np.uint64)

    def refuses(
        self,
        lists: Sequence[Sequence[int]],
        options: Options,
        most_share: float,
        least_owners: int,
    ) -> str:
        if options.least_join:
            return ""
        for group, sizes in zip(options.groups, zip(*lists, strict=True), strict=True):
            if sum(sizes) < self.least:
                return f'group "{group}" has {sum(sizes)} of at least {self.least} samples'
            there = sum(size > 0 for size in sizes)
            if self.least and there < least_owners:
                return f'group "{group}" is in {there} of at least {least_owners} lists'
            if max(sizes) > most_share * sum(sizes):
                return f'one list has more than {most_share:.0%} of group "{group}"'
        return ""


def plain_group(text: str) -> str:
    """The form of a value by which groups are compared; empty of what has none."""
    try:
        return canonical(text, TEXT)
    except NotCanonical:
        return ""
