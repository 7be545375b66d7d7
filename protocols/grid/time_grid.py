"""A public grid of times: cells between points in time, into which owners count their samples.

The cell of an edge holds the times that are no later than it and later than the edge before it;
what lies behind the last edge, the horizon, is in one more cell. Samples of one cell have the same
time for whatever is computed, and of these events come first. A time and an edge are compared as
doubles, so that every machine finds the same cell.

A study names the edges, or a width and a horizon that is a multiple of it. Where it says that times
are `apart`, every time up to the horizon has to be an edge: then the grid holds each time apart,
and what is computed is that of the times themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import Thresholds

LATEST = Fraction(10**15)
MOST_EDGES = 1 << 12
MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """The edges in ascending order, more than 0; `apart` if there are no times between them.

    >>> grid = TimeGrid.of((), "0.5", "1.5")
    >>> len(grid), grid.places(np.array([0.0, 0.5, 0.6, 2.0])).tolist()
    (4, [0, 0, 1, 3])
    """

    edges: tuple[Fraction, ...]
    apart: bool = False

    @classmethod
    def of(
        cls, edges: Sequence[str], width: str = "", horizon: str = "", *, apart: bool = False
    ) -> TimeGrid:
        """The grid that a study's words describe; refused where they describe none.

        >>> TimeGrid.of(("30", "90", "365")).horizon
        Fraction(365, 1)
        >>> TimeGrid.of((), "10", "60").edges[:2]
        (Fraction(10, 1), Fraction(20, 1))
        """
        if edges and (width or horizon):
            raise OptionRefused(
                "time_edges", "and a width are both there", advice="Leave one of them out."
            )
        if edges:
            return cls._checked([_number("time_edges", text) for text in edges], apart)
        if not width or not horizon:
            missing = "time_width" if horizon else "time_horizon"
            raise OptionRefused(
                missing,
                "is missing: a grid of equal steps has a width and a horizon",
                advice="Say both (--time-width 30 --time-horizon 3600), or name the edges.",
            )
        step, end = _number("time_width", width), _number("time_horizon", horizon)
        if step <= 0 or end % step:
            raise OptionRefused("time_horizon", "must be a multiple of the width")
        if end > MOST_EDGES * step:
            raise OptionRefused(
                "time_width",
                f"makes more than {MOST_EDGES} cells up to the horizon",
                advice="Take a larger width, or an earlier horizon.",
            )
        return cls._checked([step * k for k in range(1, int(end / step) + 1)], apart)

    @classmethod
    def _checked(cls, edges: Sequence[Fraction], apart: bool) -> TimeGrid:
        rising = all(float(one) < float(other) for one, other in pairwise(edges))
        if not rising or not edges[0] > 0 or len(edges) > MOST_EDGES:
            raise OptionRefused(
                "time_edges", f"must be at most {MOST_EDGES} rising times, of more than 0"
            )
        return cls(tuple(edges), apart)

    def __len__(self) -> int:
        """The number of cells, of which the last one is behind the horizon."""
        return len(self.edges) + 1

    @property
    def horizon(self) -> Fraction:
        """The last edge."""
        return self.edges[-1]

    @property
    def words(self) -> str:
        """The grid in words."""
        return f"{len(self.edges)} cells of times up to {decimal(self.horizon)}"

    def places(self, times: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cell of each time, the earliest first."""
        # a threshold of the direction "lower" belongs to what lies below
        return Thresholds(self.edges, direction="lower").places(times)

    def between(self, times: NDArray[np.float64]) -> NDArray[np.bool_]:
        """The times up to the horizon that are no edge."""
        edges = np.array([float(edge) for edge in self.edges])
        return np.asarray((times <= edges[-1]) & ~np.isin(times, edges), np.bool_)

    def place(self, time: Fraction) -> int | None:
        """The cell that ends at a time; None if it is no edge."""
        return self.edges.index(time) if time in self.edges else None


def _number(option: str, text: str) -> Fraction:
    """The number that a text is; refused where it is none, or one that no time is."""
    plain = text.replace(".", "", 1)
    if not (plain.isascii() and plain.isdecimal() and len(text) <= MOST_DIGITS):
        raise OptionRefused(option, f'has "{text}", which is not written as a time is: 30 or 0.5')
    number = Fraction(text)
    if number > LATEST:
        raise OptionRefused(option, f"has a time beyond {LATEST}")
    return number
