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

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import HIGHER, Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale


@dataclass(frozen=True, slots=True)
class AtCutPoints:
    """The cut points of a study, and the least counts that its statistics keep there.

    `direction` says which scores speak for the positive class: those called positive at a cut point
    t have a score of t or `direction`. At least `least` samples, of each class or of both together,
    lie between two cut points that are released, because the statistic `asked_by` asks for it.
    """

    scale: Scale = PROBABILITIES
    least: int = 1
    both_classes: bool = False
    asked_by: str = ""

    @property
    def direction(self) -> str:
        """The direction of the scores that mean positive."""
        return self.scale.direction

    @property
    def higher(self) -> bool:
        """True if higher scores mean positive."""
        return self.direction == HIGHER

    def between(self, parts: int) -> tuple[Fraction, ...]:
        """The cut points between equal parts of the range of the scores."""
        low, high = self.scale.ends
        return tuple(low + (high - low) * place / parts for place in range(1, parts))

    @property
    def few(self) -> str:
        """The condition, in words, under which a cut point is withheld."""
        what = "of a class" if self.both_classes else "samples"
        return f"fewer than {self.least} {what} between this cut and the next ({self.asked_by})"

    @property
    def too_few(self) -> str:
        """The reason why nothing at all is released."""
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
    sums_scores: ClassVar[bool] = False
    """True if it reads the sums of the scores between its cut points."""

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


class EqualParts(Cutting):
    """The contract of a statistic at the cut points between equal parts of the scores' range."""

    __slots__ = ()

    @property
    @abstractmethod
    def parts(self) -> int:
        """The number of parts."""

    def thresholds(self) -> Sequence[Fraction]:
        return self.study.between(self.parts)

    def in_study(self, study: AtCutPoints) -> Self:
        if not study.scale.bounded:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which divides the range of the scores into equal parts, "
                "and this study's has no ends",
                advice="Say between which numbers scores lie, for example range = [0, 1].",
            )
        return super().in_study(study)


@dataclass(frozen=True, slots=True)
class Cuts:
    """All cut points, each as the number of cells above it, in ascending order; how they merge.

    Between `places` scores are summed, and at `shown` something is released.
    """

    places: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    least: int = 1
    both_classes: bool = False

    @classmethod
    def of(cls, statistics: Iterable[object], grid: Grid, scale: Scale) -> Cuts:
        """The cut points of a study's statistics, all of which are those of the grid."""
        asking = [statistic for statistic in statistics if isinstance(statistic, Cutting)]
        places = {
            statistic: {_place(statistic, at, grid) for at in statistic.thresholds()}
            for statistic in asking
        }
        shown = [places[statistic] for statistic in asking if statistic.shows_counts]
        summed = [places[statistic] for statistic in asking if statistic.sums_scores]
        rule = at_cut_points(asking, scale)
        return cls(
            tuple(sorted(set().union(*summed))),
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


def at_cut_points(statistics: Iterable[object], scale: Scale) -> AtCutPoints:
    """The cut points of a study with these statistics, under the strictest of their rules."""
    strict = [
        statistic
        for statistic in statistics
        if isinstance(statistic, Cutting) and statistic.least_count > 1
    ]
    if not strict:
        return AtCutPoints(scale)
    least = max(statistic.least_count for statistic in strict)
    by_count = [statistic for statistic in strict if statistic.least_count == least]
    by_class = [statistic for statistic in strict if statistic.both_classes_count]
    decisive = next((statistic for statistic in by_count if statistic in by_class), by_count[0])
    asked_by = [decisive, *([] if decisive in by_class else by_class[:1])]
    names = " and ".join(_with_least(statistic) for statistic in asked_by)
    return AtCutPoints(scale, least, bool(by_class), names)


def _with_least(statistic: Cutting) -> str:
    """Its name with the least count, which its text leaves out where it is the usual one."""
    return f"{statistic.text.partition(':')[0]}:least={statistic.least_count}"


def _place(asking: Cutting, threshold: Fraction, grid: Grid) -> int:
    above = grid.cut(threshold)
    if above is None:
        raise ValueError(f"{asking.text} reads at {threshold}, which is no cut point")
    return above
