"""The class of each sample, where there are several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.columns.group import plain_group
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import CLASS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassBy(ExtraColumn):
    """The column that says by name which class a sample is in.

    A row is in the first class of the study if and only if its label is the positive one. Case and
    blanks at the ends of a value make no difference.

    >>> ClassBy(column="diagnosis").column
    'diagnosis'
    """

    name: ClassVar[str] = CLASS
    heading: ClassVar[str] = "Class by"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = ""
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the classes",
        "Name it (classes.by, or --class-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "says by what samples are in classes, but no metric is of several",
        "Ask for auroc_classes or auroc_multiclass, or leave it out.",
    )

    column: str = option(
        "",
        "the column that says which class a sample is in; what it holds stays with its owner",
        table="classes",
        key="by",
        flag="class-by",
        applies=lambda by: bool(by.column),
    )

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        places = {plain_group(name): place for place, name in enumerate(options.classes)}
        known = {text: places.get(plain_group(text), -1) for text in set(map(str, values))}
        found = np.array([known[str(value)] for value in values], np.int64)
        faults = [
            Fault.found("class", "none of the study's", found < 0),
            Fault.found(
                "label",
                f'of another class: it is the positive one if and only if the class is "'
                f'{options.classes[0]}"',
                (found >= 0) & ((found == 0) != (labels == 1)),
            ),
        ]
        there = [one for one in faults if one is not None]
        if there:
            raise DataRefused(
                f'In column "{self.column}"',
                faults=there,
                advice=f"The study has the classes {', '.join(options.classes)}; correct these "
                "rows or leave them out.",
            )
        return found.astype(np.uint64)
