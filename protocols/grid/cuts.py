"""The cut points of a study: the thresholds of all its statistics together.

Whoever sees counts up to two cut points sees how many samples lie between them. So the study states
one least cell for all (`ppaurora.protocols.grid.least_cell`), and no statistic reads a cut point
that may not be shown. Thresholds that the study names come before those at equal distances.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import HIGHER, Grid
from ppaurora.protocols.grid.least_cell import Priorities
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale
from ppaurora.protocols.release.values import NO_WEIGHT


@dataclass(frozen=True, slots=True)
class AtCutPoints:
    """The scores that there may be at the cut points of a study, and its least cell.

    `direction` says which scores speak for the positive class: those called positive at a cut point
    t have a score of t or `direction`. At least `least` samples of each class lie between two cut
    points that are shown. `unit` is the step of the weights with which samples count, if they do;
    of samples that are `joined` nobody knows how many there are.
    """

    scale: Scale = PROBABILITIES
    least: int = 1
    unit: Fraction | None = None
    joined: bool = False

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
        return _between(*self.scale.ends, parts)

    @property
    def withholds(self) -> bool:
        """True if a cut point may be withheld."""
        return self.least > 1

    @property
    def few(self) -> str:
        """The condition, in words, under which a cut point is withheld."""
        return f"fewer than {self.least} of a class between this cut and another"

    @property
    def too_few(self) -> str:
        """The reason where even the class sizes are too small, so that nothing is released."""
        weightless = f", or {NO_WEIGHT}" if self.uncounted else ""
        return f"fewer than {self.least} of a class in all, in some owner's eyes{weightless}"

    @property
    def of_classes(self) -> str:
        """The fact that exact counts of both classes tell."""
        if self.weighted:
            return "tells what the samples of each class weigh, exactly"
        return "tells how many samples of each class there are, exactly"

    @property
    def weighted(self) -> bool:
        """True if samples count with weights."""
        return self.unit is not None

    @property
    def uncounted(self) -> bool:
        """True if nobody knows how many samples count, which may be none."""
        return self.weighted or self.joined

    def amount(self, steps: int) -> str:
        """A count as it is shown, or the sum of the weights of so many steps."""
        return str(steps) if self.unit is None else decimal(steps * self.unit)


@dataclass(frozen=True, slots=True)
class HeldByLeastCell:
    """The contract of a statistic that the study's least cell may keep from telling something."""

    study: AtCutPoints = field(default=AtCutPoints(), kw_only=True)

    def in_study(self, study: AtCutPoints) -> Self:
        """The statistic as it is in a study with this least cell and these cut points."""
        return replace(self, study=study)


@dataclass(frozen=True, slots=True)
class Cutting(HeldByLeastCell, ABC):
    """The contract of a statistic at cut points, which are given in the owners' own scores."""

    shows_counts: ClassVar[bool] = True
    """True if it releases something exact at each cut point, not one number for all of them."""
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
    def named(self) -> Sequence[Fraction]:
        """Those of them that the study names, in the owners' own scores."""
        return ()


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
        return Cutting.in_study(self, study)


@dataclass(frozen=True, slots=True)
class Cuts:
    """All cut points, each as the number of cells above it, in ascending order.

    Between `places` scores are summed, and at `shown` something is released, unless the least cell
    forbids it in the order of their priorities.
    """

    places: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    order: Priorities = field(default_factory=Priorities)
    least: int = 1

    @classmethod
    def of(cls, statistics: Iterable[object], grid: Grid) -> Cuts:
        """The cut points of a study's statistics, all of which are those of the grid."""
        asking = [statistic for statistic in statistics if isinstance(statistic, Cutting)]
        # many statistics ask for the same hundred thresholds, and fractions are slow to compare
        cut = cache(grid.cut)
        places = {
            statistic: {_place(statistic, at, cut) for at in statistic.thresholds()}
            for statistic in asking
        }
        released = [statistic for statistic in asking if statistic.shows_counts]
        named = {
            place
            for statistic in released
            if not isinstance(statistic, EqualParts)
            for place in places[statistic]
        }
        shown = sorted({place for statistic in released for place in places[statistic]})
        summed = [places[statistic] for statistic in asking if statistic.sums_scores]
        return cls(
            tuple(sorted(set().union(*summed))),
            tuple(shown),
            Priorities.of(shown, sorted(named), sorted(set(shown) - named)),
            max((statistic.study.least for statistic in released), default=1),
        )

    @property
    def parts(self) -> int:
        """Into how many parts the cut points divide the scores."""
        return len(self.places) + 1

    def part_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """In which part each bin lies, the highest part first."""
        return np.searchsorted(np.array(self.places, np.int64), places, side="right")

    @property
    def withhold(self) -> bool:
        """True if a cut point may be withheld."""
        return self.least > 1


@lru_cache(maxsize=64)
def _between(low: Fraction, high: Fraction, parts: int) -> tuple[Fraction, ...]:
    """The same cut points for all statistics: a study asks dozens of times for a hundred."""
    return tuple(low + (high - low) * place / parts for place in range(1, parts))


def _place(asking: Cutting, threshold: Fraction, cut: Callable[[Fraction], int | None]) -> int:
    above = cut(threshold)
    if above is None:
        raise ValueError(f"{asking.text} reads at {threshold}, which is no cut point")
    return above
