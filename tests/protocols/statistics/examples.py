"""A few small lists, and the text that a study of one of them releases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.studies import Owner, Study, run

BINS, DECIMALS = 16, 4
GROUPS = ("first", "other")


@dataclass(frozen=True)
class Example:
    """Sixteenths as scores, which a grid of 16 bins tells apart, and labels."""

    sixteenths: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def scores(self) -> list[float]:
        return [score / BINS for score in self.sixteenths]

    @property
    def P(self) -> int:
        return sum(self.labels)

    @property
    def N(self) -> int:
        return len(self.labels) - self.P

    def points(self) -> list[tuple[int, int]]:
        """(samples, positives) at or above each score, the highest first."""
        rows = list(zip(self.sixteenths, self.labels, strict=True))
        above = [
            [label for score, label in rows if score >= threshold]
            for threshold in sorted(set(self.sixteenths), reverse=True)
        ]
        return [(len(labels), sum(labels)) for labels in above]

    def corners(self) -> list[tuple[Fraction, Fraction]]:
        """The corners (FPR, TPR) of the ROC curve, from (0, 0) on."""
        points = [(0, 0), *self.points()]
        return [(Fraction(j - t, self.N), Fraction(t, self.P)) for j, t in points]

    def wins(self) -> list[list[Fraction]]:
        """For each positive the outcomes against all negatives: 1 above, 1/2 tied, 0 below."""
        rows = list(zip(self.sixteenths, self.labels, strict=True))
        return [
            [Fraction((x > z) + (x >= z), 2) for z, label in rows if not label]
            for x, y in rows
            if y
        ]

    def area(self) -> Fraction:
        """The AUROC: the mean over all pairs."""
        return mean([mean(row) for row in self.wins()])


TIED = Example((15, 13, 13, 11, 8, 8, 6, 5, 1, 1), (1, 1, 0, 1, 0, 1, 0, 0, 1, 0))
"""With ties between the classes and within one."""
REVERSED = Example(TIED.sixteenths, tuple(1 - label for label in TIED.labels))
SEPARATED = Example((14, 12, 10, 3, 2), (1, 1, 1, 0, 0))
EQUAL = Example((8, 8, 8, 8), (1, 0, 1, 0))
EXAMPLES = (TIED, REVERSED, SEPARATED, EQUAL)


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def placement_variance(wins: list[list[Fraction]]) -> Fraction:
    """DeLong's variance: of the means of rows and of columns, each by its number."""
    total = Fraction(0)
    for rows in (wins, [list(column) for column in zip(*wins, strict=True)]):
        means = [mean(row) for row in rows]
        middle = mean(means)
        total += sum((value - middle) ** 2 for value in means) / (len(means) - 1) / len(means)
    return total


def text_of(value: Fraction | float, decimals: int = DECIMALS) -> str:
    """The value, rounded half up."""
    word = int((Fraction(value) * 10**decimals + Fraction(1, 2)) // 1)
    size = f"{abs(word) // 10**decimals}.{abs(word) % 10**decimals:0{decimals}d}"
    return f"-{size}" if word < 0 else size


def released(text: str, of: Example, **more: Any) -> str:
    """The text that a study of two owners releases, of bins where the statistic is of bins only."""
    [value] = released_of((text,), of, **more).values()
    return value


def released_of(texts: tuple[str, ...], of: Example, **more: Any) -> dict[str, str]:
    """The same for several that one study may ask for."""
    if all(statistic(text).pipeline is Histogram for text in texts):
        more["resolution"] = f"bins:{BINS}"
    if groups := any(statistic(text).compares_groups for text in texts):
        more["groups"] = GROUPS
    options = Options(metrics=texts, decimals=DECIMALS, **{"least_cell": 1, **more})
    half = len(of.labels) // 2
    owners = tuple(
        Owner(of.scores[rows], of.labels[rows], parts=_groups(of)[rows] if groups else None)
        for rows in (slice(half), slice(half, None))
    )
    return run(Study(owners, options)).results


def _groups(of: Example) -> list[int]:
    """The rows of each class by turns, so that both groups have rows of both."""
    labels = of.labels
    return [labels[:place].count(label) % len(GROUPS) for place, label in enumerate(labels)]


TABLES = ({"resolution": f"bins:{BINS}"}, {"resolution": "decimals:4", "table": "counted"})
"""Studies that count scores; sixteenths have four decimals."""


def check_cells(text: str, of: Example) -> None:
    """Cells that tell all scores apart give the value of the sorted list."""
    value = released(text, of)
    assert [released(text, of, **table) for table in TABLES] == [value] * len(TABLES)
