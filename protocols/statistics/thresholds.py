"""Base classes of statistics at thresholds: tables of rates at cut points of the grid.

A threshold is a score of the owners, in their own units: a score of that or higher is called
positive, or of that or lower in a study whose direction is that (`ppaurora.protocols.grid.grid`).
TP and FP at every cut point are sums of bins, so a rate is a ratio of integers. At a cut point that
may not be shown N and D are both multiplied by 0, which the division tells as `undefined`, and 1 is
added to that: what is withheld is told apart from what does not exist.

A rate may be negative: with -shift <= N/D <= 10^tens - shift it is

    N/D = 10^tens · (N + shift·D) / (10^tens·D) - shift,

rounded half up (`ppaurora.protocols.release.public_range`). The division is in 256 bits, exact for
up to 2^31 - 1 samples. Nobody learns anything. After those of numerators and denominators
two hops and five for every two decimals, or for each where there are more than 128 rates.

Thresholds are named by the study (`AtThreshold`, `at=0.25/0.5`) or lie at equal distances
(`AtPoints`). Either have the least cell of the study [ROC-GLM, "calibration curve"]: there a
hospital leaves out a point of its own that has too few samples, which moves the curve; here the
pooled counts decide, once for all statistics (`ppaurora.protocols.grid.least_cell`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    products,
    wide_divide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import score_text
from ppaurora.protocols.grid.cuts import Cutting, EqualParts
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import AtCuts, Binned, Confusion, PooledBins
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    NO_WEIGHT,
    WITHHELD,
    Released,
    Table,
    ValueKind,
)
from ppaurora.protocols.statistics.parameters import score, whole
from ppaurora.protocols.statistics.statistic import NEVER, Statistic, Topic

OF_LEAST_CELL = "whether it is withheld, because the least cell of the study is not reached"
OF_TWO = (
    "two thresholds tell how many of each class lie between them, and so, of few samples, labels"
)
Fractions = tuple[Shared, Shared]
"""Numerators and denominators."""


class TableAtCuts(Statistic[Binned, PooledBins], Cutting):
    """A row for each threshold, with one number or several."""

    __slots__ = ()

    topic: ClassVar[Topic] = Topic.THRESHOLD
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    weighted: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]]
    """The names of the numbers."""

    @property
    def header(self) -> tuple[str, ...]:
        """The names of all columns of the table."""
        return ("threshold", *self.columns)

    @property
    def within(self) -> PublicRange:
        """The range of all numbers."""
        return PublicRange()

    @property
    def reason(self) -> str:
        """The condition under which there is no number."""
        return NO_WEIGHT if self.study.uncounted and self.undefined == NEVER else self.undefined

    @property
    def called(self) -> str:
        """The rows of the table in words, for the ledger."""
        return (
            f"for each threshold, a score of that or {self.study.direction} being called positive,"
        )

    @abstractmethod
    def row(self, counts: Confusion, threshold: Fraction, decimals: int) -> Sequence[int]:
        """The words of one row in the clear."""

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        rows = []
        for threshold in self.thresholds():
            counts = data.above(threshold)
            withheld = [self.within.withheld(decimals)] * len(self.columns)
            rows.append(self.row(counts, threshold, decimals) if counts else withheld)
        return [word for column in zip(*rows, strict=True) for word in column]

    def words(self, decimals: int) -> int:
        return len(self.thresholds()) * len(self.columns)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        count = len(self.thresholds())
        cells = [self.within.cell(self.text, word, decimals) for word in words]
        columns = [cells[start : start + count] for start in range(0, len(cells), count)]
        rows = zip(map(score_text, self.thresholds()), *columns, strict=True)
        return self.table(tuple(rows))

    def table(self, rows: tuple[tuple[str | None, ...], ...]) -> Table:
        """These rows, with the reasons why cells have no number."""
        cells = {cell for row in rows for cell in row}
        return Table(
            self.header,
            rows,
            undefined=self.reason if None in cells else "",
            withheld=self.study.few if WITHHELD in cells else "",
        )

    def value_without_samples(self) -> Released:
        return Table(self.header, undefined=NO_SAMPLES)

    def leaks(self, decimals: int) -> str:
        return (
            f"{self.called} the released decimals, whether they are undefined ({self.reason}), "
            f"and {OF_LEAST_CELL}; {OF_TWO}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        n = sum(sizes)
        if not 0 < n < 10**decimals:
            return ()
        return (f"{self.text}: to {decimals} decimals a rate among {n} samples tells the counts",)


class NumbersAtCuts(TableAtCuts):
    """A table of numbers of the counts at each cut point alone."""

    __slots__ = ()

    @abstractmethod
    def of_cuts(self, party: Party, at: AtCuts, n: int, decimals: int) -> Shared:
        """The words of each column at these cut points, which may be its own several times over.

        Of each there are at most n samples.
        """

    @abstractmethod
    def of_cuts_cost(self, count: int, decimals: int) -> Cost:
        """The cost of `of_cuts` for so many cut points."""

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        return self.of_cuts(party, data.above(self.thresholds()), data.n, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.of_cuts_cost(len(self.thresholds()), decimals)


class RatesAtCuts(NumbersAtCuts):
    """A table of ratios of integers."""

    __slots__ = ()

    @abstractmethod
    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        """Each column's numerators and denominators; a denominator is 0 only where undefined."""

    def rates_cost(self, count: int) -> Cost:
        """The cost of `rates` at so many cut points: none where they are sums of counts."""
        return Cost()

    @abstractmethod
    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        """Each column in the clear."""

    @abstractmethod
    def largest(self, n: int) -> int:
        """The largest denominator of n samples."""

    def of_cuts(self, party: Party, at: AtCuts, n: int, decimals: int) -> Shared:
        within = self.within
        rates = self.rates(party, at)
        D = concatenate(of_column for _, of_column in rates)
        N = concatenate(of_column for of_column, _ in rates) + D * within.shift
        shown = concatenate([at.shown] * len(rates))
        wide = widen(party, concatenate(products(party, [N, D, shown], [(0, 2), (1, 2)])))
        found = wide_divide(
            party,
            wide[: len(N)],
            wide[len(N) :] * 10**within.tens,
            digits=decimals + within.tens,
            bound=max(1, self.largest(n) * 10**within.tens),
        )
        return found + (1 - shown)

    def of_cuts_cost(self, count: int, decimals: int) -> Cost:
        rates = count * len(self.columns)
        return (
            self.rates_cost(count)
            + products.cost(factors=3, pairs=2).of(rates)
            + widen.cost().of(2 * rates)
            + wide_divide.cost(digits=decimals + self.within.tens).of(rates)
        )

    def row(self, counts: Confusion, threshold: Fraction, decimals: int) -> Sequence[int]:
        return [self.within.word(rate, decimals) for rate in self.exact(counts, threshold)]

    def fits(self, n: int, decimals: int) -> bool:
        divided = self.largest(n) * 10**self.within.tens <= largest_wide_denominator()
        return divided and (self.within.shift + 1) * self.largest(n) < 1 << 63


AT = (
    "the thresholds in the owners' own scores, with a slash between them: called positive is a "
    "score of that or higher, and with direction lower one of that or lower"
)


@dataclass(frozen=True, slots=True)
class AtThreshold(Cutting):
    """Statistics at the thresholds of `at`."""

    at: tuple[Fraction, ...] = score(AT, several=True)

    def thresholds(self) -> Sequence[Fraction]:
        return self.at

    @property
    def named(self) -> Sequence[Fraction]:
        return self.at


def rate(part: int, whole: int) -> list[Fraction | None]:
    """One column's rate: undefined where the whole is empty."""
    return [Fraction(part, whole) if whole else None]


MOST_PARTS = 1 << 10


@dataclass(frozen=True, slots=True)
class AtPoints(EqualParts):
    """Statistics at the cut points between `points` equal parts of the range of the scores."""

    points: int = whole("equal parts of the range of the scores", 64, least=2, most=MOST_PARTS)

    @property
    def parts(self) -> int:
        return self.points
