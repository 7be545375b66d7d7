"""The time until which each sample was followed: to its event, or to its censoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.analyses.survival import Survival
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.grid.time_grid import LATEST
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.times import TIME


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeColumn(ExtraColumn):
    """The column of times; the grid in which they are counted is an option of the protocols.

    Times are numbers from 0, in the unit of the grid: days, say, for all owners.

    >>> TimeColumn(column="days").column
    'days'
    """

    name: ClassVar[str] = TIME
    heading: ClassVar[str] = "Times"
    numeric: ClassVar[bool] = True
    scale: ClassVar[Scale | None] = Scale.of("full", (0, int(LATEST)))
    analysis: ClassVar[str] = Survival.name
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the times: a metric is of times to an event",
        "Name it (times.column, or --time COLUMN).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names the times of the samples, and no metric is of times to an event",
        "Ask for c_index, or the analysis survival, or leave it out.",
    )

    column: str = option(
        "",
        "the column of times, each to the event of its sample or to its censoring",
        table="times",
        flag="time",
        applies=lambda one: bool(one.column),
    )

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        times, grid = np.asarray(values, np.float64), options.times
        faults = [Fault.found("time", "below 0 or no number", ~(times >= 0))]
        if grid.apart:
            between = grid.between(times)
            faults.append(Fault.found("time", "no edge of the study's grid", between))
        found = [one for one in faults if one is not None]
        if found:
            raise DataRefused(
                f'In column "{self.column}"',
                faults=found,
                advice="Correct these rows or leave them out"
                + (
                    "; or agree on a study without `apart` under [times], which takes all times "
                    "of a cell for equal."
                    if grid.apart
                    else "."
                ),
            )
        return grid.places(times).astype(np.uint64)
