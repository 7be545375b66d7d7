"""The base class of proportions at thresholds, with Wilson's limits where they are asked for.

A proportion is of a number of samples that is not released, so the servers compute its limits from
the shared counts (`ppaurora.protocols.ranking.wilson`). `level=0.95` asks for them; nobody is told
more than a study says, and limits tell of how many samples the proportion is. What is withheld for
its rate is withheld for its limits: both are of the same cut.

The limits take 17 hops for four decimals, beside those of the rates, and 288 kB for each rate;
nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.binned import Binned, Confusion, PooledBins
from ppaurora.protocols.ranking.wilson import (
    LEVEL,
    WILSONS,
    wilson,
    wilson_cost,
    wilson_fits,
    wilson_in_clear,
    with_limits,
)
from ppaurora.protocols.release.values import Released, Table
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.thresholds import AtThreshold, RatesAtCuts


@dataclass(frozen=True, slots=True)
class Proportion(AtThreshold, RatesAtCuts):
    """One share of samples at each threshold, and its limits at a level."""

    resampled: ClassVar[bool] = True
    among: ClassVar[str]
    """The samples of which it is a share, in words."""
    public_total: ClassVar[bool] = False
    """True if their number is public."""
    level: Fraction | None = number(LEVEL, optional=True, closed=False)

    @property
    def source(self) -> str:
        return WILSONS if self.level else ""

    @property
    def header(self) -> tuple[str, ...]:
        return ("threshold", *(with_limits(self.columns) if self.level else self.columns))

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        if self.level is None:
            return RatesAtCuts.private(self, party, data, decimals)
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: RatesAtCuts.private(self, own, data, decimals),
                    lambda own: self._limits(own, data, decimals),
                ],
            )
        )

    def _limits(self, party: Party, data: Binned, decimals: int) -> Shared:
        at = data.above(self.thresholds())
        [(N, D)] = self.rates(party, at)
        k, m = products(party, [N, D, at.shown], [(0, 2), (1, 2)])
        found = wilson(party, k, m, self.level or Fraction(0), decimals)
        return found + (1 - concatenate([at.shown, at.shown]))

    def cost(self, n: int, decimals: int) -> Cost:
        rates, count = RatesAtCuts.cost(self, n, decimals), len(self.at)
        if self.level is None:
            return rates
        limits = products.cost(factors=3, pairs=2).of(count) + wilson_cost(count, decimals)
        return rates | limits

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        rates = RatesAtCuts.plaintext_words(self, data, decimals)
        if self.level is None:
            return rates
        limits = [self._pooled(data.above(at), self.level, decimals) for at in self.thresholds()]
        return [*rates, *(lower for lower, _ in limits), *(upper for _, upper in limits)]

    def _pooled(self, counts: Confusion | None, level: Fraction, decimals: int) -> tuple[int, int]:
        if counts is None:
            return (self.within.withheld(decimals),) * 2
        k, m = self.share(counts)
        if not m:
            return (self.within.missing(decimals),) * 2
        lower, upper = wilson_in_clear(k, m, level)
        return half_up(10**decimals * lower), half_up(10**decimals * upper)

    @abstractmethod
    def share(self, counts: Confusion) -> tuple[int, int]:
        """The samples that are counted, and among how many, in the clear."""

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        k, m = self.share(counts)
        return [Fraction(k, m) if m else None]

    def words(self, decimals: int) -> int:
        return len(self.at) * (3 if self.level else 1)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        if self.level is None:
            return RatesAtCuts.decode(self, words, decimals)
        count = len(self.at)
        rates = RatesAtCuts.decode(self, words[:count], decimals)
        assert isinstance(rates, Table)
        limits = [self.within.cell(self.text, word, decimals) for word in words[count:]]
        rows = zip(rates.rows, limits[:count], limits[count:], strict=True)
        return self.table(tuple((*row, lower, upper) for row, lower, upper in rows))

    def fits(self, n: int, decimals: int) -> bool:
        limits = self.level is None or wilson_fits(n, len(self.at), self.level, decimals)
        return limits and RatesAtCuts.fits(self, n, decimals)

    def largest(self, n: int) -> int:
        return n

    def leaks(self, decimals: int) -> str:
        told = RatesAtCuts.leaks(self, decimals)
        if self.level is None:
            return told
        if self.public_total:
            return (
                f"{told}; the limits follow from the rate, of which they tell further digits where "
                "it has more than are released, and the number of samples"
            )
        return f"{told}; the limits tell how many are {self.among}, as exactly as they are rounded"
