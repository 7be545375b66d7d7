"""Numbers at times with inverse probability of censoring weights: what such statistics share.

Of samples that are censored nobody knows whether they had the event by t. So each other sample
stands for those like it: one with its event at T <= t weighs 1/G(T-), one that is followed for
longer than t weighs 1/G(t), where G is the Kaplan-Meier estimate of being uncensored, at equal
times events before censored samples [Graf et al., Statistics in Medicine 18:2529-2545, 1999].

With S the estimate of having no event, r_j followed into the j-th cell of times and n in all,
n·S·G is the number followed for longer, exactly and after each cell. So 1/G needs no estimate of
its own: an event in cell j weighs

    1/G(T-) = n·S_(j-1)/r_j,    and who is followed for longer    1/G(t) = n·S_k/r_(k+1)

where t ends the k-th cell. Events together weigh n·(1 - S_k), the others n·S_k. G stays shared.

S and 1/r are known with 96 bits behind the point (`ppaurora.protocols.ranking.survival_curve`). S
and u_j = S_(j-1)/r_j are never too low, u too high by less than (n + 2·K + 4)·2^-96. Nobody learns
anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, undefined, wide_divide, wide_products
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import decimal, half_up
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.times import BY_SCORE, CURVE, TimedCounts
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.survival_curve import POINT, SurvivalCurve, pooled_curve
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.of_times import AtTimes, check_counted

Places = np.ndarray[tuple[int, ...], np.dtype[np.intp]]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The counts in the clear: events by time and score, who is followed for longer, S and r."""

    events: Sequence[Sequence[int]]
    later: Sequence[int]
    weights: Sequence[Fraction]
    """S_(j-1)/r_j of each cell up to the time; 0 where nobody is left."""
    S: Fraction
    left: int


@dataclass(frozen=True, slots=True)
class CensoringWeighted(AtTimes):
    """A number between 0 and 1 for each time."""

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    inputs: ClassVar[Inputs] = frozenset({BY_SCORE, CURVE})
    column: ClassVar[str]
    """The name of the numbers."""

    @abstractmethod
    def ratio(self, party: Party, data: TimedCounts, u: WideShared, k: Places) -> WideRatio:
        """The numbers at the ends of the cells k, as ratios; 0/0 where undefined."""

    @abstractmethod
    def ratio_cost(self, n: int) -> Cost:
        """The cost of `ratio` over n cells."""

    @abstractmethod
    def exact(self, data: Weighed) -> Fraction | None:
        """The number at one time in the clear."""

    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> Self:
        check_counted(self.text, scale)
        return replace(self, times=times).with_edges(self.text)

    @property
    def _places(self) -> Places:
        """The cells that end at the times."""
        return np.array([self.times.edges.index(at) for at in self.ends], np.intp)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        assert isinstance(data, TimedCounts)
        k = self._places
        ratio = self.ratio(party, data, _weights(party, data.curve), k)
        return wide_divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)

    def cost(self, n: int, decimals: int) -> Cost:
        weights = wide_products.cost(factors=2, pairs=1).of(len(self.times.edges))
        division = wide_divide.cost(digits=decimals).of(len(self.ends))
        return weights + self.ratio_cost(n) + division

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        found = [self.exact(one) for one in self._weighed(data)]
        missing = undefined(decimals)
        return [missing if one is None else half_up(one * 10**decimals) for one in found]

    def _weighed(self, data: PooledBins) -> list[Weighed]:
        times = len(self.times)
        size = len(data.positives) // times
        events, censored = (
            [cells[k * size : (k + 1) * size] for k in range(times)]
            for cells in (data.positives, data.negatives)
        )
        curve = pooled_curve([*map(sum, events)], [*map(sum, censored)])
        weights = [
            S / r if r else Fraction(0)
            for S, r in zip((Fraction(1), *curve.S), curve.left, strict=True)
        ]
        found = []
        for k in self._places.tolist():
            behind = zip(*events[k + 1 :], *censored[k + 1 :], strict=True)
            later = [sum(one) for one in behind]
            one = Weighed(events[: k + 1], later, weights[: k + 1], curve.S[k], curve.left[k + 1])
            found.append(one)
        return found

    def words(self, decimals: int) -> int:
        return len(self.ends)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        return Table(
            ("time", self.column),
            tuple((decimal(at), cell) for at, cell in zip(self.ends, cells, strict=True)),
            undefined=self.undefined if None in cells else "",
        )

    def value_without_samples(self) -> Released:
        return Table(("time", self.column), undefined=NO_SAMPLES)

    def label_digits(self, decimals: int) -> int:
        return len(self.ends) * decimals

    def leaks(self, decimals: int) -> str:
        return (
            "for each time the released decimals, and whether the number is undefined: "
            f"{self.undefined}"
        )


def fits_wide(bound: int) -> bool:
    """True if such a denominator fits the wide arithmetic."""
    return bound <= largest_wide_denominator()


def _weights(party: Party, curve: SurvivalCurve) -> WideShared:
    """S_(j-1)/r_j of each cell up to the horizon, in units of 2^-96, never too low."""
    one = WideShared.public(party.role, [1 << POINT])
    before = concatenate_wide([one, curve.S[: len(curve.S) - 1]])
    [product] = wide_products(party, [before, curve.inverse + 1], [(0, 1)])
    return product.scaled_down(POINT) + 1


def later_than(cells: Shared, times: int, k: Places) -> list[Shared]:
    """For each of the cells k of times the sums by score over all later ones."""
    size = len(cells) // times
    rows = np.arange(len(cells)).reshape(times, size)
    by_score = cells[rows.T.reshape(-1)].cumsum()
    ends = np.arange(size) * times
    return [by_score[ends + times - 1] - by_score[ends + int(one)] for one in k]
