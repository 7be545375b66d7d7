"""The cut points of a study on a grid: the thresholds of all its statistics together.

Whoever sees counts up to two cut points sees how many samples lie between them. So all cut points
of a study are merged at once, by the strictest of its statistics (see
`ppaurora.protocols.grid.merging`), and no statistic reads one that did not survive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import HIGHER, Grid

FINEST_WRITTEN = 1 << 16
"""Multiples of 1/2^16 are written with as many digits as a parameter may have."""


@dataclass(frozen=True, slots=True)
class AtCutPoints:
    """The cut points of a study, and the least counts that its statistics keep there.

    `direction` says which scores speak for the positive class: those called positive at a cut point
    t have a score of t or `direction`. At least `least` samples, of each class or of both together,
    lie between two cut points that are released, because the statistic `asked_by` asks for it.
    """

    direction: str = HIGHER
    least: int = 1
    both_classes: bool = False
    asked_by: str = ""

    @property
    def higher(self) -> bool:
        """True if higher scores mean positive."""
        return self.direction == HIGHER

    @property
    def few(self) -> str:
        """The condition, in words, under which a cut point is withheld."""
        what = "of a class" if self.both_classes else "samples"
        return f"fewer than {self.least} {what} between this cut and the next ({self.asked_by})"

    @property
    def too_few(self) -> str:
        """Why nothing at all is released."""
        what = "of a class" if self.both_classes else "samples"
        return f"fewer than {self.least} {what} in all, in some owner's eyes ({self.asked_by})"

    @property
    def rule(self) -> str:
        """The least count in words; empty where there is none."""
        if self.least == 1:
            return ""
        what = "of each class" if self.both_classes else "samples"
        return (
            f"at least {self.least} {what} between any two cut points that are released, in every "
            f"owner's eyes ({self.asked_by})"
        )


@dataclass(frozen=True, slots=True)
class Cutting(ABC):
    """The contract of a statistic at cut points, which are given in the owners' own scores."""

    study: AtCutPoints = field(default=AtCutPoints(), kw_only=True)

    shows_counts: ClassVar[bool] = True
    """True if it releases something at each cut point, not only one number for all of them."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The text by which a study asks for the statistic."""

    @abstractmethod
    def thresholds(self) -> Sequence[Fraction]:
        """The scores at which it reads, above 0 and below 1."""

    @property
    def least_count(self) -> int:
        """The least number of samples between two released cut points."""
        return 1

    @property
    def both_classes_count(self) -> bool:
        """True if each class, and not only both together, must reach that number."""
        return False

    def in_study(self, study: AtCutPoints) -> Self:
        """The same statistic in a study where this holds at cut points."""
        return replace(self, study=study)


@dataclass(frozen=True, slots=True)
class Cuts:
    """All cut points, each as the number of bins above it, in ascending order; how they merge.

    `shown` are those at which something is released.
    """

    places: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    least: int = 1
    both_classes: bool = False

    @classmethod
    def of(cls, statistics: Iterable[object], grid: Grid) -> Cuts:
        """The cut points of a study's statistics; a threshold off the grid is refused."""
        asking = [statistic for statistic in statistics if isinstance(statistic, Cutting)]
        places = {
            statistic: {_place(statistic, at, grid) for at in statistic.thresholds()}
            for statistic in asking
        }
        shown = [places[statistic] for statistic in asking if statistic.shows_counts]
        rule = at_cut_points(asking, grid.direction)
        return cls(
            tuple(sorted(set().union(*places.values()))),
            tuple(sorted(set().union(*shown))),
            rule.least,
            rule.both_classes,
        )

    @property
    def parts(self) -> int:
        """Into how many parts the cut points divide the scores."""
        return len(self.places) + 1

    def part_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """In which part each bin lies, the highest part first."""
        return np.searchsorted(np.array(self.places, np.int64), places, side="right")

    @property
    def merge(self) -> bool:
        """True if a least count may merge cut points away."""
        return self.least > 1


def at_cut_points(statistics: Iterable[object], direction: str) -> AtCutPoints:
    """The cut points of a study with these statistics, under the strictest of their rules."""
    strict = [
        statistic
        for statistic in statistics
        if isinstance(statistic, Cutting) and statistic.least_count > 1
    ]
    if not strict:
        return AtCutPoints(direction)
    least = max(statistic.least_count for statistic in strict)
    by_count = [statistic for statistic in strict if statistic.least_count == least]
    by_class = [statistic for statistic in strict if statistic.both_classes_count]
    decisive = next((statistic for statistic in by_count if statistic in by_class), by_count[0])
    asked_by = [decisive, *([] if decisive in by_class else by_class[:1])]
    names = " and ".join(_with_least(statistic) for statistic in asked_by)
    return AtCutPoints(direction, least, bool(by_class), names)


def _with_least(statistic: Cutting) -> str:
    """Its name with the least count, which its text leaves out where it is the usual one."""
    return f"{statistic.text.partition(':')[0]}:least={statistic.least_count}"


def _place(asking: Cutting, threshold: Fraction, grid: Grid) -> int:
    above = grid.cut(threshold)
    if above is not None:
        return above
    bins = min(grid.bins, FINEST_WRITTEN)
    below = int(threshold * bins)
    near = " and ".join(
        decimal(Fraction(place, bins)) for place in (below, below + 1) if 0 < place < bins
    )
    raise OptionRefused(
        "metrics",
        f"asks for {asking.text} at {decimal(threshold)}, which is not between two of the "
        f"{grid.bins} bins",
        advice=f"The nearest cut points are {near}.",
    )
