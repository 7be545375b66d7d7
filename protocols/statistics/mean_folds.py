"""The mean of another statistic over the folds of a cross-validation, with limits by its spread.

[Folds, definition 3]: `mean_folds:of=accuracy:at=0.5` is the paper's own metric. The other
statistic is one ratio of what owners count or add up over their own rows: a rate at one threshold,
or a mean loss. It is computed of each fold as of a study of that fold alone; how the mean and its
limits are made stands in `ppaurora.protocols.statistics.fold_mean`. A number x of a public range,
-shift <= x <= 10^tens - shift, is averaged as (x + shift)/10^tens; the receiver moves the mean and
its limits back, and the limits are cut off at the ends of that range.

Every fold counts once, however many samples it has. A threshold that the least cell keeps back in
one fold is kept back in all, and so is the mean (`ppaurora.protocols.pipelines.counted_folds`).

D of a fold is 0 if and only if its ratio is 0/0: one comparison tells. Nobody learns anything. 121
hops for four decimals of an accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any, ClassVar, Self

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    products,
    wide_is_negative,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import AtCutPoints, Cutting
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.counted_folds import CountedFolds
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.area_limits import BASE
from ppaurora.protocols.ranking.binned import AtCuts, Binned, PooledBins
from ppaurora.protocols.ranking.ranked import Folded, PooledFolds
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import WITHHELD, Interval, Released
from ppaurora.protocols.statistics.estimates import no_width
from ppaurora.protocols.statistics.fold_mean import FoldDeviation
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.parameters import OPTION, metric
from ppaurora.protocols.statistics.registry import AnyStatistic, kind_of, statistic, statistics
from ppaurora.protocols.statistics.statistic import NEVER, Statistic
from ppaurora.protocols.statistics.thresholds import OF_LEAST_CELL, AtThreshold, RatesAtCuts


def is_a_ratio(kind: type[AnyStatistic]) -> bool:
    """True of a statistic that is one ratio of counts or sums at a threshold, or at none."""
    if issubclass(kind, RatesAtCuts):
        return issubclass(kind, AtThreshold) and len(kind.columns) == 1
    return issubclass(kind, OfSums)


def averaged_names() -> list[str]:
    """The statistics of which a mean over folds can be taken."""
    return [name for name, kind in statistics().items() if is_a_ratio(kind)]


@dataclass(frozen=True, slots=True)
class MeanOverFolds(FoldDeviation, Cutting):
    """The mean of one ratio in each fold."""

    joins: ClassVar[bool] = True
    name: ClassVar[str] = "mean_folds"
    title: ClassVar[str] = (
        "mean of another metric over the folds of a cross-validation, with the interval of how far "
        "the folds are apart"
    )
    known_as: ClassVar[str] = "sklearn.model_selection cross_val_score, its mean"
    pipeline: ClassVar[type[CountedFolds]] = CountedFolds  # type: ignore[assignment]
    undefined: ClassVar[str] = "the metric is, in a fold that has to count"
    without_width: ClassVar[str] = "the standard error over the folds is 0, as where all are alike"
    of: str = metric("of which the mean is", "accuracy:at=0.5")

    def __post_init__(self) -> None:
        kind, asked = kind_of(self.of.partition(":")[0]), None
        if is_a_ratio(kind):
            asked = statistic(self.of)
        several = isinstance(asked, AtThreshold) and len(asked.at) > 1
        if asked is None or several or getattr(asked, "level", None) is not None:
            raise OptionRefused(
                OPTION,
                f"asks for the mean of {self.of} over folds, which there is not",
                advice=f"It can be of {', '.join(averaged_names())}, at one threshold and without "
                "limits of their own.",
            )
        # one text for one statistic
        object.__setattr__(self, "of", asked.text)

    # -- the other statistic -------------------------------------------------------------------

    @property
    def program(self) -> RatesAtCuts | OfSums:
        """The other statistic, in this study."""
        found: Any = statistic(self.of)
        if self.study.joined:
            found = found.over_join()
        if isinstance(found, Cutting):
            found = found.in_study(self.study)
        placed: RatesAtCuts | OfSums = found
        return placed

    @property
    def short(self) -> str:  # type: ignore[override]
        return f"{self.program.short}, mean over folds"

    @property
    def inputs(self) -> Inputs:  # type: ignore[override]
        return self.program.inputs

    @property
    def within(self) -> PublicRange:
        """The range of the numbers."""
        return self.program.within

    def check_scale(self, scale: Scale) -> None:
        self.program.check_scale(scale)

    # -- its cut points ------------------------------------------------------------------------

    @property
    def shows_counts(self) -> bool:  # type: ignore[override]
        return isinstance(self.program, RatesAtCuts)

    @property
    def sums_scores(self) -> bool:  # type: ignore[override]
        program = self.program
        return isinstance(program, Cutting) and program.sums_scores

    @property
    def named(self) -> Sequence[Fraction]:
        return self.thresholds() if self.shows_counts else ()

    def thresholds(self) -> Sequence[Fraction]:
        program = self.program
        return program.thresholds() if isinstance(program, Cutting) else ()

    def over_join(self) -> Statistic[Any, Any]:
        # refused if the other one is
        self.program.over_join()
        return self

    def in_study(self, study: AtCutPoints) -> Self:
        program = self.program
        if isinstance(program, Cutting):
            program.in_study(study)
        return replace(self, study=study)

    # -- of each fold --------------------------------------------------------------------------

    def ratios(
        self, party: Party, folds: Sequence[Binned], decimals: int
    ) -> tuple[WideShared, WideShared, WideShared]:
        program = self.program
        if isinstance(program, RatesAtCuts):
            N, D = self._rates(party, program, folds)
        else:
            found = side_by_side(party, [partial(_both, program, data=fold) for fold in folds])
            N = concatenate_wide(one[:1] for one in found)
            D = concatenate_wide(one[1:] for one in found)
        # 1 - [-D < 0]
        none = 1 - wide_is_negative(party, -D)
        return N, D * 10**self.within.tens, none

    def _rates(
        self, party: Party, program: RatesAtCuts, folds: Sequence[Binned]
    ) -> tuple[WideShared, WideShared]:
        each = [fold.above(self.thresholds()) for fold in folds]
        columns = zip(*((at.TP, at.FP, at.P, at.N, at.shown) for at in each), strict=True)
        at = AtCuts(*map(concatenate, columns))
        [(N, D)] = program.rates(party, at)
        shifted = N + D * self.within.shift
        kept = products(party, [shifted, D, at.shown], [(0, 2), (1, 2)])
        wide = widen(party, concatenate(kept))
        return wide[: len(D)], wide[len(D) :]

    def ratios_cost(self, vectors: Sequence[int], decimals: int) -> Cost:
        program, m = self.program, len(vectors)
        if isinstance(program, RatesAtCuts):
            kept = products.cost(factors=3, pairs=2).of(m) + widen.cost().of(2 * m)
            spent = program.rates_cost(m) + kept
        else:
            spent = reduce(or_, (program.ratio_cost(n) for n in vectors), Cost())
        return spent + wide_is_negative.cost().of(m)

    def bound(self, n: int, decimals: int) -> int:
        most: int = self.program.largest(n) * 10**self.within.tens
        return max(1, most)

    def exact(self, data: PooledBins | None) -> Fraction | None:
        value = None if data is None else self._number(data)
        return None if value is None else (value + self.within.shift) / 10**self.within.tens

    def _number(self, data: PooledBins) -> Fraction | None:
        program = self.program
        if isinstance(program, OfSums):
            return program.exact(data)
        [at] = self.thresholds()
        counts = data.above(at)
        return program.exact(counts, at)[0] if counts else None

    def ratio_holds(self, n: int, decimals: int) -> bool:
        return self.program.fits(n, decimals) and self.bound(n, decimals) <= (
            largest_wide_denominator(BASE)
        )

    # -- of all, to as many decimals as the range needs more -----------------------------------

    def private(self, party: Party, data: Folded, decimals: int) -> Shared:
        found = FoldDeviation.private(self, party, data, decimals + self.within.tens)
        if not self.shows_counts:
            return found
        lost: Shared = 1 - data.filled[0].above(self.thresholds()).shown
        return concatenate([found[:3] + lost.repeat(3), found[3:]])

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        return FoldDeviation.cost_of(self, vectors, decimals + self.within.tens)

    def plaintext_words(self, data: PooledFolds, decimals: int) -> Sequence[int]:
        words = FoldDeviation.plaintext_words(self, data, decimals + self.within.tens)
        lost = self.shows_counts and any(
            one.above(at) is None for one in data.folds if one for at in self.thresholds()
        )
        return [*(word + lost for word in words[:3]), *words[3:]]

    def of_limits(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, upper = (self.within.cell(self.text, word, decimals) for word in words)
        if WITHHELD in (value, lower, upper):
            return Interval(undefined=f"{self.study.few}, in some fold")
        if value is None or lower is None or upper is None:
            return Interval(undefined=self.undefined)
        return Interval(value, lower, upper, note=no_width(lower, upper, self.without_width))

    def fits(self, n: int, decimals: int) -> bool:
        return FoldDeviation.fits(self, n, decimals + self.within.tens)

    def label_digits(self, decimals: int) -> int:
        # limits tell one number more, the deviation; that of rates has few values as they have
        return 2 * self.program.label_digits(decimals)

    def leaks(self, decimals: int) -> str:
        program = self.program
        of_metric = "" if program.undefined == NEVER else f" ({program.undefined})"
        least = f"; and {OF_LEAST_CELL}" if self.shows_counts else ""
        return f"{FoldDeviation.leaks(self, decimals)}{of_metric}{least}"

    # -- what one list has ---------------------------------------------------------------------

    def ratio(self, party: Party, data: Any, decimals: int) -> WideRatio:
        raise TypeError("the ratios of all folds are found together")

    def ratio_cost(self, n: int, decimals: int) -> Cost:
        raise TypeError("the ratios of all folds are found together")

    def counts(self, data: Any) -> Shared:
        raise TypeError("the ratios of all folds are found together")


def _both(program: OfSums, party: Party, *, data: Binned) -> WideShared:
    ratio = program.ratio(party, data)
    return concatenate_wide([ratio.N, ratio.D])
