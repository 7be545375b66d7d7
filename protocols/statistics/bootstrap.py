"""Percentile limits of another statistic by the bootstrap [Efron].

`bootstrap:of=auroc`, `bootstrap:level=0.9,of=tpauc:min_tpr=0.6,max_fpr=0.4`,
`bootstrap:of=ppv:at=0.5`: the program of the other statistic over counts, for the counts themselves
and for each of B replicates of them, which every owner draws of its own
(`ppaurora.protocols.grid.resampling`) and the servers add up. Released are the value of the counts
and, with α = 1 - level, the ceil(B·α/2)-th and the ceil(B·(1 - α/2))-th of the B values in
ascending order; of several thresholds for each of them.
The same study of the same uploads draws the same replicates, and releases the same limits.

With `unit=cluster` every owner draws whole clusters, such as its patients with all their samples,
as often as chance says: patients are then independent of one another, and not their samples. The
value is that of all samples. Clusters are those of one owner: a patient whom two owners have is
drawn by each for itself, and the limits are then too narrow.

All numerators and denominators are found by one program, a row for each replicate, and divided at
once, rounded to the released decimals, which keeps their order. It is found by comparing all pairs
at once: the rank of A_i is

    #{j < i: A_j <= A_i} + #{j > i: A_j < A_i},

and a number is picked as Σ_i [rank_i = r]·A_i. So nobody learns a replicate, or its rank. A number
that is undefined is larger than all others: where the largest one is, both limits are undefined.

Statistics at thresholds count between these, and are those of the scores as they are. The others
count each score by itself where scores have few decimals, and else in equal parts of their range:
the value and its limits are then those of scores that were binned so.

Nobody learns anything. Of the AUROC 37 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    is_zero,
    multiply,
    products,
    wide_divide,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import score_text
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import AtCutPoints, Cuts, Cutting
from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.grid.resampling import CLASS, OWNER, STRATA, Resampled, Resampling
from ppaurora.protocols.lists.scale import Resolution, Scale
from ppaurora.protocols.pipelines.counted_clusters import CountedClusters
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import AtCuts, Binned, Counts, PooledBins
from ppaurora.protocols.ranking.rows import row_sums, row_sums_cost, sums_at
from ppaurora.protocols.ranking.wilson import with_limits
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, WITHHELD, Released, Table, ValueKind
from ppaurora.protocols.statistics.estimates import OneWideRatio
from ppaurora.protocols.statistics.parameters import OPTION, choice, metric, number, whole
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic, statistics
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, Statistic
from ppaurora.protocols.statistics.thresholds import MOST_PARTS, AtThreshold, NumbersAtCuts

Program = OneWideRatio[Binned, PooledBins] | NumbersAtCuts
SAMPLE, CLUSTER = "sample", "cluster"
USUAL_LARGEST = 20
MOST_LARGEST = 1 << 16


def over_counts(asked: AnyStatistic) -> AnyStatistic | None:
    """The program of a statistic over counts, if a bootstrap can be taken of it."""
    program: AnyStatistic | None = asked
    if asked.pipeline.sorts:
        program = asked.over_cells(certain=True) if asked.cells else None
    # what has limits of its own needs no others
    own = getattr(asked, "level", None)
    return program if program and program.resampled and not own else None


def resampled_names() -> list[str]:
    """The statistics of which a bootstrap can be taken."""
    return [name for name, kind in statistics().items() if (kind.cells or kind).resampled]


def parts_of_scores(study: AtCutPoints, bins: int) -> tuple[Fraction, ...]:
    """The cut points between scores of few values in decimals, or between so many equal parts."""
    scale = study.scale
    if scale.kind is not Resolution.DECIMALS or scale.top >= MOST_PARTS:
        return study.between(bins)
    low, step = scale.ends[0], Fraction(1, 10**scale.number)
    first = 1 if study.higher else 0
    return tuple(low + step * place for place in range(first, first + scale.top))


def grid_of(one: Cutting) -> Thresholds:
    """The grid of the thresholds of one statistic alone."""
    return Thresholds(tuple(sorted(one.thresholds())), direction=one.study.direction)


def check_ends(text: str, study: AtCutPoints) -> None:
    """Refuse a range of scores without ends, which has no equal parts."""
    if not study.scale.bounded:
        raise OptionRefused(
            OPTION,
            f"asks for {text}, which divides the range of the scores into equal parts, and this "
            "study's has no ends",
            advice="Say between which numbers scores lie, for example range = [0, 1].",
        )


@dataclass(frozen=True, slots=True)
class Bootstrap(Statistic[Binned, PooledBins], Cutting, Resampled):
    """A statistic and two order statistics of its replicates."""

    name: ClassVar[str] = "bootstrap"
    reference: ClassVar[str] = "Efron, Annals of Statistics 1979"
    title: ClassVar[str] = "another metric, with percentile limits by the bootstrap"
    known_as: ClassVar[str] = (
        'pROC ci.auc(method = "bootstrap"), R boot.ci(type = "perc"), '
        'scipy.stats.bootstrap(method="percentile")'
    )
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    undefined: ClassVar[str] = "the metric is; its limits also where it is in any replicate"
    replicates: int = whole("of the whole data", 200, least=20, most=1000)
    level: Fraction = number("of the interval", "0.95", closed=False)
    strata: str = choice(
        "what an owner's draw keeps: how many samples it has, or of each class; or neither",
        OWNER,
        STRATA,
    )
    unit: str = choice(
        "what is drawn: single samples, or clusters, such as patients with all their samples",
        SAMPLE,
        (SAMPLE, CLUSTER),
    )
    largest: int = whole(
        "the most samples of a cluster, where clusters are drawn",
        USUAL_LARGEST,
        least=1,
        most=MOST_LARGEST,
    )
    bins: int = whole(
        "equal parts of the range of the scores, for a metric without thresholds and scores of "
        "more values",
        128,
        least=2,
        most=MOST_PARTS,
    )
    of: str = metric("of which the limits are", "auroc")

    def __post_init__(self) -> None:
        asked = statistic(self.of)
        if over_counts(asked) is None:
            raise OptionRefused(
                OPTION,
                f"asks for the bootstrap of {self.of}, which it cannot be taken of",
                advice=f"It can be of {', '.join(resampled_names())}, without limits of their own.",
            )
        # one text for one statistic
        object.__setattr__(self, "of", asked.text)
        self._check_unit()

    def _check_unit(self) -> None:
        """Refuse strata that draws of clusters do not keep, and a largest cluster of none."""
        if self.unit == SAMPLE and self.largest != USUAL_LARGEST:
            raise OptionRefused(
                OPTION,
                "asks for a bootstrap with a largest cluster, and draws single samples",
                advice="Say unit=cluster, or leave largest out.",
            )
        if self.unit == CLUSTER and self.strata == CLASS:
            raise OptionRefused(
                OPTION,
                "asks for a bootstrap of clusters with strata=class: a patient may have samples of "
                "both classes, and no draw of patients keeps how many there are of each",
                advice="Take strata=owner or strata=none.",
            )

    # -- the other statistic -------------------------------------------------------------------

    @property
    def asked(self) -> AnyStatistic:
        """The other statistic, as it is asked for."""
        return statistic(self.of)

    @property
    def program(self) -> Program:
        """Its program over counts."""
        found: Any = over_counts(self.asked)
        if isinstance(found, Cutting):
            found = found.in_study(self.study)
        placed: Program = found
        return placed

    @property
    def at_thresholds(self) -> bool:
        """True if it is of thresholds, and False of the curve."""
        return isinstance(self.asked, AtThreshold)

    @property
    def short(self) -> str:  # type: ignore[override]
        return f"{self.asked.short}, bootstrap{' of clusters' * (self.unit == CLUSTER)}"

    def check_scale(self, scale: Scale) -> None:
        self.asked.check_scale(scale)

    # -- its cut points ------------------------------------------------------------------------

    @property
    def shows_counts(self) -> bool:  # type: ignore[override]
        return self.at_thresholds

    @property
    def named(self) -> Sequence[Fraction]:
        return self.thresholds() if self.at_thresholds else ()

    def thresholds(self) -> Sequence[Fraction]:
        program = self.program
        if isinstance(program, NumbersAtCuts):
            return program.thresholds()
        return parts_of_scores(self.study, self.bins)

    def in_study(self, study: AtCutPoints) -> Bootstrap:
        if not self.at_thresholds:
            check_ends(self.text, study)
        kind = ClusterBootstrap if self.unit == CLUSTER else type(self)
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return kind(**{**own, "study": study})

    @property
    def resampling(self) -> Resampling:
        largest = self.largest if self.unit == CLUSTER else 0
        return Resampling(self.replicates, tuple(sorted(self.thresholds())), self.strata, largest)

    @property
    def _grid(self) -> Thresholds:
        """The grid of its own thresholds alone."""
        return grid_of(self)

    @property
    def ranks(self) -> tuple[int, int]:
        """The places of both limits among the replicates, counted from 0."""
        tail = (1 - self.level) / 2
        return ceil(self.replicates * tail) - 1, ceil(self.replicates * (1 - tail)) - 1

    # -- the number ----------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.thresholds()) if self.at_thresholds else 1

    @property
    def within(self) -> PublicRange:
        """The range of its numbers."""
        program = self.program
        return program.within if isinstance(program, NumbersAtCuts) else PublicRange()

    @property
    def header(self) -> tuple[str, ...]:
        """The names of all columns of the table."""
        if self.at_thresholds:
            return ("threshold", *with_limits((self.asked.name,)))
        return with_limits((self.asked.name,))

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        parts = len(self._grid)
        words = concatenate([*data.between(self.thresholds()), data.replicates[self.resampling]])
        # in each row the positives of all parts, and then the negatives
        each = [words[start : start + parts] for start in range(0, len(words), parts)]
        counts = [*zip(each[0::2], each[1::2], strict=True)]
        program, n = self.program, self.resampling.most_in_all(data.n)
        if isinstance(program, NumbersAtCuts):
            shown = data.above(self.thresholds()).shown
            at = self._cuts(counts, shown)
            numbers = program.of_cuts(party, at, n, decimals)
        else:
            shown = Shared.public(party.role, [1])
            rows = replicated(counts, n, self._grid, multiply(party, *_classes(counts)))
            ratio = program.wide_ratio(party, rows, decimals)
            numbers = wide_divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)
        values, drawn = numbers[: self.rows], numbers[self.rows :]
        # the replicates of the first row of the table, then those of the second, ...
        by_row = np.arange(len(drawn)).reshape(-1, self.rows).T.reshape(-1)
        lower, upper, largest = _picked(party, drawn[by_row], self.rows, self._picks)
        missing = self.within.missing(decimals)
        some = 1 - is_negative(party, largest - missing)
        nothing = 1 - shown + missing
        limits = concatenate([lower, upper])
        lost = products(party, [some, nothing - lower, nothing - upper], [(0, 1), (0, 2)])
        return concatenate([values, limits + concatenate(lost)])

    @property
    def _picks(self) -> tuple[int, ...]:
        return (*self.ranks, self.replicates - 1)

    def _cuts(self, counts: Sequence[tuple[Shared, Shared]], shown: Shared) -> AtCuts:
        """All replicates at the thresholds, in the order in which these are asked for."""
        grid = self._grid
        ends = np.array([grid.cut(at) or 0 for at in self.thresholds()]) - 1
        columns = [
            (
                p.cumsum()[ends],
                q.cumsum()[ends],
                p.sum().repeat(ends.size),
                q.sum().repeat(ends.size),
            )
            for p, q in counts
        ]
        TP, FP, P, N = (concatenate(column) for column in zip(*columns, strict=True))
        return AtCuts(TP, FP, P, N, concatenate([shown] * len(counts)))

    def cost(self, n: int, decimals: int) -> Cost:
        program, B, rows = self.program, self.replicates, self.rows
        if isinstance(program, NumbersAtCuts):
            numbers = program.of_cuts_cost((B + 1) * rows, decimals)
        else:
            ratios = program.wide_ratio_cost(len(self._grid), decimals, rows=B + 1)
            division = wide_divide.cost(digits=decimals).of(B + 1)
            numbers = multiply.cost().of(B + 1) + ratios + division
        picking = (
            is_negative.cost().of(rows * B * (B - 1) // 2)
            + is_zero.cost().of(len(self._picks) * rows * B)
            + row_sums_cost(B, factors=4, pairs=3, rows=rows)
        )
        lost = is_negative.cost().of(rows) + products.cost(factors=3, pairs=2).of(rows)
        return numbers + picking + lost

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        positives, negatives = data.between(self.thresholds())
        rows = [(tuple(positives), tuple(negatives)), *data.replicates[self.resampling]]
        shown = [not self.at_thresholds or data.above(at) is not None for at in self._listed()]
        values, *drawn = [self._pooled(row, shown, decimals) for row in rows]
        lowers, uppers = [], []
        for place, of_replicates in enumerate(zip(*drawn, strict=True)):
            ordered = sorted(of_replicates)
            nothing = self.within.missing(decimals) + (not shown[place])
            some = ordered[-1] >= self.within.missing(decimals)
            lower, upper = (nothing if some else ordered[rank] for rank in self.ranks)
            lowers.append(lower)
            uppers.append(upper)
        return [*values, *lowers, *uppers]

    def _listed(self) -> Sequence[Fraction]:
        return self.thresholds() if self.at_thresholds else (Fraction(0),)

    def _pooled(self, row: Counts, shown: Sequence[bool], decimals: int) -> Sequence[int]:
        """The words of one replicate."""
        grid, (positives, negatives) = self._grid, row
        places = frozenset(
            grid.cut(at) or 0 for at, seen in zip(self._listed(), shown, strict=True) if seen
        )
        counts = PooledBins(positives, negatives, grid, Cuts(), places)
        return self.program.plaintext_words(counts, decimals)

    def words(self, decimals: int) -> int:
        return 3 * self.rows

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        count = self.rows
        cells = [self.within.cell(self.text, word, decimals) for word in words]
        columns = (cells[start : start + count] for start in range(0, len(cells), count))
        rows: Iterator[tuple[str | None, ...]] = zip(*columns, strict=True)
        if self.at_thresholds:
            texts = map(score_text, self.thresholds())
            rows = ((at, *row) for at, row in zip(texts, rows, strict=True))
        return self._table(tuple(rows))

    def _table(self, rows: tuple[tuple[str | None, ...], ...]) -> Table:
        cells = {cell for row in rows for cell in row}
        undefined = f"{self.asked.undefined}, in the lists or, of limits, in a replicate"
        if not self.at_thresholds and rows[0][0] is None:
            return Table(self.header, undefined=self.asked.undefined)
        return Table(
            self.header,
            rows,
            undefined=undefined if None in cells else "",
            withheld=self.study.few if WITHHELD in cells else "",
        )

    def value_without_samples(self) -> Released:
        return Table(self.header, undefined=NO_SAMPLES)

    # -- what is known beforehand --------------------------------------------------------------

    def fits(self, n: int, decimals: int) -> bool:
        most = self.resampling.most_in_all(n)
        return most <= MOST_SAMPLES and self.program.fits(most, decimals)

    def leaks(self, decimals: int) -> str:
        return (
            f"{self.program.leaks(decimals)}; the decimals of both limits, which come of "
            f"replicates that the owners drew{' by clusters' * (self.unit == CLUSTER)}, and "
            "whether it is undefined in any of these"
        )

    def label_digits(self, decimals: int) -> int:
        # limits tell one number more, an error; those of a rate follow from its counts as it does,
        # unless clusters are drawn
        errors = self.rows if self.unit == CLUSTER or not self.at_thresholds else 0
        return self.program.label_digits(decimals) + errors * decimals

    def readings(self) -> frozenset[str]:
        return self.program.readings()

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return tuple(f"{self.text}: {one}" for one in self.program.warnings(sizes, decimals))


@dataclass(frozen=True, slots=True)
class ClusterBootstrap(Bootstrap):
    """The same in a study, where clusters are drawn: owners need to know those of their samples."""

    listed: ClassVar[bool] = False
    pipeline: ClassVar[type[OwnersSums]] = CountedClusters


def replicated(
    counts: Sequence[tuple[Shared, Shared]], n: int, grid: Thresholds, PN: Shared
) -> Binned:
    """All these counts, of at most n samples each, as the data of a statistic; P·N are known."""
    positives, negatives = (concatenate(of_class) for of_class in zip(*counts, strict=True))
    nothing = positives[:0]
    return Binned(positives, negatives, n, PN, grid, Cuts(), nothing, {}, rows=len(counts))


def _classes(counts: Sequence[tuple[Shared, Shared]]) -> list[Shared]:
    """P and N of each of these counts."""
    return [concatenate(one.sum() for one in of_class) for of_class in zip(*counts, strict=True)]


def _picked(party: Party, A: Shared, lists: int, ranks: Sequence[int]) -> list[Shared]:
    """The numbers with these ranks in each of so many lists, equal ones in their order."""
    B = len(A) // lists
    starts = np.arange(lists)[:, None] * B
    first, second = ((one + starts).reshape(-1) for one in np.triu_indices(B, k=1))
    # 1 where the later one is smaller, and comes before the earlier
    before = is_negative(party, A[second] - A[first])
    rank = sums_at(before, first, len(A)) + sums_at(1 - before, second, len(A))
    chosen = is_zero(party, concatenate([rank - one for one in ranks]))
    flags = [chosen[start : start + len(A)] for start in range(0, len(chosen), len(A))]
    pairs = [(0, 1 + place) for place in range(len(ranks))]
    return row_sums(party, [A, *flags], pairs, lists)
