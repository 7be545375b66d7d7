"""Mean and simulation error of what was drawn many times, added up part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum, nan, sqrt


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of values, their sum, and the sum of their squares.

    >>> found = Tally.of([1, 2]) + Tally.of([3])
    >>> found.runs, found.mean, found.deviation
    (3, 2.0, 1.0)
    """

    runs: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, values: Iterable[float]) -> Tally:
        """The tally of these values; a truth counts 1."""
        listed = [float(value) for value in values]
        return cls(len(listed), fsum(listed), fsum(value * value for value in listed))

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.runs + other.runs, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """Not a number where nothing was drawn."""
        return self.total / self.runs if self.runs else nan

    @property
    def deviation(self) -> float:
        """The standard deviation of one value."""
        if self.runs < 2:
            return nan
        spread = self.squares - self.total * self.total / self.runs
        return sqrt(max(0.0, spread) / (self.runs - 1))

    @property
    def error(self) -> float:
        """The standard error of the mean: what another seed would change."""
        return self.deviation / sqrt(self.runs) if self.runs else nan

    @property
    def is_share(self) -> bool:
        """True if every value was 0 or 1."""
        return self.runs > 0 and self.total == self.squares <= self.runs

    def limits(self, z: float, *, share: bool | None = None) -> tuple[float, float]:
        """The mean less and plus z standard errors; of a share, Wilson's limits.

        Those stay between 0 and 1, and where all values were the same they are still apart. Of
        values between 0 and 1 that are not all 0 or 1 they are too wide.

        >>> low, high = Tally.of([1] * 20).limits(1.96)
        >>> round(low, 3), high
        (0.839, 1.0)
        """
        if self.is_share if share is None else share:
            n, p = self.runs, self.mean
            middle = (p + z * z / (2 * n)) / (1 + z * z / n)
            half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
            return max(0.0, middle - half), min(1.0, middle + half)
        half = z * self.error if self.runs > 1 else 0.0
        return self.mean - half, self.mean + half

    @property
    def root_mean_square(self) -> float:
        return sqrt(self.squares / self.runs) if self.runs else nan
