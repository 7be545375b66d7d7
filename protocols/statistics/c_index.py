"""Harrell's C: of two samples of which one is known to have its event earlier, how often that one
has the score that speaks more for it.

[Harrell et al., JAMA 247:2543-2546, 1982; R survival::concordance]. A pair is comparable if the
earlier time is an event; of equal times an event and a censored one are comparable, two events are
not. With W concordant pairs, T comparable ones of equal scores, and all comparable ones M,

    C = (2·W + T) / 2·M.

Over cells of times t and scores s, the one that speaks most for the event first, with e events and
c censored samples in each, and all = e + c,

    later[t, s] = Σ_(t' > t) all[t', s] + c[t, s]        who is known to have lived longer than t
    2·W + T     = Σ e[t, s]·(2·Σ_(s' > s) later[t, s'] + later[t, s])
    M           = Σ e[t, s]·Σ_s' later[t, s'].

The sums inside are linear, so two inner products are left, of one hop together. Where a cell holds
one score and one time (`CIndex`: a resolution of decimals, and times that are apart) this is C
exactly.

Else (`CIndexBounds`) it is C of the grid, between bounds for C of the scores and times themselves,
whatever they are within their cells: each pair counts as is worst, or best. With

    A, B, C    pairs of an event and a sample of a later cell of times, whose score is in a cell
               that speaks less for the event, in the same, and all of them,
    a, b, d    pairs of an event and a censored sample of the same cell of times, likewise,
    E          pairs of events in one cell of times,

    value    (2A + B + 2a + b) / 2(C + d)
    lower    A / (C + E + d - a)
    upper    (A + B + E + a + b) / (C + E + a + b).

A pair of B is discordant or concordant. Two events in one cell of times are not comparable, or are
either. An event and a censored sample there are comparable or not; if they are, the cells of their
scores decide, or do not where they are the same. A bound takes in the pairs that move it away from
the value. Where a cell is one score, B/2 is added to A in both bounds, in place of nothing and
of B. Where times are apart the bounds are (A + a)/(C + d) and (A + B + a + b)/(C + d). Bounds are
no confidence interval. The value is rounded half up, the lower bound down and the upper one up.
Seven inner products in one hop.

Behind the horizon nothing is known: C is that of a follow-up that ends there. Exact integers for up
to 2^31 - 1 samples, divided in 256 bits, five hops for every two decimals. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    sums_of_products,
    undefined,
    wide_divide,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Resolution, Scale
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.times import BY_SCORE
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.two_way import TwoWay
from ppaurora.protocols.release.values import Interval, Released, ratio_text
from ppaurora.protocols.statistics.estimates import OneInterval, OneNumber
from ppaurora.protocols.statistics.of_times import OfTimes, check_counted

NO_PAIR = "no two samples are comparable: there is no event before the time of another sample"


@dataclass(frozen=True, slots=True)
class CIndex(OneNumber[Binned, PooledBins], OfTimes):
    """C of cells that hold each score and each time apart."""

    name: ClassVar[str] = "c_index"
    short: ClassVar[str] = "Harrell's C"
    title: ClassVar[str] = "Harrell's C, the concordance of scores with times to an event"
    reference: ClassVar[str] = "Harrell et al., JAMA 247:2543-2546, 1982"
    known_as: ClassVar[str] = (
        "R survival concordance, lifelines concordance_index, scikit-survival "
        "concordance_index_censored"
    )
    inputs: ClassVar[Inputs] = frozenset({BY_SCORE})
    undefined: ClassVar[str] = NO_PAIR

    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> OfTimes:
        check_counted(self.text, scale)
        certain = scale.kind is Resolution.DECIMALS
        if certain and times.apart:
            return replace(self, times=times)
        return CIndexBounds(times=times, certain=certain)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        e, c = data.positives, data.negatives
        cells = TwoWay.of(e, len(self.times))
        later = cells.later(e + c) + c
        won, pairs = sums_of_products(
            party, [e, cells.lower(later) * 2 + later, cells.of_time(later)], [(0, 1), (0, 2)]
        )
        wide = widen(party, concatenate([won, pairs]))
        bound = _most(data.n)
        return wide_divide(party, wide[:1], wide[1:] * 2, digits=decimals, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        sums = sums_of_products.cost(factors=3, pairs=2).of(n)
        return sums + widen.cost().of(2) + wide_divide.cost(digits=decimals).of(1)

    def scaled(self, data: PooledBins, scale: int) -> int | None:
        pairs = counted_pairs(data, len(self.times))
        if not pairs.M:
            return None
        return half_up(Fraction(scale * pairs.won2, 2 * pairs.M))

    def fits(self, n: int, decimals: int) -> bool:
        return _most(n) <= largest_wide_denominator()

    def label_digits(self, decimals: int) -> int:
        return decimals


@dataclass(frozen=True, slots=True)
class CIndexBounds(OneInterval[Binned, PooledBins], OfTimes):
    """C of the grid, the lower bound, and how far the upper bound lies below 1."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "c_index"
    short: ClassVar[str] = "Harrell's C"
    title: ClassVar[str] = "Harrell's C on the grid, with certified bounds for the data themselves"
    reference: ClassVar[str] = CIndex.reference
    known_as: ClassVar[str] = "R survival concordance of the data on the grid"
    inputs: ClassVar[Inputs] = frozenset({BY_SCORE})
    undefined: ClassVar[str] = NO_PAIR
    without_width: ClassVar[str] = ""
    certain: bool = False

    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> OfTimes:
        return replace(self, times=times)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        e, c = data.positives, data.negatives
        cells = TwoWay.of(e, len(self.times))
        later = cells.later(e + c)
        factors = [
            e,
            *(cells.lower(later), later, cells.of_time(later)),
            *(cells.lower(c), c, cells.of_time(c)),
            cells.of_time(e),
        ]
        sums = sums_of_products(party, factors, [(0, k) for k in range(1, len(factors))])
        wide = widen(party, concatenate([*sums[:-1], sums[-1] - e.sum()]))
        A, B, C, a, b, d, E2 = (wide[k : k + 1] for k in range(7))
        value = (A * 2 + B + a * 2 + b, (C + d) * 2)
        half = B if self.certain else B * 0
        more = B if self.certain else B * 2
        if self.times.apart:
            same = b if self.certain else b * 0
            most = b if self.certain else b * 2
            lower = (A * 2 + half + a * 2 + same, (C + d) * 2)
            upper = (A * 2 + more + a * 2 + most, (C + d) * 2)
        else:
            lower = (A * 2 + half, (C + d - a) * 2 + E2)
            upper = (A * 2 + more + E2 + (a + b) * 2, (C + a + b) * 2 + E2)
        # of no comparable pair nothing is told
        kept = wide_products(
            party,
            [
                value[1].repeat(4),
                concatenate_wide([lower[0], lower[1], upper[1] - upper[0], upper[1]]),
            ],
            [(0, 1)],
        )[0]
        scale = 10**decimals
        # rounded half up, scale·N/D - 1/2 = (2·scale·N - D)/2D is scale·N/D rounded down
        N = concatenate_wide(
            [
                value[0] * (2 * scale),
                kept[:1] * (2 * scale) - kept[1:2],
                kept[2:3] * (2 * scale) - kept[3:],
            ]
        )
        D = concatenate_wide([value[1], kept[1:2], kept[3:]]) * (2 * scale)
        return wide_divide(party, N, D, digits=decimals, bound=self._bound(data.n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        return (
            sums_of_products.cost(factors=8, pairs=7).of(n)
            + widen.cost().of(7)
            + wide_products.cost(factors=2, pairs=1).of(4)
            + wide_divide.cost(digits=decimals).of(3)
        )

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        pairs, scale = counted_pairs(data, len(self.times)), 10**decimals
        if not pairs.M:
            return [undefined(decimals)] * 3
        lower, upper = pairs.bounds(apart=self.times.apart, certain=self.certain)
        return [
            half_up(Fraction(scale * pairs.won2, 2 * pairs.M)),
            undefined(decimals) if lower is None else int(scale * lower),
            undefined(decimals) if upper is None else int(scale * (1 - upper)),
        ]

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, below_one = words
        missing, scale = undefined(decimals), 10**decimals
        if ratio_text(self.text, value, decimals) is None:
            return Interval(undefined=self.undefined)
        # without a pair that could lower or raise it, the data may have no C but this bound
        upper = scale if below_one == missing else scale - below_one
        return OneInterval.decode(self, (value, 0 if lower == missing else lower, upper), decimals)

    def fits(self, n: int, decimals: int) -> bool:
        return self._bound(n, decimals) <= largest_wide_denominator()

    def _bound(self, n: int, decimals: int) -> int:
        bound: int = 2 * 10**decimals * _most(n) ** 2
        return bound

    def label_digits(self, decimals: int) -> int:
        return 3 * decimals

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of the value and of two bounds, and whether the metric is "
            f"undefined: {self.undefined}"
        )


def _most(n: int) -> int:
    """Twice the most comparable pairs of n samples, at least 2."""
    return max(2, n * (n - 1))


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs with an event first, in the letters above; E2 is twice E."""

    A: int
    B: int
    C: int
    a: int
    b: int
    d: int
    E2: int

    @property
    def won2(self) -> int:
        return 2 * self.A + self.B + 2 * self.a + self.b

    @property
    def M(self) -> int:
        return self.C + self.d

    def bounds(self, *, apart: bool, certain: bool) -> tuple[Fraction | None, Fraction | None]:
        """The lower and the upper bound; None where no pair has to be compared for it."""
        tie = Fraction(1, 2)
        least, most = (tie, tie) if certain else (Fraction(0), Fraction(1))
        if apart:
            sure = self.A + self.a
            tied = self.B + self.b
            return (sure + least * tied) / self.M, (sure + most * tied) / self.M
        E = Fraction(self.E2, 2)
        below, above = self.C + E + self.d - self.a, self.C + E + self.a + self.b
        return (
            (self.A + least * self.B) / below if below else None,
            (self.A + most * self.B + E + self.a + self.b) / above if above else None,
        )


def counted_pairs(data: PooledBins, times: int) -> Pairs:
    """The pairs in the clear, from the latest cell of times to the first."""
    scores = len(data.positives) // times
    later = [0] * scores
    A = B = C = a = b = d = E2 = 0
    for time in reversed(range(times)):
        row = slice(time * scores, (time + 1) * scores)
        events, censored = data.positives[row], data.negatives[row]
        of_later = of_censored = 0
        for s in reversed(range(scores)):
            A += events[s] * of_later
            B += events[s] * later[s]
            a += events[s] * of_censored
            b += events[s] * censored[s]
            of_later += later[s]
            of_censored += censored[s]
        E = sum(events)
        C += E * of_later
        d += E * of_censored
        E2 += E * (E - 1)
        later = [known + e + c for known, e, c in zip(later, events, censored, strict=True)]
    return Pairs(A, B, C, a, b, d, E2)
