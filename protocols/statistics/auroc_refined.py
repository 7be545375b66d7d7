"""The AUROC on the coarsest grid that bounds it closely enough.

The owners count on the study's grid once; halving the number of bins again and again is adding
neighbours, which takes no message. On a grid of m bins, with the letters of
`ppaurora.protocols.statistics.auroc`,

    mid_m = (2·L_m + T_m) / 2PN,    |AUROC - mid_m| <= T_m / 2PN,

and T_m does not grow as m does. Released is mid_m of the least m = 2, 4, ... with T_m/PN <= width,
and which m that is: the value is certain to width/2. If no m is fine enough, nothing but that is
released, and a study with more bins may be made.

All grids are compared with the width at once, and the bits stay shared: with w_m = 1 where a grid
is too wide, the number of grids left out is Σ_m w_m, and

    mid = mid_2 + Σ_m w_m·(mid_2m - mid_m).

So the servers do not learn where it stops. Exact integers for up to 2^31 - 1 samples; nobody learns
anything else. Seven hops and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    multiply,
    products,
    undefined,
    wide_divide,
    wide_negative_times,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import LEAST_BINS, MOST_BINS
from ppaurora.protocols.lists.scale import Resolution, Scale
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings, pinned_warnings
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import NO_CLASS, Statistic

COLUMNS = ("bins", "auroc")
MOST_LEVELS = (MOST_BINS // LEAST_BINS).bit_length()
TOO_WIDE = "even on all bins of the study the bounds are further apart than the width"


@dataclass(frozen=True, slots=True)
class AurocRefined(Statistic[Binned, PooledBins]):
    """The number of bins that is enough, and the AUROC of the scores in so many."""

    name: ClassVar[str] = "auroc_refined"
    title: ClassVar[str] = "AUROC within a width that is certain, on as coarse a grid as that takes"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score of the binned scores"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[Histogram]] = Histogram
    undefined: ClassVar[str] = f"{NO_CLASS}, or {TOO_WIDE}"
    width: Fraction = number("how far apart the bounds may be", "0.001", closed=False)

    def check_scale(self, scale: Scale) -> None:
        if scale.kind is Resolution.BINS and scale.number.bit_count() != 1:
            raise OptionRefused(
                "resolution",
                f"is of {scale.number} bins, and {self.text} halves their number again and again",
                advice=f"Take a power of two, such as bins:{1 << scale.number.bit_length() - 1}.",
            )

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        r, s = self.width.numerator, self.width.denominator
        levels = _levels(data.bins)
        grids = [data.coarsened(parts) for parts in levels]
        columns = (
            concatenate(one for one, _ in grids),
            concatenate(one for _, one in grids),
            concatenate(one.cumsum() for one, _ in grids),
        )
        [within, upwards], [PN] = side_by_side(
            party,
            [
                lambda own: products(own, columns, [(0, 1), (1, 2)]),
                lambda own: [multiply(own, data.P, data.N)],
            ],
        )
        # 2L + T = Σ neg·(2·TP - pos), TP with the bin's own
        T = concatenate(one.sum() for one in _split(within, levels))
        M = concatenate(one.sum() for one in _split(upwards * 2 - within, levels))
        K = len(levels)
        wide = widen(party, concatenate([T, M, PN]))
        T_wide, M_wide, pairs = wide[:K], wide[K : 2 * K], wide[2 * K :]
        D = pairs * 2
        room = concatenate_wide([pairs * r] * K) - T_wide * s
        # from each grid to the next finer one, from the finest to none
        further = concatenate_wide([M_wide[1:] - M_wide[:-1], -M_wide[K - 1 :], -D])
        too_wide, moved = wide_negative_times(
            party, concatenate_wide([room, room[K - 1 :]]), further
        )
        value = wide_divide(
            party,
            M_wide[:1] + moved[:K].sum(),
            D + moved[K:],
            digits=decimals,
            bound=self._largest(data.n),
        )
        return concatenate([too_wide[:K].sum().low(), value])

    def _largest(self, n: int) -> int:
        """2·P·N of n samples is at most this."""
        return max(1, 2 * most_pairs(n))

    def cost(self, n: int, decimals: int) -> Cost:
        K = len(_levels(n))
        sums = products.cost(factors=3, pairs=2).of(sum(_levels(n))) | multiply.cost().of(1)
        return (
            sums
            + widen.cost().of(2 * K + 1)
            + wide_negative_times.cost().of(K + 1)
            + wide_divide.cost(digits=decimals).of(1)
        )

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        levels, pairs = _levels(len(data.positives)), data.P * data.N
        if not pairs:
            return [0, undefined(decimals)]
        for place, parts in enumerate(levels):
            won, tied, above = 0, 0, 0
            for positives, negatives in zip(*data.coarsened(parts), strict=True):
                won += negatives * above
                tied += negatives * positives
                above += positives
            if Fraction(tied, pairs) <= self.width:
                return [place, half_up(10**decimals * (won + Fraction(tied, 2)) / pairs)]
        return [len(levels), undefined(decimals)]

    def words(self, decimals: int) -> int:
        return 2

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        left_out, word = words
        value = ratio_text(self.text, word, decimals)
        if left_out > MOST_LEVELS:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        if value is None:
            return Table(COLUMNS, undefined=TOO_WIDE if left_out else NO_CLASS)
        return Table(COLUMNS, ((str(LEAST_BINS << left_out), value),))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return self._largest(n) <= largest_wide_denominator()

    def leaks(self, decimals: int) -> str:
        return (
            "how many bins are enough for the width, the released decimals of the AUROC on so "
            f"many, and whether it is undefined: {self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        pinned = pinned_warnings(self.text, sizes, decimals, ties=True)
        return (*pinned, *few_samples_warnings(self.text, sizes))


def _levels(bins: int) -> list[int]:
    """The numbers of bins that are tried, the coarsest grid first.

    >>> _levels(16)
    [2, 4, 8, 16]
    """
    return [LEAST_BINS << level for level in range(bins.bit_length() - 1)]


def _split(of_all: Shared, levels: Sequence[int]) -> list[Shared]:
    """The part of each grid."""
    ends = list(accumulate(levels, initial=0))
    return [of_all[start:end] for start, end in pairwise(ends)]
