"""The parts of the samples about which a study releases numbers: its cells.

A number that is released for a part of the samples in the order of their scores, such as the counts
between two thresholds or the positives among the k highest scores, is an equation in their labels.
Enough of them tell every label, whatever the statistics are called. So what counts is how many
there are in the whole study, of all its statistics together:

    thresholds    A least cell holds for all thresholds of a study
                  (`ppaurora.protocols.grid.least_cell`); where that is `LEAST_CELL` or more no cell
                  between them is small, and none counts.
    readings      What statistics say that cut by a rank or a rate: no least cell withholds areas,
                  and none holds in the eyes of owners, who can subtract their own samples.
    settings      Each of several settings of one statistic of all samples.

c different cuts of all kinds make c + 1 cells, with what lies behind the last one.

At most one cell for ten samples that are not the reader's own (`SAMPLES_PER_CELL`) is called few:
then a cell holds on average as many as a least cell of five of each class. Linear algebra
singles out at most one label for each cell, whatever the data are. A cell whose samples are all of
one class tells the labels of all of them; that no count of cells can prevent.

A single number of all samples can tell every label as well, by its decimals: a mean of losses, an
area under the precision-recall curve, DeLong's standard error or a fit is another one for nearly
every set of labels. What follows from such a number counts with it and not again: two limits tell
one error. With d decimals in all, n labels that are not known leave about 2^n / 10^d sets of them;
`SETS_LEFT` sets are to be left, at least: of drawn labels 3 in 2,160 were then the same in all sets
that fitted.

So can any number of samples that count with weights, by all of its digits: to who knows the weights
the sums of some of them tell which ones they are.

Differentially private numbers are no equations and do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.grid.cuts import Cutting, EqualParts
from ppaurora.protocols.grid.least_cell import LEAST_CELL
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.times import ShownAtTimes
from ppaurora.protocols.statistics.in_group import IN_GROUP, of_any_group, shows_cuts
from ppaurora.protocols.statistics.reading import AtCorners
from ppaurora.protocols.statistics.registry import AnyStatistic

SAMPLES_PER_CELL = 2 * LEAST_CELL
SETS_LEFT = 10
"""The least number of sets of labels that are to agree with the decimals that are released."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The places at which a study divides the samples, and the least sizes of the parts.

    `thresholds` and `readings` are in words, the same in every study that cuts there; `least` is
    the least cell between two thresholds, and between those and the readings that are `held` by it
    in the counts of all owners together. Which of them it withholds follows from their order, too:
    the thresholds that are `named` come before those at equal distances, and `in_turn` are the held
    readings in theirs. `settings` are those of statistics of all samples that are asked for with
    several. `label_digits` are the decimals of all numbers together that nearly every set of labels
    changes. `joined` is the least number of rows that a study joins, or 0.
    """

    thresholds: frozenset[str] = frozenset()
    least: int = 1
    readings: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    in_turn: tuple[str, ...] = ()
    settings: frozenset[str] = frozenset()
    label_digits: int = 0
    joined: int = 0

    @classmethod
    def of(cls, options: Options, group: str | None = None) -> Cells:
        """The cells of all statistics of a study together, or of those of one group alone.

        >>> Cells.of(Options(metrics=("precision_at_top:k=1/2", "recall_at_top:k=2/3"))).small
        4
        """
        exact = [
            statistic
            for statistic in options.statistics
            if statistic.privacy(options.decimals) is None
            and (group is None or group in statistic.groups)
        ]
        held = [one for one in exact if isinstance(of_any_group(one), AtCorners | ShownAtTimes)]
        cutting = [
            (of, f"{IN_GROUP}{name}" if name else "")
            for one in exact
            if isinstance(of := of_any_group(one), Cutting)
            for name in one.groups
            if group in (None, name)
        ]
        shown = [(one, where) for one, where in cutting if one.shows_counts]
        corners = [of for one in held if isinstance(of := of_any_group(one), AtCorners)]
        return cls(
            _thresholds(shown),
            options.least_cell if cutting or held else 1,
            frozenset[str]().union(*(statistic.readings() for statistic in exact)),
            frozenset[str]().union(*(statistic.readings() for statistic in held)),
            _thresholds([one for one in shown if not isinstance(one[0], EqualParts)]),
            tuple(dict.fromkeys(reading for one in corners for reading in one.in_turn)),
            frozenset(_repeated(exact)),
            sum(_digits(one, options) for one in exact),
            options.least_join,
        )

    def unknown(self, sizes: Sequence[int]) -> int:
        """The labels that the owner of the largest of these lists does not know, at least.

        Of lists that are joined any may hold scores only; numbers are of so many rows at least.

        >>> Cells().unknown([60, 20, 20]), Cells(joined=20).unknown([60, 20, 20])
        (40, 20)
        """
        beside = others(sizes)
        return min(beside, self.joined) if self.joined else beside

    def few(self, sizes: Sequence[int]) -> int:
        """The most small cells that lists of these sizes are not too few samples for."""
        return self.unknown(sizes) // SAMPLES_PER_CELL

    @property
    def small(self) -> int:
        """The number of cells that may hold few samples, down to a single one."""
        return len(self.cuts) + 1 if self.cuts else 0

    def digits_tell(self, unknown: int) -> bool:
        """True if the decimals leave few sets of so many labels.

        >>> six = Options(metrics=("log_loss", "brier"), decimals=6)
        >>> Cells.of(six).digits_tell(40), Cells.of(six).digits_tell(80)
        (True, False)
        """
        return unknown < self._needed_by_digits

    @property
    def needed(self) -> int:
        """The labels that must be unknown for neither small cells nor decimals to tell them.

        >>> Cells.of(Options(metrics=("auroc_se",))).needed
        17
        >>> Cells.of(Options(metrics=("precision_at_top:k=1/2",))).needed
        30
        """
        return max(self._needed_by_digits, SAMPLES_PER_CELL * self.small)

    @property
    def _needed_by_digits(self) -> int:
        """The least number of labels of which 2^n sets are so many that the decimals leave enough.

        That is 2^n > `SETS_LEFT`·10^digits, or 0 where there are no such decimals.
        """
        sets: int = SETS_LEFT * 10**self.label_digits
        return sets.bit_length() if self.label_digits else 0

    @property
    def cuts(self) -> list[str]:
        """The released cut points next to which few samples may lie, in words."""
        thresholds = self.thresholds if self.least < LEAST_CELL else ()
        found = [
            *self.readings,
            *self.settings,
            *(f"threshold {threshold}" for threshold in thresholds),
        ]
        return sorted(found, key=lambda one: (len(one), one))


def _thresholds(cutting: Sequence[tuple[Cutting, str]]) -> frozenset[str]:
    """The thresholds of statistics, each with the group in which it stands."""
    return frozenset(f"{_written(at)}{where}" for one, where in cutting for at in one.thresholds())


def _written(at: Fraction) -> str:
    """A threshold as nothing else is written: a decimal, or a ratio, as those of three parts are.

    >>> _written(Fraction(1, 4)), _written(Fraction(1, 3))
    ('0.25', '1/3')
    """
    try:
        return decimal(at)
    except ValueError:
        return str(at)


def _digits(one: AnyStatistic, options: Options) -> int:
    """The decimals of a statistic that nearly every set of labels changes."""
    if options.weighted:
        return one.weighted_digits(options.decimals)
    return one.label_digits(options.decimals)


def _repeated(asked: Sequence[AnyStatistic]) -> list[str]:
    """Numbers of all samples that are asked for with several parameters: each is another one."""
    whole = [
        statistic for statistic in asked if not statistic.readings() and not shows_cuts(statistic)
    ]
    times = Counter((one.name, one.groups) for one in whole)
    return [one.text for one in whole if times[one.name, one.groups] > 1]


def others(sizes: Sequence[int]) -> int:
    """The samples that the owner of the largest list does not know; of one list, all.

    >>> others([60, 20, 20])
    40
    """
    return sum(sizes) - max(sizes) if len(sizes) > 1 else sum(sizes)
