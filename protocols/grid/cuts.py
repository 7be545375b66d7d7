"""The cut points of a study on a grid: the thresholds of all its statistics together.

Whoever sees counts up to two cut points sees how many samples lie between them. So all cut points
of a study are merged at once, by the strictest of its statistics (see
`ppaurora.protocols.grid.merging`), and no statistic reads one that did not survive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ppaurora.mpc.on_first_use import np
from ppaurora.protocols.arithmetic.decimal_fraction import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import Grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINEST_WRITTEN = 1 << 16
"""Multiples of 1/2^16 are written with as many digits as a parameter may have."""


class Cutting(ABC):
    """What a statistic says that reads the histogram at cut points."""

    __slots__ = ()

    shows_counts: ClassVar[bool] = True
    """Whether it releases something at each cut point, and not only one number of all of them."""

    @property
    @abstractmethod
    def text(self) -> str:
        """How a study asks for it."""

    @abstractmethod
    def thresholds(self) -> Sequence[Fraction]:
        """The scores at which it reads, above 0 and below 1."""

    @property
    def least_count(self) -> int:
        """How many samples at least must lie between two cut points that it releases."""
        return 1

    @property
    def both_classes_count(self) -> bool:
        """Whether each class, and not only both together, must reach that number."""
        return False


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
        """Those of a study's statistics; a threshold beside the grid is refused."""
        asking = [one for one in statistics if isinstance(one, Cutting)]
        places = {one: {_place(one, at, grid) for at in one.thresholds()} for one in asking}
        shown = [places[one] for one in asking if one.shows_counts]
        strict = [one for one in asking if one.least_count > 1]
        return cls(
            tuple(sorted(set().union(*places.values()))),
            tuple(sorted(set().union(*shown))),
            max((one.least_count for one in strict), default=1),
            any(one.both_classes_count for one in strict),
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
        """Whether a cut point may have to go."""
        return self.least > 1


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
