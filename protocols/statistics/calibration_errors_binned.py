"""ICI, E50 and E90 over parts: how far rate and mean score lie apart on average, and for most.

Austin and Steyerberg (Statistics in Medicine 38:4051-4065, 2019) take of every sample the distance
between its score and a smoothed rate there, and call the mean ICI, the median E50 and the ninth
decile E90. Here a sample's distance is that of its row of the calibration curve
(`ppaurora.protocols.statistics.calibration`), with P_l positives of n_l samples, whose scores add
up to S_l: so these are other numbers, with "binned" in their names.

    e_l = |P_l - S_l|/n_l,      ICI = Σ |P_l - S_l| / n,
    E_q = the least e with      Σ n_l over the rows of which e_l <= e    at least q·n.

Rows are those that the least cell of the study leaves: E50 and E90 are each the distance of one
row, and of a row of one sample that would be its score. `ece` is the same mean over all parts,
none of them merged.

All is exact, as far as sums of scores are (`ppaurora.protocols.grid.sums`): whether e_a < e_b is
the sign of |P_a - S_a|·n_b - |P_b - S_b|·n_a, a whole number in 256 bits, found for all pairs of
rows at once; of two that are equal the one that speaks more for the positive class counts as
smaller, which moves no number. With W_a what lies in the rows up to row a in that order, a is
picked where W_a - n_a < q·n <= W_a: where it is empty, nowhere. So nobody learns a distance, or
its place.

Nobody learns anything. Eighteen hops and 2·log2(bins) more, before the division.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    largest_wide_denominator,
    products,
    wide_divide,
    wide_is_negative,
    wide_negative_times,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.grid.sums import SCALE, Sum
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.rows import sums_at
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.calibration import merged, merged_cost, merged_in_clear
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import NEVER, Statistic, Topic

QUANTILES = (Fraction(1, 2), Fraction(9, 10))
COLUMNS = ("ici_binned", "e50_binned", "e90_binned")
MOST_ROWS = 64
"""Of which 2,016 pairs are compared."""
LARGEST = 1 << 31
ERROR = PublicRange()


@dataclass(frozen=True, slots=True)
class CalibrationErrors(Statistic[Binned, PooledBins], EqualParts):
    """The mean, the median and the ninth decile of the rows' distances."""

    name: ClassVar[str] = "calibration_errors_binned"
    short: ClassVar[str] = "ICI, E50 and E90 over parts"
    reference: ClassVar[str] = "Austin and Steyerberg, Statistics in Medicine 2019"
    title: ClassVar[str] = (
        "ICI, E50 and E90 over the rows of the calibration curve: mean, median and ninth decile of "
        "how far observed and predicted lie apart"
    )
    known_as: ClassVar[str] = "rms val.prob (Eavg, E90), there of a smoothed curve"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    weighted: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = frozenset({Sum.SCORES})
    undefined: ClassVar[str] = NEVER
    sums_scores: ClassVar[bool] = True
    bins: int = whole("equal parts of the range of the scores", 8, least=2, most=MOST_ROWS)

    @property
    def parts(self) -> int:
        return self.bins

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        rows, m = merged(party, data, self.thresholds()), self.bins
        P, n, S = rows.wide(party)
        off = P * SCALE - S
        _, below = wide_negative_times(party, off, off)
        apart = off - below * 2
        chosen = widen(party, self._picked(party, apart, n, rows.samples))
        pairs = [(place, kind) for kind in (2, 3) for place in (0, 1)]
        picked = [chosen[start : start + m] for start in range(0, len(chosen), m)]
        found = wide_products(party, [apart, n, *picked], pairs)
        half, of_half, most, of_most = (one.sum() for one in found)
        return wide_divide(
            party,
            concatenate_wide([apart.sum(), half, most]),
            concatenate_wide([n.sum(), of_half, of_most]) * SCALE,
            digits=decimals,
            bound=self._largest(data.n),
        )

    def _picked(
        self, party: Party, apart: WideShared, wide_n: WideShared, samples: Shared
    ) -> Shared:
        """1 at the row that is picked for each quantile, one quantile behind the other."""
        m = self.bins
        first, second = np.triu_indices(m, k=1)
        ours, theirs = wide_products(
            party,
            [apart[second], wide_n[first], apart[first], wide_n[second]],
            [(0, 1), (2, 3)],
        )
        # 1 where the later row is smaller, and comes before the earlier
        before = wide_is_negative(party, ours - theirs).low()
        of_second, of_first = products(
            party, [before, samples[second], samples[first]], [(0, 1), (0, 2)]
        )
        upto = samples + sums_at(of_second, first, m)
        upto = upto + sums_at(samples[first] - of_first, second, m)
        total = samples.sum().repeat(m)
        signs = []
        for q in QUANTILES:
            wanted = total * q.numerator
            signs += [(upto - samples) * q.denominator - wanted, upto * q.denominator - wanted]
        # q·n lies behind the row's start, and not behind its end
        behind = is_negative(party, concatenate(signs))
        each = [behind[start : start + m] for start in range(0, len(behind), m)]
        return concatenate([each[0] - each[1], each[2] - each[3]])

    def cost(self, n: int, decimals: int) -> Cost:
        m = self.bins
        pairs = m * (m - 1) // 2
        ordered = (
            wide_products.cost(factors=4, pairs=2).of(pairs)
            + wide_is_negative.cost().of(pairs)
            + products.cost(factors=3, pairs=2).of(pairs)
            + is_negative.cost().of(4 * m)
            + widen.cost().of(2 * m)
        )
        chosen = wide_products.cost(factors=4, pairs=4).of(m)
        distances = merged_cost(m) + wide_negative_times.cost().of(m)
        return distances + ordered + chosen + wide_divide.cost(digits=decimals).of(3)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        rows = [one for one in merged_in_clear(data, self.thresholds()) if one]
        if not rows:
            return [ERROR.missing(decimals)] * len(COLUMNS)
        errors = sorted(
            (abs(one.positives - one.scores) / one.samples, one.samples) for one in rows
        )
        n = sum(samples for _, samples in errors)
        found = [sum((error * samples for error, samples in errors), Fraction(0)) / n]
        for q in QUANTILES:
            upto = 0
            for error, samples in errors:
                upto += samples
                if upto >= q * n:
                    found.append(error)
                    break
        return [ERROR.word(value, decimals) for value in found]

    def words(self, decimals: int) -> int:
        return len(COLUMNS)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = tuple(ERROR.text(self.text, word, decimals) for word in words)
        if None in cells:
            return Table(COLUMNS, withheld=self.study.too_few)
        return Table(COLUMNS, (cells,))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def _largest(self, n: int) -> int:
        most: int = n * SCALE
        return max(1, most)

    def fits(self, n: int, decimals: int) -> bool:
        return n < LARGEST and self._largest(n) <= largest_wide_denominator()

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of the mean distance between the rate of positives and the mean "
            "predicted probability, and of that distance in two rows of the calibration curve, "
            "nobody knows which"
        )

    def label_digits(self, decimals: int) -> int:
        return decimals * len(COLUMNS)
