"""The event of each sample: whether its time ends with the event, or is censored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn, Values
from ppaurora.protocols.analyses.survival import Survival
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.times import EVENT


@dataclass(frozen=True, slots=True, kw_only=True)
class EventColumn(ExtraColumn):
    """The column of events, which takes the place of the labels and is read as they are.

    The positive label stands for the event, the negative one for a censored time.

    >>> EventColumn(column="died").is_label
    True
    """

    name: ClassVar[str] = EVENT
    heading: ClassVar[str] = "Events"
    numeric: ClassVar[bool] = False
    is_label: ClassVar[bool] = True
    analysis: ClassVar[str] = Survival.name
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the events: a metric is of times to an event",
        "Name it (times.event, or --event COLUMN): 1 where the event came, 0 where the time is "
        "censored, or the study's words for the two labels.",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names the events of the samples, and no metric is of times to an event",
        "Ask for c_index, or the analysis survival, or leave it out.",
    )

    column: str = option(
        "",
        "the column that says whether a time ends with the event, in place of the labels",
        table="times",
        key="event",
        flag="event",
        applies=lambda one: bool(one.column),
    )

    def keys_in(
        self,
        table: Mapping[str, Values],
        labels: NDArray[np.uint8],
        options: Options,
        shared_key: bytes,
    ) -> Words:
        return self.keys(labels, labels, options, shared_key)

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        return np.asarray(labels).astype(np.uint64)
